"""Schemas of all tables by the names under which declarations know them."""

import pyarrow as pa

from srhm.flow import tables as flow
from srhm.results import records

SCHEMAS: dict[str, pa.Schema] = {
    "CELLS": records.CELLS,
    "TIMINGS": records.TIMINGS,
    "SAMPLE_COMPLEXITY": records.SAMPLE_COMPLEXITY,
    "SENSITIVITIES": records.SENSITIVITIES,
    "SCORECARD": records.SCORECARD,
    "IMAGE_CELLS": records.IMAGE_CELLS,
    "IMAGES": records.IMAGES,
    "FLOW_CELLS": flow.PLANE_CELLS,
    "FLOW_TIMINGS": flow.PLANE_TIMINGS,
    "FLOW_SENSITIVITIES": flow.PLANE_SENSITIVITIES,
    "FLOW_COMPLEXITY": flow.PLANE_COMPLEXITY,
    "KERNELS": flow.KERNELS,
    "HESSIANS": flow.HESSIANS,
    "HESSIAN_SUMMARIES": flow.HESSIAN_SUMMARIES,
    "SINGULAR_VALUES": flow.SINGULAR_VALUES,
    "SINGULAR_SUMMARIES": flow.SINGULAR_SUMMARIES,
    "FROZEN_KERNELS": flow.FROZEN_KERNELS,
    "ENSEMBLES": flow.ENSEMBLES,
    "FIRST_STEP": flow.FIRST_STEP,
}
