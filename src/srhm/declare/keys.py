"""Types of keys that sections of a configuration share, and what a refused key is told.

Imports neither torch nor numba.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
)


class _Listed(BeforeValidator):
    """Of one value or a list of them, a list."""

    def __get_pydantic_json_schema__(self, core: Any, handler: GetJsonSchemaHandler) -> dict:
        """Both, as a configuration may have both."""
        several = handler(core)
        return {"anyOf": [several["items"], several]}


OneOrMore = _Listed(lambda value: value if isinstance(value, list) else [value])
PositiveInt = Annotated[int, Field(ge=1, strict=True)]
# Products of what sections have of these are finite.
Positive = Annotated[float, Field(gt=0, le=1e30, allow_inf_nan=False)]
# In a configuration one value, or a list of them; in the model always a list.
Sizes = Annotated[list[PositiveInt], OneOrMore, Field(min_length=1)]
Counts = Annotated[list[Annotated[int, Field(ge=0, strict=True)]], OneOrMore, Field(min_length=1)]
Scales = Annotated[list[Positive], OneOrMore, Field(min_length=1)]


# What a key holds that takes a mapping or a list: a refusal is told of the one that was meant.
MAPPING, LIST = "a mapping", "a list"


def kind_of(value: Any) -> str:
    """Which of both a value is meant to be."""
    return MAPPING if isinstance(value, dict | BaseModel) else LIST


class Keys(BaseModel):
    """A part of a configuration. It refuses keys that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_for_a_number(cls, value: Any, about: ValidationInfo) -> Any:
        """`seeds: yes` would be 1, and `learning_rate: [on, 0.1]` a rate of 1."""
        kinds = list(_kinds(cls.model_fields[about.field_name or ""].annotation))
        numbers = any(kind in (int, float) or type(kind) is int for kind in kinds)
        if numbers and bool not in kinds and _has_truth(value):
            raise ValueError("a number is needed")
        return value


def _has_truth(value: Any) -> bool:
    """Whether a value is yes or no, or a list that holds one."""
    return isinstance(value, bool) or (
        isinstance(value, list | tuple) and any(map(_has_truth, value))
    )


def _kinds(annotation: Any) -> Iterator[Any]:
    """An annotation, what it is made of, and the values of a literal."""
    yield annotation
    for part in get_args(annotation):
        yield from _kinds(part)


def refusals(error: ValidationError, model: type[BaseModel], *, where: str = "") -> str:
    """A line for each key that pydantic refuses: its place, its value, what is allowed.

    where: place of the model in the configuration, "curves.0" say.
    """
    lines = []
    for detail in error.errors():
        place = [str(part) for part in detail["loc"] if part not in (MAPPING, LIST)]
        key = ".".join([*filter(None, [where]), *place])
        message = detail["msg"].removeprefix("Value error, ")
        if detail["type"] == "extra_forbidden":
            holder = model  # of the last key of the place
            for part in detail["loc"][:-1]:
                if isinstance(part, str) and part in holder.model_fields:
                    holder = next(iter(_models_of(holder.model_fields[part].annotation)), holder)
            message = f"unknown key; allowed are {', '.join(holder.model_fields)}"
        elif detail["type"] != "missing" and not isinstance(detail["input"], dict):
            message = f"{detail['input']!r} is not allowed: {message}"
        lines.append(f"  {key or 'configuration'}: {message}")
    return "\n".join(lines)


def _models_of(annotation: Any) -> list[type[BaseModel]]:
    """The models within an annotation: of a list, of a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_of(part)]


def models_in(model: type[BaseModel], *, prefix: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """A model and all models below it, each with its place in the configuration ("images.")."""
    yield prefix, model
    for name, field in model.model_fields.items():
        for submodel in _models_of(field.annotation):
            yield from models_in(submodel, prefix=f"{prefix}{name}.")


T = TypeVar("T")
# In a configuration one value, or a list of them; in the model always a list.
Several = Annotated[list[T], OneOrMore, Field(min_length=1)]
Seeds = Annotated[int, Field(ge=1, le=1000, strict=True)]

# Of a name that the section leaves out: its value, from the names before it.
Absent = Mapping[str, Callable[[Mapping[str, Any]], Any]]
# Classes and synonyms of a grammar.
# More synonyms than of s = 17 no grammar has: it refuses s, whatever the power.
GRAMMAR: Absent = {
    "n_c": lambda cell: cell["v"],
    "m": lambda cell: cell["v"] ** min(cell["s"] - 1, 16),
}


def combinations(
    section: Iterable[tuple[str, Any]] | Mapping[str, Any],
    *names: str,
    absent: Absent = GRAMMAR,
    **given: Any,
) -> Iterator[dict[str, Any]]:
    """A dictionary for each combination of the values of these keys; the last name runs fastest.

    A list stands for its values in turn, all else for itself. "seed" stands for 0, 1, ... below the
    key `seeds`; "size=M" for the key M under another name.

    section: a model, or its values by key. names: none: all keys of the section in their order, the
    seeds last. absent: makes the value of a key that is None from the names before it; at first,
    classes and synonyms of a grammar. given: values in place of the section's, or besides.
    """
    keys = dict(section)
    if not names:
        names = tuple(key for key in keys if key != "seeds")
        names += ("seed",) if "seeds" in keys else ()
    cells = [{key: value for key, value in given.items() if key not in names}]
    for name in names:
        cells = [
            {**cell, name.partition("=")[0]: value}
            for cell in cells
            for value in _values({**keys, **given}, name, cell, absent)
        ]
    yield from cells


def _values(
    keys: Mapping[str, Any], name: str, cell: Mapping[str, Any], absent: Absent
) -> list[Any]:
    name, _, key = name.partition("=")
    if name == "seed" and name not in keys:
        return list(range(keys["seeds"]))
    value = keys[key or name]
    if value is None and name in absent:
        return [absent[name](cell)]
    return list(value) if isinstance(value, list) else [value]
