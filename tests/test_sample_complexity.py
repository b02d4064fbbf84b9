"""P* of synthetic learning curves whose answer is known."""

from math import exp, inf, log, nan

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tables import grammar

from srhm.statistics.sample_complexity import (
    CURVE_COLUMNS,
    all_sample_complexities,
    crossing,
    is_dead,
    lasting_crossing,
    mean_of_seeds,
    sample_complexity,
    seed_complexities,
)

# Two values by different floating-point routes; no statistics in it.
EXACT = 1e-12


def lasting(sizes, values, threshold=0.1, rule=lasting_crossing):
    return rule(np.array(sizes, float), np.array(values, float), threshold)


def of_root(sizes, values, threshold=0.1):
    return lasting(sizes, values, threshold, rule=crossing)


def curve(values, *, sizes=(10, 100, 1000), name="a", criterion="test_error", **coordinates):
    """Long table of one curve; values of shape (n_sizes, n_seeds)."""
    coordinates = {"curve": name, **grammar("lcn", 2, 10, 4), **coordinates}
    assert set(coordinates) == set(CURVE_COLUMNS)
    rows = [
        {**coordinates, "criterion": criterion, "P": P, "seed": seed, "value": value}
        for P, at_size in zip(sizes, np.atleast_2d(np.array(values, float).T).T, strict=True)
        for seed, value in enumerate(at_size)
    ]
    return pd.DataFrame(rows)


def P_star_of(*curves, thresholds=(0.1,)):
    values = pd.concat(curves, ignore_index=True)
    return sample_complexity(values, thresholds={"test_error": thresholds})


def shifted(log_P_star, *, name="a", **coordinates):
    """Curves whose root is linear in log P and reaches that of 0.1 at each seed's log P*."""
    sizes = np.exp(np.mean(log_P_star) + np.linspace(-2, 2, 6))
    roots = 0.1**0.5 - 0.1 * (np.log(sizes)[:, None] - np.array(log_P_star)[None, :])
    values = np.square(np.maximum(roots, 0))
    return curve(values, sizes=sizes, name=name, **coordinates)


class TestCrossing:
    def test_linear_in_the_error_against_log_P(self):
        found = lasting([100, 10_000], [0.3, 0.0], 0.1)
        assert found.status == "reached"
        assert found.log_size == pytest.approx(log(100) + 2 / 3 * log(100), rel=EXACT)
        assert (found.low, found.high) == (100, 10_000)

    def test_curve_that_dips_and_comes_back_counts_from_the_last_crossing(self):
        found = lasting([1, 10, 100, 1000], [0.5, 0.05, 0.2, 0.0])
        assert found.log_size == pytest.approx(log(100) + log(10) / 2, rel=EXACT)

    def test_above_at_the_largest_P_is_not_reached_even_after_a_dip(self):
        found = lasting([10, 20, 40], [0.5, 0.05, 0.11])
        assert (found.status, found.low, found.high) == ("not_reached", 40, inf)
        assert np.isnan(found.log_size)

    def test_grid_that_starts_just_below_is_below_range(self):
        found = lasting([10, 20, 40], [0.0999, 0.05, 0.0])
        assert (found.status, found.low, found.high) == ("below_range", 0, 10)
        assert lasting([10, 20, 40], [0.1001, 0.05, 0.0]).status == "reached"


class TestRoot:
    def test_linear_in_the_root_of_the_error_against_log_P(self):
        found = of_root([100, 10_000], [0.4, 0.0])
        assert found.log_size == pytest.approx(log(100) + log(100) / 2, rel=EXACT)
        assert lasting([100, 10_000], [0.4, 0.0]).log_size > found.log_size

    @pytest.mark.parametrize("step", [1.2, 1.6, 2.0])
    def test_of_a_curve_like_those_measured_it_is_nearer_to_the_truth(self, step):
        # An error that falls as exp(-(P/P*)) to 0.1 at P = 1000, from many grids.
        offsets = [
            (rule(sizes, np.minimum(0.75, 0.1 ** (sizes / 1000)), 0.1).log_size - log(1000)) ** 2
            for start in np.linspace(100, 100 * step, 20)
            for sizes in [start * step ** np.arange(40.0)]
            for rule in (lasting_crossing, crossing)
        ]
        linear, root = np.sqrt([np.mean(offsets[::2]), np.mean(offsets[1::2])])
        assert root < 0.5 * linear


class TestSeeds:
    @staticmethod
    def of(*curves):
        return mean_of_seeds([of_root([10, 100, 1000], one) for one in curves])

    def test_the_mean_of_their_logarithms(self):
        found = self.of([0.4, 0.0, 0.0], [0.5, 0.4, 0.0])
        assert found.log_size == pytest.approx(log(100), rel=EXACT)
        assert (found.status, found.low, found.high) == ("reached", 10, 1000)

    def test_a_censored_seed_moves_it_beyond_the_mean_with_its_bound(self):
        known = [[0.4, 0.0, 0.0], [0.5, 0.4, 0.0]]
        above, below = [0.5, 0.4, 0.3], [0.1, 0.0, 0.0]
        mean = np.mean([log(10) * size for size in (1.5, 2.5, 3)])
        assert self.of(*known, above).log_size > mean
        mean = np.mean([log(10) * size for size in (1.5, 2.5, 1)])
        assert self.of(*known, below).log_size < mean

    def test_half_of_them_censored_it_is_censored_and_its_bound_is_the_mean_with_theirs(self):
        known, above, below = [0.4, 0.0, 0.0], [0.5, 0.4, 0.3], [0.1, 0.0, 0.0]
        found = self.of(known, above)
        assert (found.status, found.high) == ("not_reached", inf)
        assert found.low == pytest.approx(10**2.25, rel=EXACT)
        found = self.of(known, below)
        assert (found.status, found.low) == ("below_range", 0)
        assert found.high == pytest.approx(10**1.25, rel=EXACT)
        assert self.of(above, below).low == 0
        assert self.of(above, above, below).status == "not_reached"


class TestTable:
    def test_censored_rows_give_the_known_bound_of_P_star(self):
        table = P_star_of(
            curve([0.5, 0.4, 0.3], name="high"),
            curve([0.1, 0.05, 0.0], name="low"),
            curve([nan, nan, nan], name="diverged"),
        ).set_index("curve")
        assert table["status"].to_dict() == {
            "high": "not_reached",
            "low": "below_range",
            "diverged": "not_reached",
        }
        assert table["P_star"].isna().all()
        bounds = table[["P_star_low", "P_star_high"]]
        assert bounds.loc["high"].tolist() == pytest.approx([1000, inf], rel=EXACT)
        assert bounds.loc["low"].tolist() == pytest.approx([0, 10], rel=EXACT)
        assert table.loc["diverged", ["P_star_low", "P_star_high"]].tolist() == [0, inf]
        assert table["n_seeds"].to_dict() == {"high": 1, "low": 1, "diverged": 0}
        assert table["log_se"].isna().all()

    def test_standard_deviation_is_pooled_over_the_curves_of_a_net_and_depth(self):
        table = P_star_of(
            shifted([5.0, 5.2], name="a"),
            shifted([6.0, 6.3, 6.6], name="b"),
            shifted([5.0, 5.9], name="other depth", L=3),
            shifted([5.0, 5.8], name="other net", net="cnn"),
        ).set_index("curve")
        # Sums of squares 0.02 and 0.18 with 1 and 2 degrees of freedom.
        sd = (0.20 / 3) ** 0.5
        for name, centre, n in (("a", 5.1, 2), ("b", 6.3, 3)):
            row = table.loc[name]
            assert row["log_sd"] == pytest.approx(sd, rel=1e-9)
            assert (row["dof"], row["log_sd_pooled"]) == (3, True)
            assert row["log_se"] == pytest.approx(sd / n**0.5, rel=1e-9)
            half_width = 3.182446305284263 * sd / n**0.5  # t(0.975, 3)
            assert row["P_star_low"] == pytest.approx(exp(centre - half_width), rel=1e-9)
            assert row["P_star_high"] == pytest.approx(exp(centre + half_width), rel=1e-9)
        assert table.loc["other depth", "dof"] == 1
        assert table.loc["other net", "log_sd"] == pytest.approx(0.8 / 2**0.5, rel=1e-9)

    def test_censored_seeds_and_censored_curves_are_not_in_the_pool(self):
        table = P_star_of(
            curve([[0.4, 0.5, 0.5], [0.0, 0.1, 0.5], [0.0, 0.0, 0.2]], name="a"),
            curve([[0.5, 0.5, 0.5], [0.1, 0.9, 0.9], [0.0, 0.9, 0.9]], name="censored"),
        ).set_index("curve")
        assert table["status"].to_dict() == {"a": "reached", "censored": "not_reached"}
        assert table["n_seeds"].tolist() == [3, 3]
        assert table["n_seeds_reached"].tolist() == [2, 1]
        own = log(10) * np.array([1.5, 2.0])
        assert table.loc["a", "dof"] == 1
        assert table.loc["a", "log_sd"] == pytest.approx(np.std(own, ddof=1), rel=EXACT)
        assert table.loc["a", "log_se"] == pytest.approx(np.std(own), rel=EXACT)

    def test_intervals_of_three_seeds_cover_as_often_as_they_say(self):
        # 1000 independent pools of 4 curves; one interval of each. Coverage 0.95 exactly, since
        # these curves are straight; false alarm 1e-3.
        n_pools, rng = 1000, np.random.default_rng(20240)
        sizes = np.exp(np.linspace(3, 7, 4))
        log_P_star = 5 + 0.2 * rng.standard_normal((n_pools, 4, 1, 3))
        values = np.square(0.1**0.5 - 0.1 * (np.log(sizes)[:, None] - log_P_star))
        index = np.indices(values.shape).reshape(4, -1)
        frame = curve([[0.0]], sizes=[1]).drop(columns=["curve", "net", "P", "seed", "value"])
        frame = frame.loc[frame.index.repeat(values.size)].reset_index(drop=True)
        names = np.array([f"{pool}-{one}" for pool in range(n_pools) for one in range(4)])
        frame = frame.assign(
            curve=names[4 * index[0] + index[1]],
            net=np.array([f"net {pool}" for pool in range(n_pools)])[index[0]],
            P=sizes[index[2]],
            seed=index[3],
            value=values.ravel(),
        )
        table = P_star_of(frame)
        assert (table["dof"] == 8).all()
        first = table[table["curve"].str.endswith("-0")]
        covered = int((first["P_star_low"] < exp(5)).mul(first["P_star_high"] > exp(5)).sum())
        few, many = stats.binom.ppf([5e-4, 1 - 5e-4], n_pools, 0.95)
        assert few <= covered <= many


def test_seeds_have_a_sample_complexity_each():
    cells = curve([[0.5, 0.5], [0.1, 0.2], [0.0, 0.3]]).rename(columns={"value": "test_error"})
    cells = cells.assign(status="fitted", train_loss=1e-3)
    found = seed_complexities(cells, threshold=0.1)
    assert found.loc["a", 0] == pytest.approx(np.log(cells["P"].unique()[1]))
    assert np.isnan(found.loc["a", 1])
    assert seed_complexities(cells[:0], threshold=0.1).empty


def test_dead_networks_bracket_nothing():
    # n_c = 10: two seeds learn the task at P = 100, the second is dead at 10 and at 1000.
    cells = curve(
        [[0.5, 0.9], [0.05, 0.05], [0.0, 0.95], [0.0, 0.0]], sizes=(10, 100, 1000, 10_000)
    )
    cells = cells.rename(columns={"value": "test_error"})
    cells = cells.assign(
        best_test_error=cells["test_error"], status="fitted", train_loss=1e-3, n_distinct=1e9
    )
    dead = (cells["seed"] == 1) & cells["P"].isin((10, 1000))
    cells.loc[dead, ["status", "train_loss"]] = ["capped", 0.95 * np.log(10)]
    assert is_dead(cells).tolist() == dead.tolist()
    # Of outputs that tie on more than half of the points more than 0.95 err, whatever the loss.
    tied = cells.assign(train_loss=1e-3, test_error=cells["test_error"].mask(dead, 0.951))
    assert is_dead(tied).tolist() == dead.tolist()
    assert not is_dead(tied.assign(test_error=0.949)).any()

    def p_star(cells):
        seen = cells.assign(kind="S", variant="text", layer="2", k=2, l=1, n=100, value=0.05)
        seen["value"] = seen["value"].where(seen["P"] > 10, 0.9).where(~dead, 0.9)
        table = all_sample_complexities(cells, seen, thresholds=[0.1])
        return table.set_index("criterion")

    with_it, without = p_star(cells), p_star(cells[~dead])
    for criterion in ("test_error", "S_2"):
        row = with_it.loc[criterion]
        assert row["P_star_high"] == without.loc[criterion, "P_star_high"]
        # What the dead bracket from below is censored, and so is half of this curve.
        assert row["status"] == "below_range"
        assert (row["n_diverged"], row["n_capped"], row["n_cells"]) == (2, 2, 8)
    assert with_it.loc["best_test_error", "n_diverged"] == 0
    # One that is alive, but did not fit, counts with the error that it has.
    half = cells.assign(
        train_loss=cells["train_loss"].where(~dead, 0.5 * np.log(10)),
        test_error=cells["test_error"].where(~dead, 0.9),
    )
    assert np.isnan(seed_complexities(cells, threshold=0.1).loc["a", 1])
    assert seed_complexities(half, threshold=0.1).loc["a", 1] > np.log(1000)


def test_a_curve_of_two_widths_and_two_values_of_a_seed_are_named():
    rows = curve([[0.5], [0.3], [0.05]])
    with pytest.raises(ValueError, match="curve 'a': width must not vary along a curve"):
        sample_complexity(
            pd.concat([rows, rows.assign(width=65)]), thresholds={"test_error": [0.1]}
        )
    with pytest.raises(ValueError, match="curve 'a', test_error: two values for P = 10 and seed 0"):
        sample_complexity(pd.concat([rows, rows]), thresholds={"test_error": [0.1]})
