"""Refusals of a configuration: the place of each key, its value, and what is allowed there."""

from typing import Any

import pytest
from pydantic import Field, ValidationError, model_validator

from srhm.declare.keys import Keys, Sizes, models_in, refusals
from srhm.planning.preset import ConfigError, Preset, json_schema, plan_preset


class Inner(Keys):
    """A part of a part."""

    x: int = 1
    sizes: Sizes = Field([1])


class Other(Keys):
    """Another part."""

    y: int = 1


class Group(Keys):
    """An element of a list."""

    inner: Inner = Inner()
    window: Inner | list[int] = Field([1])
    name: str

    @model_validator(mode="after")
    def _short(self) -> "Group":
        if len(self.name) > 3:
            raise ValueError(f"name = {self.name}: allowed are 3 letters")
        return self


class Whole(Keys):
    """The whole."""

    other: Other | None = None
    groups: list[Group] = Field([])


def lines(value: dict[str, Any], **options: str) -> list[str]:
    """What is said of a configuration that is refused."""
    with pytest.raises(ValidationError) as refused:
        Whole.model_validate(value)
    return refusals(refused.value, Whole, **options).splitlines()


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"a": 1}, "  a: unknown key; allowed are other, groups"),
        ({"other": {"x": 1}}, "  other.x: unknown key; allowed are y"),
        (
            {"groups": [{"name": "a"}, {"name": "b", "x": 1}]},
            "  groups.1.x: unknown key; allowed are inner, window, name",
        ),
        (
            {"groups": [{"name": "a", "inner": {"y": 1}}]},
            "  groups.0.inner.y: unknown key; allowed are x, sizes",
        ),
        ({"groups": [{}]}, "  groups.0.name: Field required"),
        (
            {"groups": [{"name": "long"}]},
            "  groups.0: name = long: allowed are 3 letters",
        ),
        (
            {"groups": [{"name": "a", "inner": {"sizes": [2, 0]}}]},
            "  groups.0.inner.sizes.1: 0 is not allowed: Input should be greater than or equal to"
            " 1",
        ),
        (
            {"groups": [{"name": "a", "inner": {"sizes": []}}]},
            "  groups.0.inner.sizes: [] is not allowed: Value should have at least 1 item after"
            " validation, not 0",
        ),
    ],
)
def test_a_refusal_is_a_line_with_place_value_and_what_is_allowed(value, line):
    assert lines(value) == [line]


def numeric(schema: Any, kinds: dict[str, Any]) -> bool:
    """Whether the schema of a key allows a number, by itself or in a list."""
    if "$ref" in schema:  # a part with keys of its own
        return False
    parts = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), schema.get("items", {})]
    literal = any(
        isinstance(value, int) for value in [*schema.get("enum", ()), schema.get("const")]
    )
    return (
        schema.get("type") in kinds or literal or any(numeric(one, kinds) for one in parts if one)
    )


def test_no_numeric_key_of_any_study_takes_yes_or_no():
    kinds = {"integer": int, "number": float}
    models = {}
    for _, model in models_in(Preset):  # two of one name have their module in the schema
        whole = f"{model.__module__}.{model.__name__}".replace(".", "__")
        models |= {model.__name__: model, whole: model}
    n_keys = 0
    for name, part in [("Preset", json_schema()), *json_schema()["$defs"].items()]:
        for key, schema in part.get("properties", {}).items():
            if not numeric(schema, kinds):
                continue
            n_keys += 1
            for value in (True, False, [True], [0.5, False]):
                with pytest.raises(ValidationError) as refused:
                    models[name].model_validate({key: value})
                said = [one for one in refused.value.errors() if one["loc"] == (key,)]
                assert [one["msg"] for one in said] == ["Value error, a number is needed"], (
                    name,
                    key,
                )
    assert n_keys > 250


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"P": [10**9]}, "P = 1000000000 and n_test = 500 of sphere: together they are at most"),
        ({"seeds": 10**8}, "seeds: 100000000 is not allowed: .*less than or equal to 1000"),
        (
            {"N_over_P": [1e308]},
            r"N_over_P.*1e\+308 is not allowed: .*less than or equal to 10{15}",
        ),
    ],
)
def test_numbers_beyond_all_bounds_are_refused_with_their_bound(keys, line):
    curve = {"data": ["sphere"], "P": [20], "N_over_P": [1], **keys}
    with pytest.raises(ConfigError, match=line):
        plan_preset({"preset": "tiny", "random_features": {"curves": [curve]}})


def test_a_branching_that_no_grammar_has_is_refused_at_once():
    curve = {"net": "lcn", "L": 2, "s": 10**8, "v": 3, "s0": 1, "P": [30]}
    with pytest.raises(ConfigError, match="s = 100000000: allowed are 2 to 16"):
        plan_preset({"preset": "tiny", "sparse_hierarchy": {"seeds": 1, "curves": [curve]}})
