"""What the commands about a preset share: its networks and their stores.

Three kinds of networks have a store each: those of the paper on the SRHM, those on images, and
those of lazy and feature learning, which a run of their own trains. Cells on images can only be
named if the images are there.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from srhm.images import cifar
from srhm.images.plan import image_curves
from srhm.studies.sparse_hierarchy import configuration as experiments

CONFIG = Path(__file__).resolve().parents[3] / "config"
SRHM, IMAGES, PLANE = "SRHM", "images", "plane"

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Networks:
    """Networks of one kind: {"key", "source", "cell"} of each by curve, and where they are kept.

    rows: folder of the curves' tables; store: of the trained networks; checkpoints: of others.
    """

    data: str
    curves: Mapping[str, Sequence[Entry]]
    rows: Path
    store: Path
    checkpoints: Path

    @property
    def entries(self) -> list[Entry]:
        """All cells, curve by curve."""
        return [entry for entries in self.curves.values() for entry in entries]


@dataclass(frozen=True)
class Study:
    """A configuration and the networks of one run. absent: folder of images that are not there."""

    plan: experiments.Plan
    networks: tuple[Networks, ...]
    absent: Path | None
    plane: Networks

    @property
    def of_the_plane(self) -> "Study":
        """The run of the plane in place of that of the paper."""
        return Study(self.plan, (self.plane,), None, self.plane)

    @property
    def cells(self) -> dict[str, Mapping[str, Any]]:
        """Coordinates of all cells by key."""
        return {e["key"]: e["cell"] for networks in self.networks for e in networks.entries}

    @property
    def stores(self) -> tuple[Path, ...]:
        """Where they are stored."""
        return tuple(networks.store for networks in self.networks)

    def remark(self) -> str:
        """A line about networks that cannot be counted; empty where all can."""
        if self.absent is None:
            return ""
        return f"networks on images (Figure 1 A, B) are not counted: {self.absent} does not exist"


def study_of(configuration: Mapping[str, Any], directory: Path) -> Study:
    """The networks that a configuration asks for, in the folder that holds results/.

    Raises:
        ConfigError: if the configuration is refused.
        CifarError: if the folder of the images holds something else.
    """
    plan = experiments.plan(configuration)
    results, images = directory / "results", plan.preset.images
    folder = directory / images.folder
    of_srhm = {name: curve.entries for name, curve in plan.curves.items()}
    on_images, place = image_curves(images, folder=folder), results / "images"
    networks = (
        Networks(SRHM, of_srhm, results / "curves", results / "cells", results / "checkpoints"),
        Networks(IMAGES, on_images, place, place / "cells", place / "checkpoints"),
    )
    in_plane = {name: curve.entries for name, curve in plan.plane.items()}
    place = results / "plane"
    plane = Networks(PLANE, in_plane, place / "curves", place / "cells", place / "checkpoints")
    return Study(plan, networks, None if cifar.notice(folder) is None else folder, plane)


def parser_for(command: str, description: str | None) -> argparse.ArgumentParser:
    """Parser of a command about one preset: which, and in which folder."""
    parser = argparse.ArgumentParser(prog=f"python -m srhm.{command}", description=description)
    parser.add_argument("--preset", default="quick", help="name of a file of config/")
    parser.add_argument("--configfile", type=Path, help="a configuration elsewhere")
    parser.add_argument("--directory", type=Path, default=Path(), help="where results/ lies")
    return parser


def chosen(options: argparse.Namespace) -> Study | None:
    """The study that the options name; None, with the reason printed, if it is refused."""
    path = options.configfile or CONFIG / f"{options.preset}.yaml"
    if not path.is_file():
        print(f"no preset {options.preset!r}: {path} does not exist", file=sys.stderr)
        return None
    try:
        return study_of(yaml.safe_load(path.read_text()), options.directory)
    except yaml.YAMLError as error:
        print(f"{path} is not YAML: {error}", file=sys.stderr)
    except (experiments.ConfigError, cifar.CifarError) as refusal:
        print(refusal, file=sys.stderr)
    return None
