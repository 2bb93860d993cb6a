"""Tables of NumPy arrays."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Container, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas

MASKED = ("mi8", "mu8")
KINDS = {
    **dict.fromkeys(("start_ns", "end_ns", "satellites"), "mi8"), "lost": "mu8",
    **dict.fromkeys(("arrival_ns", "utc_ns", "begin_ns", "quality", "intensity", "repetition"), "i8"),
    **dict.fromkeys(("is_estimate", "three_dimensional", "follows_loss"), "?"),
    **dict.fromkeys(("latitude", "longitude", "altitude_msl", "geoid_separation", "speed", "track", "hdop",
                     "error_horizontal", "error_vertical", "value"), "f8")}


class Table(dict[str, "NDArray[Any]"]):
    """Columns of equal length, by name. Unknown numbers are NaN, unknown times NaT, and unknown integers masked."""

    def __init__(self, columns: Mapping[str, NDArray[Any]], metadata: Mapping[str, Any] = {}) -> None:
        super().__init__(columns)
        #: The description of the table, with values that JSON can represent.
        self.metadata = dict(metadata)

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(next(iter(self.values()), ()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries; None for an unknown integer."""
        for values in zip(*(column.tolist() if column.dtype.kind not in "mM" else column
                            for column in self.values())):
            yield dict(zip(self, values))

    def frame(self) -> pandas.DataFrame:
        """The table as a data frame. Needs pandas."""
        pandas = need("pandas", "pandas")
        frame = pandas.DataFrame({name: _series(pandas, column) for name, column in self.items()})
        frame.attrs.update(self.metadata)
        return frame

    def __repr__(self) -> str:
        return f"<Table of {self.count} rows: {', '.join(self)}>"


def _series(pandas: Any, column: NDArray[Any]) -> Any:
    if not np.ma.isMaskedArray(column):
        return column
    return pandas.array(column.tolist(), dtype="UInt64" if column.dtype.kind == "u" else "Int64")


def tabulated(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Converts rows to columns with these names. If `KINDS` does not list a column, its None become empty texts."""
    columns: dict[str, NDArray[Any]] = {}
    for name in names:
        kind = KINDS.get(name, "O")
        values = [row[name] if kind == "i8" else row.get(name) for row in rows]
        if kind in MASKED:
            columns[name] = np.ma.MaskedArray(np.array([0 if value is None else value for value in values], kind[1:]),
                                              mask=np.array([value is None for value in values], bool))
        else:
            columns[name] = np.array(["" if value is None and kind == "O" else value for value in values], kind)
    return columns


def unused(name: str, used: Container[str]) -> str:
    """Returns the name, with a number if the name is already in use."""
    number, stem = 1, name
    while name in used:
        number += 1
        name = f"{stem}-{number}"
    return name


def need(module: str, package: str) -> Any:
    """Imports an optional module. If it is missing, the error says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as fault:
        raise ImportError(f"cannot import {module}: {fault}\n       install it with: pip install {package}") from fault
