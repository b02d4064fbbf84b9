"""What computes the cells of this study. Imports no torch."""

from srhm.experiments.declaration import experiments, long_tables

TABLES = "srhm.studies.representation_cost.tables"
TRAINER = experiments(
    "representation_cost",
    title="networks with weight decay",
    cells=f"{TABLES}:CELLS",
    seconds="srhm.studies.representation_cost.configuration:seconds",
)
LONG = long_tables(
    TRAINER,
    {
        "layers": f"{TABLES}:LAYERS",
        "values": f"{TABLES}:VALUES",
        "regions": f"{TABLES}:REGIONS",
        "components": f"{TABLES}:COMPONENTS",
    },
)
