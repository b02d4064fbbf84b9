"""Faults of a configuration: refused in a sentence, before anything starts.

`srhm status` reads a preset as every command does (`presets.run_of`); so these start no Snakemake.
"""

import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from typing import Any

import yaml

from faults.files import failing
from faults.kinds import EXPERIMENTS, GRADIENT_FLOW, MAIN, MEMORY, ON_IMAGES
from faults.scene import Defect, Scene
from faults.table import NOTHING, Fault, Make
from srhm.commands import status

# The configuration of the paper's study as a user writes it.
TEXT = yaml.safe_dump(MAIN.config, sort_keys=False)
BOMB = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(9)
)


def answered(scene: Scene) -> tuple[int, str]:
    """What a command says about the configuration: its exit code and its words."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = status.main(["--configfile", str(scene.file), "--directory", str(scene.folder)])
    return code, said.getvalue()


def refused(write: Callable[[Scene], None]) -> Make:
    """A configuration that must be refused."""

    def make(scene: Scene) -> str:
        write(scene)
        code, text = answered(scene)
        if code != 2 or (scene.folder / "results").exists():
            raise Defect(f"the configuration is not refused:\n{text}")
        return text

    return make


def text_of(text: str | bytes) -> Callable[[Scene], None]:
    """A file of this text."""
    content = text.encode() if isinstance(text, str) else text
    return lambda scene: scene.file.write_bytes(content) and None


def edited(old: str, new: str) -> Callable[[Scene], None]:
    """The paper's study with one text in place of another.

    Raises:
        ValueError: if that text does not stand there.
    """
    if old not in TEXT:
        raise ValueError(f"{old!r} is not in the configuration")
    return text_of(TEXT.replace(old, new, 1))


def changed(config: Mapping[str, Any], *path: str | int, value: object) -> Callable[[Scene], None]:
    """A configuration with another value at a place, there or not."""
    made: Any = deepcopy(dict(config))
    place = made
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return text_of(yaml.safe_dump(made, sort_keys=False))


def a_folder(scene: Scene) -> None:
    """A folder where the configuration is to be."""
    scene.file.unlink()
    scene.file.mkdir()


def damaged_image(scene: Scene) -> str:
    """A byte of the images is another one than their sums say, or what it was."""
    file = sorted((scene.folder / "invented").glob("*.bin"))[0]
    content = bytearray(file.read_bytes())
    content[100] ^= 1
    file.write_bytes(content)
    return ""


def accepted_with_braces(scene: Scene) -> str:
    """A description with braces, quotes and Greek letters is no fault."""
    scene.configure({**MAIN.config, "description": "{curve} of α and {input}: '\"$HOME"})
    return ""


MAIN_CURVE = ("sparse_hierarchy", "curves", 0)
CASES: dict[str, tuple[str, Callable[[Scene], None], str]] = {
    "unknown_key": ("unknown key", edited("seeds: 2", "sedes: 2"), "sedes.*unknown key"),
    "out_of_range": ("value out of range", edited("seeds: 2", "seeds: 0"), "seeds.*0"),
    "other_kind": ("value of another kind", edited("width: 12", "width: wide"), "width.*wide"),
    "unknown_network": ("unknown network", edited("- cnn", "- cnm"), "net.*cnm"),
    "impossible": ("impossible grammar", edited("v: 3", "v: 3\n    m: 4"), "m = 4"),
    "too_large": ("P larger than the data", edited("- 240", "- 240000000"), "P.*240000000"),
    "contradictory": (
        "contradictory options",
        edited("max_steps: 100000", "max_steps: 100000\n    bias: true"),
        "bias",
    ),
    "lacking": ("key missing", edited("    s0: 1\n", ""), "s0.*required"),
    "no_yaml": ("not YAML", edited("curves:", "curves: ]"), "not YAML: line \\d+"),
    "doubled": (
        "a key that stands twice",
        edited("width: 12", "width: 12\n  width: 13"),
        "width stands there twice",
    ),
    "octal": ("a number in base 8", edited("width: 12", "width: 014"), "reads 014 as 12"),
    "base_60": ("a number in base 60", edited("width: 12", "width: 1:30"), "reads 1:30 as 90"),
    "truth": (
        "seeds: yes, which is true and not a number",
        edited("seeds: 2", "seeds: yes"),
        "seeds: True is not allowed: a number is needed",
    ),
    "not_a_number": (
        "loss_threshold: .nan",
        edited("loss_threshold: 1.0e-12", "loss_threshold: .nan"),
        "nan is not allowed",
    ),
    "a_command": (
        "a YAML tag that would run a command",
        edited("seeds: 2", 'seeds: !!python/object/apply:os.system ["id"]'),
        "could not determine a constructor",
    ),
    "two_documents": (
        "two documents in a file",
        text_of(f"{TEXT}---\n{TEXT}"),
        "but found another document",
    ),
    "tab": ("a tab in place of blanks", edited("  seeds: 2", "\tseeds: 2"), "cannot start any"),
    "ten_megabytes": (
        "a file of 10 MB",
        text_of(f"{TEXT}description: {'x' * 10_000_000}\n"),
        "a preset has at most 1000000",
    ),
    "bomb": ("aliases of aliases, 10^10 values", text_of(BOMB), "once its aliases"),
    "deep": (
        "3,000 levels of lists",
        text_of("a: " + "[" * 3000 + "]" * 3000),
        "nested too deeply",
    ),
    "nothing": ("an empty file", text_of(""), "holds no keys"),
    "only_device": ("device: cpu and nothing else", text_of("device: cpu\n"), "preset.*required"),
    "encoding": ("not in UTF-8", text_of("preset: é\n".encode("latin-1")), "utf-8"),
    "a_folder": ("a folder in its place", a_folder, "is no file"),
    "template": ("a template of Snakemake", text_of("__use_yte__: true\npreset: a\n"), "yte"),
    "reserved": (
        "a reserved preset name",
        changed(MAIN.config, "preset", value="cells"),
        "preset.*cells",
    ),
    "long_name": (
        "a preset name of 300 letters",
        changed(MAIN.config, "preset", value="a" * 300),
        "at most 64",
    ),
    "empty_list": (
        "an empty list (net: [])",
        changed(MAIN.config, *MAIN_CURVE, "net", value=[]),
        r"net: \[\] is not allowed",
    ),
    "steps_of_nothing": (
        "per_octave: 1e-300",
        changed(MAIN.config, *MAIN_CURVE, "P", value={"low": 1, "high": 2, "per_octave": 1.0e-300}),
        "per_octave",
    ),
    "former_shape": (
        "the shape of a former version",
        text_of("preset: a\nseeds: 2\ncurves: []\n"),
        "seeds: unknown key",
    ),
    "fraction": ("seeds: 2.5", edited("seeds: 2", "seeds: 2.5"), "seeds: 2.5 is not allowed"),
    "negative": ("width: -12", edited("width: 12", "width: -12"), "width: -12 is not allowed"),
    "no_value": ("a key without a value", edited("width: 12", "width:"), "width: None is not"),
    "infinite": (
        "loss_threshold: .inf",
        edited("loss_threshold: 1.0e-12", "loss_threshold: .inf"),
        "inf is not allowed",
    ),
    "a_date": ("a date", edited("seeds: 2", "seeds: 2020-01-01"), "datetime.date.2020, 1, 1. is"),
    "bytes": ("bytes", edited("seeds: 2", "seeds: !!binary aGVsbG8="), "seeds: b'hello' is not"),
    "a_set": ("a set", edited("seeds: 2", "seeds: !!set {a}"), "seeds: {'a'} is not allowed"),
    "no_points": ("P = 0", edited("- 60", "- 0"), "P.0: 0 is not allowed"),
    "too_deep": ("L = 99", edited("L: 2", "L: 99"), "L = 99: allowed are 1 to 8"),
    "many_seeds": (
        "a billion seeds",
        edited("seeds: 2", "seeds: 1000000000"),
        "seeds: 1000000000 is not allowed",
    ),
    "many_digits": (
        "a number of 5000 digits",
        edited("seeds: 2", f"seeds: {'9' * 5000}"),
        "4300 digits",
    ),
    "zero_byte": ("a byte 0", text_of(f"{TEXT}\0"), "unacceptable character #x0000"),
    "bell": ("a control character", text_of(f"{TEXT}description: a\ab\n"), "character #x0007"),
    "utf_16": ("in UTF-16", text_of(TEXT.encode("utf-16")), "can't decode byte"),
    "half_a_letter": (
        "half of a letter (a lone surrogate)",
        text_of(f'{TEXT}description: "\\ud800"\n'),
        "halves of letters",
    ),
    "path_as_name": (
        "preset: ../x",
        changed(MAIN.config, "preset", value="../x"),
        "preset: '../x' is not allowed",
    ),
    "number_as_name": (
        "preset: 3",
        changed(MAIN.config, "preset", value=3),
        "preset: 3 is not allowed",
    ),
    "no_section": (
        "a section without a value",
        changed(MAIN.config, "sparse_hierarchy", value=None),
        "no study is asked for",
    ),
    "misspelt_study": (
        "a misspelt section",
        text_of("preset: a\nsparse_hirarchy: {}\n"),
        "sparse_hirarchy: unknown key",
    ),
    "a_list": ("a list in place of keys", text_of("- a\n"), "holds no keys"),
    "no_alias": ("an alias of nothing", text_of("preset: *a\n"), "undefined alias"),
    "of_itself": ("a list in itself", text_of("preset: a\nx: &x [*x]\n"), "nested too deeply"),
    "merged_number": ("a number merged", text_of("preset: a\n<<: 3\n"), "for merging"),
    "no_such_device": (
        "device: tpu",
        changed(MAIN.config, "device", value="tpu"),
        "device: 'tpu' is not allowed",
    ),
    "no_time": (
        "jobs of no minutes",
        changed(MAIN.config, "jobs", value={"minutes": 0}),
        "jobs.minutes: 0 is not allowed",
    ),
    "flow_optimiser": (
        "an option of another optimiser; gradient flow",
        changed(GRADIENT_FLOW.config, "jamming", "curves", 0, "optimiser", value={"name": "sgdd"}),
        "optimiser.*sgdd",
    ),
    "images_net": (
        "unknown network; images",
        changed(ON_IMAGES.config, "images", "nets", value=["vgg12"]),
        "vgg12",
    ),
    "memory_key": (
        "unknown key; experiments",
        changed(EXPERIMENTS.config, "memory", "learning", value=[{**MEMORY, "sizes": 3}]),
        "sizes.*unknown key",
    ),
}


def by_snakemake(scene: Scene) -> str:
    """A configuration that the whole workflow refuses."""
    edited("seeds: 2", "sedes: 2")(scene)
    code, text = scene.run()
    if code in (0, 2) or scene.store.exists():
        raise Defect(f"the configuration is not refused:\n{text}")
    return text


# Those that a test makes: all that take no second.
QUICK = [f"config_{name}" for name in CASES if name != "deep"]
NEVER = "nothing, until it is mended"
FAULTS = {
    f"config_{name}": Fault(
        title=f"config: {title}",
        begins=NOTHING,
        make=refused(write),
        says=(says,),
        lost="nothing: no job starts",
        rerun=NEVER,
    )
    for name, (title, write, says) in CASES.items()
} | {
    "config_by_snakemake": Fault(
        title="config: unknown key, by the whole workflow",
        begins=NOTHING,
        make=by_snakemake,
        says=("sedes.*unknown key",),
        lost="nothing: no job starts",
        rerun=NEVER,
    ),
    "config_braces": Fault(
        title="config: braces, quotes, a dollar and Greek letters in the description",
        make=accepted_with_braces,
        trains=0,
    ),
    "images_altered": Fault(
        title="one byte of the images altered",
        begins=NOTHING,
        make=failing(damaged_image),
        says=("data_batch_1.bin",),
        mend=damaged_image,
        mended=", once it is restored",
        tracebacks=True,
        kinds=(ON_IMAGES.name,),
    ),
}
