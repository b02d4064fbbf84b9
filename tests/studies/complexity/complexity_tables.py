"""Invented tables of P* against the output scale."""

from srhm.statistics.flow_complexity import flow_complexity

GRAMMARS = (("lcn", 0), ("lcn", 1), ("cnn", 0), ("cnn", 1), ("cnn", 2))
NAMES = ("cells", "sensitivities", "frozen_kernels", "ensembles")


def complexity_of(tables, thresholds=(0.1, 0.2)):
    return flow_complexity(*(tables[name] for name in NAMES), thresholds=thresholds)


def with_complexity(tables):
    return {**tables, "sample_complexity": complexity_of(tables)}
