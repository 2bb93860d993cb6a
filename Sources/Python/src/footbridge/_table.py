"""Tables of NumPy arrays."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Container, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas


class Table(Mapping[str, "NDArray[Any]"]):
    """Columns of equal length, by name. Unknown numbers are NaN, unknown times NaT, and unknown integers masked."""

    def __init__(self, columns: Mapping[str, NDArray[Any]], metadata: Mapping[str, Any] = {}) -> None:
        self._columns = dict(columns)
        #: The description of the table, with values that JSON can hold.
        self.metadata = dict(metadata)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries; None for an unknown integer."""
        for values in zip(*(column.tolist() if column.dtype.kind not in "mM" else column
                            for column in self._columns.values())):
            yield dict(zip(self._columns, values))

    def where(self, chosen: NDArray[Any]) -> Table:
        """The rows that a mask or an array of indices selects."""
        return Table({name: column[chosen] for name, column in self._columns.items()}, self.metadata)

    def frame(self) -> pandas.DataFrame:
        """The table as a data frame. Needs pandas."""
        pandas = need("pandas", "pandas")
        frame = pandas.DataFrame({name: _series(pandas, column) for name, column in self._columns.items()})
        frame.attrs.update(self.metadata)
        return frame

    def __repr__(self) -> str:
        return f"<Table of {self.count} rows: {', '.join(self._columns)}>"


def _series(pandas: Any, column: NDArray[Any]) -> Any:
    if not np.ma.isMaskedArray(column):
        return column
    kind = pandas.array([], dtype=f"{'UInt' if column.dtype.kind == 'u' else 'Int'}{8 * column.dtype.itemsize}").dtype
    return pandas.Series(pandas.arrays.IntegerArray(column.filled(0), np.ma.getmaskarray(column)), dtype=kind)


def integers(values: list[Any], kind: str = "i8") -> NDArray[Any]:
    """A column of integers, in which None is masked."""
    return np.ma.MaskedArray(np.array([0 if value is None else value for value in values], kind),
                             mask=np.array([value is None for value in values], bool))


def floats(values: list[Any]) -> NDArray[np.float64]:
    """A column of numbers, in which None is NaN."""
    return np.array([np.nan if value is None else value for value in values], np.float64)


def texts(values: list[Any]) -> NDArray[Any]:
    """A column of texts, in which None is empty."""
    return np.array(["" if value is None else value for value in values], object)


def unused(name: str, used: Container[str]) -> str:
    """The name, with a number if it is used already."""
    number, stem = 1, name
    while name in used:
        number += 1
        name = f"{stem}-{number}"
    return name


def need(module: str, package: str) -> Any:
    """An optional module, or an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as fault:
        raise ImportError(f"cannot import {module}: {fault}\n       install it with: pip install {package}") from fault
