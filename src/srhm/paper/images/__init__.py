"""Figure 1 A, B of the paper: networks on CIFAR-10 and smooth deformations."""

from srhm.declare.study import CellMeasurement, Figure, Study
from srhm.images.plan import ImagesSection, plan
from srhm.training.trainers import IMAGES

STUDY = Study(
    package=__package__,
    name="images",
    title="Networks on CIFAR-10 and smooth deformations",
    config=ImagesSection,
    plan=plan,
    trainer=IMAGES,
    measurements=(
        CellMeasurement("stability", IMAGES, "srhm.images.trainer:measure_images",
                        {"images": "IMAGES"}, share=0.01, gpu=True),
    ),
    figures=(
        Figure("fig01_images", "test error on CIFAR-10 against the sensitivity to deformations",
               ("images",), function="srhm.paper.named_nets.figures:fig01_images"),
    ),
    page="report",
    priority=-20,
)  # fmt: skip
