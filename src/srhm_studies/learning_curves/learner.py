"""Studies of learning curves by a function of their own: sections, cells, tables and P*.

A study has factors: what its curves differ in besides net and grammar (an optimiser, say). Letters
are those of docs/notation.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pydantic import Field

from srhm.declare.keys import Counts, Keys, Scales, Seeds, Sizes, combinations
from srhm.declare.study import ConfigError, CurveMeasurement, Derived, Study
from srhm.experiments.cells import schema
from srhm.experiments.groups import CurveCells
from srhm.model.grammar import DATA_MODEL, GRAMMAR, Grammar, GrammarError, parameters_of
from srhm.model.sampling import Derivations, draw_sample, largest_training_set, n_test_points
from srhm.model.seeding import generator
from srhm.training.configuration import HierarchySection
from srhm.training.plan import plan
from srhm.training.protocol import Engine, TrainingPlan, train
from srhm.training.trainers import HIERARCHY

if TYPE_CHECKING:
    import pandas as pd

Curve = Mapping[str, Any]
TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
# Of P*, besides its curve and its law.
NUMBERS = ("threshold", "P_star", "P_star_low", "P_star_high", "log_sd", "log_se", "dof")
COMPLEXITIES = Derived(
    "sample_complexity", ".analysis:sample_complexities", ".configuration:SAMPLE_COMPLEXITY",
    uses=("cells",), settings=("threshold",),
)  # fmt: skip


def hierarchy_study(
    name: str, title: str, *, package: str | None, measurements: Sequence[CurveMeasurement] = (),
    complexities: bool = True, tables: Sequence[Derived] = (), **more: Any,
) -> Study:  # fmt: skip
    """A study of LCN, CNN and nets like these, whose section is a `HierarchySection`.

    complexities: whether it has a table of P*, besides `tables`. more: as in `Study`.
    """
    stars = Derived(
        "sample_complexity", "srhm.statistics.exponents_of_grammars:complexities",
        "SAMPLE_COMPLEXITY", ("cells",), settings=("thresholds",),
    )  # fmt: skip
    return Study(
        name=name, title=title, package=package, config=HierarchySection,
        plan=partial(plan, measured=tuple(measurement.name for measurement in measurements)),
        trainer=HIERARCHY, measurements=measurements,
        tables=(stars, *tables) if complexities else tables, claims=".claims", priority=-10, **more,
    )  # fmt: skip


class GrammarKeys(Keys):
    """Grammars of a group of curves."""

    L: Sizes = Field([2], description="depth of the hierarchy")
    s: Sizes = Field([2], description="branching")
    s0: Counts = Field(description="empty places for each informative one")
    v: Sizes = Field(description="features")
    n_c: Sizes | None = Field(None, description="classes; absent: v")
    m: Sizes | None = Field(None, description="synonyms; absent: v^(s-1)")


def sizes_over(law: str) -> Any:
    """Key `P_over_law` of a group; law: that the sizes are over, in words."""
    words = "those that leave no test set are left out"
    return Field(description=f"sizes of the training set, over {law}; {words}")


SEEDS = "seeds 0, 1, ...: grammars, data, initial weights"


class CurvesKeys(GrammarKeys):
    """Learning curves: a curve for each combination of the lists."""

    P_over_law: Scales = sizes_over("the predicted P*")
    seeds: Seeds = Field(4, description=SEEDS)


def complexities(columns: Mapping[str, type], **more: type) -> pa.Schema:
    """Schema of P* of curves with these coordinates, and their `law`; more: further columns."""
    kinds = {"curve": str, **columns, "criterion": str, "status": str,
             **dict.fromkeys((*NUMBERS, "law"), float),
             **dict.fromkeys(("n_seeds", "n_seeds_reached", "n_cells"), int),
             "log_sd_pooled": bool, "small_pool": bool, **more}  # fmt: skip
    return pa.schema([(name, TYPES[kind]) for name, kind in kinds.items()])


@dataclass(frozen=True, kw_only=True)
class Learner:
    """What learns the curves of a study.

    function: of a cell. law: the P* that is predicted of a curve. factors: their types. given: of
    what all cells have, besides P, width, n_test and max_steps; measured: of a cell, besides steps,
    train_loss and test_error.
    """

    function: str
    law: Callable[[Curve], float]
    factors: Mapping[str, type] = field(default_factory=dict)
    given: Mapping[str, type] = field(default_factory=dict)
    measured: Mapping[str, type] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, type]:
        """Coordinates of a curve, with their types."""
        return {"net": str, **dict.fromkeys(GRAMMAR, int), **self.factors}

    @property
    def curve(self) -> list[str]:
        """Coordinates of a curve."""
        return list(self.columns)

    @property
    def cells(self) -> pa.Schema:
        """Of the cells."""
        sizes = dict.fromkeys(("P", "width", "n_test", "max_steps"), int)
        ends = {"steps": int, "train_loss": float, "test_error": float}
        return schema({**self.columns, **sizes, **self.given, **ends, **self.measured})

    def families(
        self, groups: Iterable[CurvesKeys], names: Sequence[str], label: Callable[[Curve], str],
        given: Callable[[Any, Curve], Curve], *,
        largest: Callable[[Curve], int] = lambda curve: largest_training_set(parameters_of(curve)),
        function: Callable[[Curve], str] | None = None,
    ) -> Iterator[CurveCells]:  # fmt: skip
        """The cells of all groups, a job for each label.

        names: of its coordinates, in the order of the combinations; what a group lacks is left out.
        given: other coordinates of a curve. largest: training set; it may raise GrammarError.
        function: of the cells of a curve, in place of the learner's.

        Raises:
            ConfigError: naming the group, the key and what is allowed.
        """
        jobs: dict[str, list[dict[str, Any]]] = {}
        for number, group in enumerate(groups):
            keys = [key for key in names if key in GRAMMAR or getattr(group, key) is not None]
            for curve in combinations(group, *keys):
                try:
                    most = largest(curve)
                except GrammarError as error:
                    raise ConfigError(f"  curves.{number}: {error}") from error
                sizes = sorted({max(1, round(self.law(curve) * x)) for x in group.P_over_law})
                jobs.setdefault(label(curve), []).extend(
                    {**curve, **given(group, curve), "P": P, "seed": seed}
                    for P in sizes if most >= P for seed in range(group.seeds)
                )  # fmt: skip
        for name, cells in jobs.items():
            if cells:
                run = function(cells[0]) if function else self.function
                yield CurveCells(name=name, function=run, cells=cells, long=False)

    def sample_complexities(
        self, cells: "pd.DataFrame", *, threshold: float, criteria: Sequence[str] = ("test_error",)
    ) -> "pd.DataFrame":
        """See `complexities_of`; deviations are pooled over curves of one net, L and factors."""
        # D of s_0 = 0 is of a displacement that can change nothing.
        values = {name: cells[name][cells["s0"] > 0] if name.startswith("D_") else cells[name]
                  for name in criteria}  # fmt: skip
        return complexities_of(
            cells, self.curve, values, thresholds={"test_error": [threshold]},
            pooled_over=("net", "L", *self.factors), law=self.law,
        )  # fmt: skip

    def of_seeds(
        self, cells: "pd.DataFrame", *, threshold: Callable[[Curve], float] | float,
        criterion: str = "test_error", by: Sequence[str] = (), at_star: Sequence[str] = (),
    ) -> "pd.DataFrame":  # fmt: skip
        """P* of each curve and seed with its status; of a censored one its bound.

        by: columns in which the cells of a curve agree; empty: its coordinates. per_place: s_0 + 1.
        capped: cells that did not fit. at_star: columns that are read at P*, their logarithms
        linear in log P.
        """
        import numpy as np
        import pandas as pd

        from srhm.statistics.sample_complexity import crossing

        rows, by = [], [*(by or self.curve), "seed"]
        known = cells[np.isfinite(cells[criterion].astype(float))].sort_values("P")
        for values, curve in known.groupby(by):
            row = dict(zip(by, values, strict=True))
            at = threshold(row) if callable(threshold) else threshold
            sizes, seen = (curve[name].to_numpy(dtype=float) for name in ("P", criterion))
            star = crossing(sizes, seen, at)
            for name in at_star:
                felt = curve[name].to_numpy(dtype=float)
                there = star.status == "reached" and bool((felt > 0).all())
                read = np.interp(star.log_size, np.log(sizes), np.log(felt)) if there else np.nan
                row[name] = float(np.exp(read))
            capped = int((curve["status"] == "capped").sum())
            rows.append({**row, "P_star": star.size, "status": star.status, "capped": capped})
        table = pd.DataFrame(rows, columns=[*by, *at_star, "P_star", "status", "capped"])
        return table.assign(per_place=table["s0"] + 1)


def complexities_of(
    cells: "pd.DataFrame", curve: Sequence[str], values: Mapping[str, "pd.Series[Any]"], *,
    thresholds: Mapping[str, Sequence[float]], pooled_over: Sequence[str],
    law: Callable[[Curve], float],
) -> "pd.DataFrame":  # fmt: skip
    """P* of each curve, by the rule of `srhm.statistics.sample_complexity`, and its `law`.

    curve: coordinates in which its cells agree. values: of each criterion, of all cells or of some.
    """
    import pandas as pd

    from srhm.statistics.sample_complexity import sample_complexity

    rows = cells[[*curve, "P", "seed"]].assign(curve=curve_names(cells, curve), sparsity="A")
    parts = [rows.loc[y.index].assign(criterion=name, value=y) for name, y in values.items()]
    stars = sample_complexity(
        pd.concat(parts, ignore_index=True),
        thresholds=thresholds,
        columns=("curve", *(name for name in curve if name not in GRAMMAR), *DATA_MODEL),
        pooled_over=pooled_over,
    )
    return stars.assign(law=laws_of(stars, curve, law))


def curve_names(cells: "pd.DataFrame", curve: Sequence[str]) -> "pd.Series[str]":
    """The curve of each cell. A file of rows, elsewhere a "curve", has several."""
    import pandas as pd

    rows = zip(*(cells[name].tolist() for name in curve), strict=True)
    return pd.Series([" ".join(map(str, row)) for row in rows], index=cells.index, dtype="str")


def laws_of(
    rows: "pd.DataFrame", curve: Sequence[str], law: Callable[[Curve], float]
) -> "pd.Series[float]":
    """What a law predicts of each row."""
    import pandas as pd

    columns = zip(*(rows[name].tolist() for name in curve), strict=True)
    predictions = [law(dict(zip(curve, coordinates, strict=True))) for coordinates in columns]
    return pd.Series(predictions, index=rows.index, dtype=float)


def differing(
    rows: "pd.DataFrame", column: str, curve: Sequence[str], *, along: Sequence[str] = ()
) -> "pd.DataFrame":
    """Rows of curves of which at least two differ in this column alone, and in those `along`."""
    if rows.empty:
        return rows
    rest = [name for name in curve if name not in (column, *along)]
    more = [name for name in ("criterion", "seed") if name in rows]
    return rows[rows.groupby([*rest, *more])[column].transform("nunique") > 1]


def powers_of_places(stars: "pd.DataFrame", *by: str) -> "pd.DataFrame":
    """Slope of log P* against log (s_0+1), s_0 > 0, of each grammar without a censored P*."""
    from srhm.statistics.exponents_of_grammars import OF_GRAMMAR, powers

    rows = stars[stars["s0"] > 0]
    rows = rows.assign(P_star=rows["P_star"].where(rows["status"] == "reached"))
    return powers(rows, "P_star", by=[*by, *OF_GRAMMAR])


def uncensored(rows: "pd.DataFrame") -> "pd.DataFrame":
    """P* of `of_seeds`; those that are censored are left out, and say why."""
    from srhm.scorecard.rows import left_out

    words = {
        "not_reached": "with P* above the measured range",
        "below_range": "with P* below the measured range",
    }
    return left_out(rows, {said: rows["status"] == name for name, said in words.items()})


def data_of(cell: Mapping[str, Any], grammar: Grammar) -> tuple[Derivations, Derivations]:
    """Training and test data, all distinct: P of the one, and at most n_test of the other.

    Raises:
        SampleError: if there are not as many distinct data.
    """
    seed, P = cell["seed"], cell["P"]
    return draw_sample(
        grammar,
        n_train=P,
        n_test=n_test_points(grammar.parameters, n_train=P, n_test=cell["n_test"]),
        train_generator=generator(seed, role="train"),
        test_generator=generator(seed, role="test"),
    )


def trained(
    cell: Mapping[str, Any], engine: Engine, training: Derivations, *, batch: int, stop: float
) -> dict[str, Any]:
    """Trains until the mean loss of an epoch is at most `stop`: steps, loss, test error, status."""
    outcome = train(
        engine,
        training.labels,
        TrainingPlan(
            batch="shuffled", batch_size=batch, loss_threshold=stop, max_steps=cell["max_steps"],
            n_checks=0,
        ),
        n_classes=cell["n_c"],
        generator=generator(cell["seed"], role="order"),
    )  # fmt: skip
    return {
        name: getattr(outcome, name) for name in ("steps", "train_loss", "test_error", "status")
    }
