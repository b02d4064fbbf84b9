"""What the paper states, in its own words, and the claims that measure it.

Claims are those of this study and, by their identifiers alone, of VGG, ResNet and EfficientNet.
"""

from collections.abc import Sequence

import pandas as pd

from srhm.paper.sparse_hierarchy.claims import published_fits
from srhm.scorecard.headline import Statement
from srhm.statistics.publications import read_publications

COMPLEXITY = "Sample complexity"
INVARIANCE = "Invariances are learnt with the task"
SPARSITY = "Sparsity"
NETWORKS = "Common architectures"


def _by_depth(net: str, name: str) -> dict[str, str]:
    """Exponents of a network at L = 2 and 3."""
    words = {"s0": "s_0+1", "v": "v"}[name]
    return {
        f"{net.upper()}, L = {depth}: exponent of {words}": f"{name}-exponent-{net}-L{depth}"
        for depth in (2, 3)
    }


def other_run(publications: Sequence[str]) -> tuple[str, pd.DataFrame]:
    """Name, by its usual width, and fits of P* of the published run that has most curves.

    publications: files of published runs of other presets; without any both are empty.

    Raises:
        PublicationError: if a file of a published run is missing or damaged, naming it.
    """
    runs = read_publications(publications)
    if not runs:
        return "", pd.DataFrame({"claim": []})
    run = max(runs, key=lambda one: one.cells["curve"].nunique())
    width = run.cells.groupby("curve")["width"].first().mode()[0]
    return f"our {width} channels", published_fits(run.sample_complexity, run.cells)


def _invariances(net: str) -> dict[str, str]:
    """P*_S and P*_D divided by P* of a network at s = 2, L = 2 and 3."""
    return {
        f"{net.upper()}, L = {depth}: P*_{kind.upper()}/P*": f"{kind}-ratio-{net}-s2-L{depth}"
        for kind in "sd"
        for depth in (2, 3)
    }


def _short(net: str) -> tuple[str, str]:
    """Labels of its P*_S/P* and P*_D/P* for a terminal."""
    return f"{net}: P*_S / P*", f"{net}: P*_D / P*"


HEADLINE: tuple[Statement, ...] = (
    Statement(
        heading=COMPLEXITY, says="P* follows Eq. 3 and 4", short=("P* on Eq. 3 and 4: slope",),
        quote="Empirical sample complexity P* for a LCN … versus estimation of Eq. 3 … Same as (B)"
        " for CNNs, supporting Eq. 4",
        place="caption of Figure 4 B, C",
        lines={"LCN, CNN: slope of log P* on Eq. 3, 4": "slope-against-prediction"},
    ),
    Statement(
        heading=COMPLEXITY, says="P*_LCN ~ (s_0+1)^L", short=("LCN: exponent of s_0+1",),
        quote="P*_LCN ~ C_0(s, L) (s_0+1)^L n_c m^L", place="Eq. 3, section 4; Figure 4 B",
        lines=_by_depth("lcn", "s0"),
    ),
    Statement(
        heading=COMPLEXITY, says="P*_CNN ~ (s_0+1)^2", short=("CNN: exponent of s_0+1",),
        quote="P*_CNN ~ C_1 (s_0+1)^2 n_c m^L", place="Eq. 4, section 4; Figure 4 C",
        lines=_by_depth("cnn", "s0"),
    ),
    Statement(
        heading=COMPLEXITY, says="P*_LCN ~ v^(L+1)", short=("LCN: exponent of v",),
        quote="P*_LCN ~ C_0(s, L) (s_0+1)^L n_c m^L",
        place="Eq. 3 at n_c = m = v, section 4; Figure 4 B", lines=_by_depth("lcn", "v"),
    ),
    Statement(
        heading=COMPLEXITY, says="P*_CNN ~ v^(L+1)", short=("CNN: exponent of v",),
        quote="P*_CNN ~ C_1 (s_0+1)^2 n_c m^L", place="Eq. 4 at n_c = m = v, section 4; Figure 4 C",
        lines=_by_depth("cnn", "v"),
    ),
    Statement(
        heading=COMPLEXITY, says="P*_LCN/P*_CNN ~ (s_0+1)^(L-2)",
        short=("LCN / CNN: exponent of s_0+1",),
        quote="the sample complexity is only quadratic in L in (s_0+1) for CNNs, while it is"
        " exponential in L for LCNs",
        place="section 4; Eq. 3 divided by Eq. 4",
        lines={
            f"LCN/CNN, paired, L = {depth}: exponent of s_0+1": f"lcn-over-cnn-L{depth}"
            for depth in (2, 3)
        },
    ),
    Statement(
        heading=COMPLEXITY, says="C_0 grows as s^(L/2)", short=("C_0: exponent of s^(L/2)",),
        quote="our observations for C_0(s, L) are consistent with C_0(s, L) ~ s^(L/2)",
        place="section 4; Figure 10", lines={"C_0 against s^(L/2): exponent": "lcn-constant-C0"},
    ),
    Statement(
        heading=SPARSITY, says="at fixed dimension sparser is easier",
        short=("sparser / denser: P*",),
        quote="for a fixed dimension d, a higher sparsity is preferable as it leads to a smaller"
        " sample complexity",
        place="section 4; Figure 5",
        lines={"LCN, d = 64: P* of sparser/denser data": "sparser-is-easier"},
    ),
    Statement(
        heading=SPARSITY, says="sparsity B follows both laws",
        short=("sparsity B: slope, LCN; CNN",),
        quote="the learning curves obtained implementing Sparsity B in the data are consistent with"
        " Eq. 3 and Eq. 4",
        place="appendix A; Figures 7, 8",
        lines={
            f"{net.upper()}, sparsity B: slope of log P* on Eq. {eq}": f"sparsity-b-slope-{net}"
            for net, eq in (("lcn", 3), ("cnn", 4))
        },
    ),
    Statement(
        heading=INVARIANCE, says="LCN learns both with the task", short=_short("LCN"),
        quote="P*_S ≈ P*_LCN, P*_D ≈ P*_LCN", place="Eq. 8, section 5; Figure 6 C, D",
        lines=_invariances("lcn"),
    ),
    Statement(
        heading=INVARIANCE, says="CNN learns both with the task", short=_short("CNN"),
        quote="This observation appears to be universal, as it holds … for the simple convolutional"
        " architectures",
        place="section 5; Figure 14", lines=_invariances("cnn"),
    ),
    Statement(
        heading=INVARIANCE, says="FCN learns both with the task", short=_short("FCN"),
        quote="This observation appears to be universal, as it holds … even for fully-connected"
        " networks",
        place="section 5; Figure 16, by its caption's thresholds", lines=_invariances("fcn"),
    ),
    Statement(
        heading=INVARIANCE, says="all levels at once",
        short=("S, l ≥ 2 / l = 1: LCN; CNN", "D, l ≥ 2 / l = 1: LCN; CNN"),
        quote="synonyms and insensitivity to diffeomorphisms are learnt at all levels of the"
        " hierarchy in one go",
        place="section 6; Figures 12, 15",
        lines={
            f"{net.upper()}: P at half height of {kind.upper()}, l ≥ 2 / l = 1": claim
            for kind in "sd"
            for net in ("lcn", "cnn")
            for claim in [f"{kind}-onset-of-levels-{net}"]
        },
    ),
    Statement(
        heading=NETWORKS, says="VGG, ResNet, EfficientNet learn both with the task",
        short=("VGG etc.: P of S; D / ε",),
        quote="This observation appears to be universal, as it holds for common convolutional"
        " architectures like VGG, ResNet, and EfficientNet",
        place="section 5; Figure 9",
        lines={
            f"P at half height of {kind.upper()} / of ε": f"{kind}-half-way-networks"
            for kind in "sd"
        },
    ),
    Statement(
        heading=NETWORKS, says="errors and S, D rank alike", short=("VGG etc.: rank, ε with S; D",),
        quote="The SRHM captures these observations: … Test error vs sensitivity to diffeomorphisms"
        " … Same as (C) for sensitivity to exchange of synonyms",
        place="caption of Figure 1 C, D",
        lines={
            f"ε and {kind.upper()} of the output: rank correlation": f"{kind}-rank-output"
            for kind in "sd"
        },
    ),
)  # fmt: skip
