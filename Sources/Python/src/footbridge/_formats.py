"""Sessions as Parquet, HDF5 and MAT files, and as MNE objects."""
from __future__ import annotations

import contextlib
import datetime
import json
import os
from typing import TYPE_CHECKING, Any, Iterator, Optional

import numpy as np
from numpy.typing import NDArray

from ._joined import aligned
from ._table import Table, need, unused

if TYPE_CHECKING:
    from ._session import Session


@contextlib.contextmanager
def _replacing(path: str) -> Iterator[str]:
    """Yields the path of a temporary file, which replaces the file at `path` when it is complete."""
    temporary = f"{path}.part"
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def to_parquet(session: Session, path: str, hertz: Optional[float] = None) -> None:
    """Writes the joined table as Parquet. Needs pyarrow.

    Unknown values are null. The schema's metadata `footbridge` describes the session and the columns.
    """
    arrow = need("pyarrow", "pyarrow")
    parquet = need("pyarrow.parquet", "pyarrow")
    table = session.joined(hertz)
    columns = [_arrow(arrow, column) for column in table.values()]
    units = {name: {"unit": unit} for name, unit in table.metadata["units"].items() if unit}
    schema = arrow.schema([arrow.field(name, column.type, metadata=units.get(name))
                           for name, column in zip(table, columns)], metadata={"footbridge": _json(table.metadata)})
    with _replacing(path) as temporary:
        parquet.write_table(arrow.Table.from_arrays(columns, schema=schema), temporary, compression="zstd",
                            row_group_size=1 << 18)


def _arrow(arrow: Any, column: NDArray[Any]) -> Any:
    if np.issubdtype(column.dtype, np.datetime64):
        return arrow.array(column, type=arrow.timestamp("ns", "UTC"))
    if column.dtype == object:
        return arrow.array([text or None for text in column], type=arrow.string()).dictionary_encode()
    return arrow.array(column, mask=np.isnan(column) if column.dtype.kind == "f" else None)


def to_hdf5(session: Session, path: str) -> None:
    """Writes every stream, the track, the gaps and the events as HDF5. Needs h5py.

    Each stream is a group below `streams`, and each table is a group. Attributes describe the groups.
    """
    h5py = need("h5py", "h5py")
    session.load()
    with _replacing(path) as temporary, h5py.File(temporary, "w") as file:
        file.attrs["footbridge"] = _json(session.metadata)
        groups = file.create_group("streams")
        for stream in session.streams.values():
            label = stream.label.replace("/", "_").replace(".", "_")
            group = groups.create_group(unused(f"{label}/{stream.signal}", groups))
            values = group.create_dataset("values", data=stream.values, compression="gzip", compression_opts=1)
            values.attrs.update(unit=stream.unit, axes=list(stream.axes))
            _hdf5_columns(h5py, group, stream.table(), leave_out=stream.axes)
        for name, table in _tables(session).items():
            _hdf5_columns(h5py, file.create_group(name), table)


def _hdf5_columns(h5py: Any, group: Any, table: Table, leave_out: tuple[str, ...] = ()) -> None:
    group.attrs["footbridge"] = _json(table.metadata)
    for name, column in table.items():
        if name in leave_out:
            continue
        if column.dtype == object:
            group.create_dataset(name, data=column, dtype=h5py.string_dtype())
            continue
        data = group.create_dataset(name, data=_plain(column))
        if np.issubdtype(column.dtype, np.datetime64):
            data.attrs["unit"] = "ns since 1970-01-01T00:00:00Z without leap seconds; the lowest integer is unknown"


def _plain(column: NDArray[Any]) -> NDArray[Any]:
    """Converts a column to plain numbers: NaN for an unknown integer, nanoseconds for a time."""
    if np.issubdtype(column.dtype, np.datetime64):
        return column.view(np.int64)
    if np.ma.getmaskarray(column).any():
        return np.ma.filled(column.astype(np.float64), np.nan)
    return np.asarray(column)


def _tables(session: Session) -> dict[str, Table]:
    return {name: getattr(session, name) for name in ("gaps", "fixes", "events", "hazards", "tasks")}


def to_mat(session: Session, path: str) -> None:
    """Writes every stream, the track, the gaps and the events for MATLAB. Needs SciPy.

    The struct `footbridge` contains the description, a struct array `streams`, and a struct for each table.
    """
    io = need("scipy.io", "scipy")
    session.load()
    streams = np.empty(len(session.streams), object)
    for place, stream in enumerate(session.streams.values()):
        streams[place] = {**_mat(stream.table(), stream.axes), "values": stream.values,
                          **{name: _described(value) for name, value in stream.metadata.items()
                             if name != "versions"}, "metadata": _json(stream.metadata)}
    content = {name: _mat(table) for name, table in _tables(session).items()}
    with _replacing(path) as temporary, open(temporary, "wb") as file:
        io.savemat(file, {"footbridge": {"metadata": _json(session.metadata), "streams": streams, **content}},
                   do_compression=True, long_field_names=True, oned_as="column")


def _mat(table: Table, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    # MATLAB has no NaT for integers, so an unknown universal time is an empty array.
    return {f"{name}_ns" if name == "utc" else name:
            np.zeros(0) if name == "utc" and np.isnat(column).all() else _plain(column)
            for name, column in table.items() if name not in leave_out}


def _described(value: Any) -> Any:
    return np.zeros(0) if value is None else np.array(value, object) if isinstance(value, list) else value


def to_mne(session: Session) -> dict[float, Any]:
    """Returns an `mne.io.RawArray` for each rate, with gaps as annotations `BAD_gap`. Needs MNE.

    The streams are interpolated at this rate of the boot clock. Values in gaps are NaN.
    """
    mne = need("mne", "mne")
    session.load()
    found = {}
    for rate in sorted({stream.rate for stream in session.streams.values() if stream.rate > 0}):
        times, parts = aligned(session, [own for own in session.streams.values() if own.rate == rate], rate)
        if not len(times):
            continue
        units = {name: stream.unit for stream, names, _ in parts for name in names}
        info = mne.create_info(list(units), rate, "misc")
        info["description"] = _json({**session.metadata, "units": units,
                                     "method": f"linear interpolation at {rate:g} Hz, never across a gap"})
        raw = mne.io.RawArray(np.concatenate([values for *_, values in parts]), info, verbose="error")
        start = session.clock.utc(times[:1])[0]
        if not np.isnat(start):
            raw.set_meas_date(datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
                              + datetime.timedelta(microseconds=int(start.astype(np.int64)) // 1000))
        # Each note consists of its onset and duration in seconds, its text and its channels.
        notes: list[tuple[float, float, str, tuple[str, ...]]] = []
        for _, names, values in parts:
            edges = np.flatnonzero(np.diff(np.isnan(values).any(axis=0).astype(np.int8), prepend=0, append=0))
            notes += [(start / rate, (end - start) / rate, "BAD_gap", tuple(names))
                      for start, end in zip(edges[::2], edges[1::2])]
        for event in session.events.rows():
            onset = (event["time_ns"] - int(times[0])) / 1e9
            # MNE cannot represent events outside the data.
            if 0 <= onset <= (len(times) - 1) / rate:
                text = f"{event['kind']}: {event['text']}" if event["text"] else event["kind"]
                notes.append((onset, 0.0, text, ()))
        onsets, durations, texts, channels = zip(*notes) if notes else ((),) * 4
        raw.set_annotations(mne.Annotations(onsets, durations, texts, raw.info["meas_date"], channels))
        found[rate] = raw
    return found


def _json(metadata: Any) -> str:
    return json.dumps(metadata, ensure_ascii=False)
