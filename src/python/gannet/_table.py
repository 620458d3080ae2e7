"""Tables: a pandas DataFrame where pandas is installed, else a dictionary of arrays."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

import numpy as np


def _as_array(values: Sequence[Any]) -> Any:
    """Numbers as floats with nan for None, unless all of them are whole numbers or switches; words and mixtures as objects."""
    known = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in known) and len(known) == len(values):
        return np.array(values, dtype=bool)
    if all(isinstance(value, int) and not isinstance(value, bool) for value in known) and len(known) == len(values):
        return np.array(values, dtype=np.int64)
    if known and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def as_table(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A pandas.DataFrame, or without pandas a dictionary of a numpy array for every column."""
    arrays: Dict[str, Any] = {name: _as_array(values) for name, values in columns.items()}
    try:
        import pandas  # type: ignore[import]
    except ImportError:
        return arrays
    return pandas.DataFrame(arrays)


def columns_of(rows: List[Dict[str, Any]]) -> Dict[str, List[Any]]:
    """Columns from rows; where a row has no value it is None."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}
