"""Measurements of which each row tells of one cell.

Apart from `study`, whose code each job that trains has in its digest.
"""

from srhm.study import CurveMeasurement


class CellMeasurement(CurveMeasurement):
    """A measurement whose rows of a cell would be the same without the other cells of its curve.

    So published rows of a cell serve a curve with further cells. Each of its tables has keys.
    """
