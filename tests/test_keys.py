"""Refusals of a configuration: the place of each key, its value, and what is allowed there."""

from typing import Any

import pytest
from pydantic import ValidationError

from srhm.declare.keys import models_in
from srhm.planning.preset import ConfigError, Preset, plan_preset


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
    schema = Preset.model_json_schema()
    for name, part in [("Preset", schema), *schema["$defs"].items()]:
        for key, allowed in part.get("properties", {}).items():
            if not numeric(allowed, kinds):
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
