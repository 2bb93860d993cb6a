"""One table of all streams with one row per instant, as in `footbridge export --format table`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from ._clock import rounded
from ._table import Table, unused

if TYPE_CHECKING:
    from ._session import Session, Stream

# Largest number of rows for lost samples in a table: more than four days of one board at 100 Hz.
MOST_LOST = 40_000_000


def joined(session: Session, hertz: Optional[float] = None, maximum_age: float = 10.0) -> Table:
    """Returns one row for each instant, with all signals of all boards and the position.

    Without `hertz`, the samples are unchanged. Samples of two streams share a row if their times differ by at most
    half the shortest period. With `hertz`, the values are interpolated, but never across a gap.
    """
    session.load()
    if hertz is not None and not 0 < hertz < 1e6:
        raise ValueError(f"cannot resample at {hertz} Hz: give a rate above 0")
    # With a longer tolerance, two samples of one stream could belong to the same row.
    rates = [stream.rate for stream in session.streams.values() if 0 < stream.rate < np.inf]
    tolerance = int(min(0.5e9 / max(rates), 1e15)) if rates else 0
    times, parts = aligned(session, list(session.streams.values()), hertz, tolerance)
    method = (f"samples at most {tolerance / 1e6:g} ms apart share a row; its time is the earliest" if hertz is None
              else f"resampled at {hertz:g} Hz: linear between neighbouring samples, quaternions normalised, angles "
                   "by the shorter way; never across a gap")
    columns: dict[str, NDArray[Any]] = {
        "utc": session.clock.utc(times), "seconds": (times - session.start_ns) / 1e9, "boot_ns": times}
    units: dict[str, str] = {}
    for stream, names, values in parts:
        columns.update(zip(names, values))
        units.update(dict.fromkeys(names, stream.unit))
    columns.update(session.positions(times, maximum_age))
    units.update(seconds="s", boot_ns="ns", lat="deg", lon="deg", alt_msl="m", fix_age="s", fix_error="m")
    return Table(columns, {**session.metadata, "method": method, "units": units, "missing": "NaN", "streams": [
        stream.metadata for stream in session.streams.values() if stream.count]})


def aligned(
    session: Session, streams: Sequence[Stream], hertz: Optional[float], tolerance: int = 0
) -> tuple[NDArray[np.int64], list[tuple[Stream, list[str], NDArray[np.float64]]]]:
    """The times of the rows, and for each stream with samples the names and the values of its columns."""
    streams = [stream for stream in streams if stream.count]
    parts = [with_losses(stream, is_sparse=hertz is not None) for stream in streams]
    if hertz is None:
        times, places = rows([times for times, _ in parts], tolerance)
    else:
        times = _instants([times for times, _ in parts], session.start_ns, hertz)
    used: set[str] = set()
    found = []
    for number, (stream, (own_times, values)) in enumerate(zip(streams, parts)):
        names = []
        for axis in stream.axes:
            names.append(unused(f"{stream.label}.{stream.signal}.{axis}", used))
            used.add(names[-1])
        if hertz is None:
            all_values = np.full((len(times), values.shape[1]), np.nan)
            all_values[places[number]] = values
        else:
            all_values = interpolated(stream, own_times, values, times)
        found.append((stream, names, np.ascontiguousarray(all_values.T)))
    return times, found


def with_losses(stream: Stream, is_sparse: bool = False) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Returns the times and values of a stream's samples. At the times of lost samples, the values are NaN.

    Lost samples are evenly spaced between their neighbours. Before the first and after the last sample, their spacing
    is the stream's period. With `is_sparse`, only the first and the last lost sample of each gap are included.
    """
    reader, times, values = stream._reader, stream.times, stream.values
    firsts = np.array([first for first, _ in reader.periods])
    periods = np.array([period for _, period in reader.periods])
    elapsed = np.diff(times)
    missing = np.maximum(np.diff(stream.counters).view(np.int32).astype(np.float64), 1) - 1
    # Between two chunks, the period of the later chunk applies.
    period = periods[np.searchsorted(firsts, np.arange(1, len(times)), "right") - 1]
    is_border = np.zeros(len(elapsed), bool)
    is_border[firsts[1:] - 1] = True
    with np.errstate(divide="ignore", invalid="ignore"):
        taken = elapsed / period
        # If the sample numbers and the times disagree, the times determine the number of missing samples.
        is_odd = (is_border | (missing > 0)) & (period > 0) & ~((taken / (missing + 1) >= 0.5)
                                                               & (taken / (missing + 1) <= 1.5))
        missing = np.where(is_odd, np.maximum(rounded(np.where(is_odd, taken, 1)) - 1, 0), missing)
    missing[elapsed <= 0] = 0
    gaps = np.flatnonzero(missing > 0)
    runs = [(int(gap) + 1, int(times[gap]), elapsed[gap] / (missing[gap] + 1), int(missing[gap])) for gap in gaps]
    if reader.lost_before and periods[0] > 0:
        start = int(times[0]) - int(rounded((reader.lost_before + 1) * periods[0]))
        runs.insert(0, (0, start, periods[0], reader.lost_before))
    if reader.lost_after and periods[-1] > 0:
        runs.append((len(times), int(times[-1]), periods[-1], reader.lost_after))
    if not runs:
        return times, values
    total = sum(run[-1] for run in runs)
    if total > MOST_LOST and not is_sparse:
        raise ValueError(f"cannot join {stream.name}: {total:,} samples are lost\n"
                         "       give 'hertz' to join at fewer instants")
    steps = [np.array([1, count]) if is_sparse else np.arange(1, count + 1) for *_, count in runs]
    lost = np.concatenate([start + rounded(period * own) for (_, start, period, _), own in zip(runs, steps)])
    places = np.repeat([place for place, *_ in runs], [len(own) for own in steps])
    return np.insert(times, places, lost), np.insert(values, places, np.nan, axis=0)


def rows(streams: list[NDArray[np.int64]], tolerance: int) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Returns the times of the rows, and the row to which each sample of each stream belongs.

    A row begins with the earliest sample that does not belong to a row yet. The next sample of each other stream joins
    this row if it follows within the tolerance.
    """
    if not streams:
        return np.zeros(0, np.int64), []
    everything = np.concatenate(streams)
    order = np.argsort(everything, kind="stable")
    ordered = everything[order]
    following = np.searchsorted(ordered, ordered + tolerance, "right").tolist()
    starts, place = [], 0
    while place < len(following):
        starts.append(place)
        place = following[place]
    row = np.empty(len(everything), np.int64)
    row[order] = np.searchsorted(starts, np.arange(len(ordered)), "right") - 1
    found = np.split(row, np.cumsum([len(times) for times in streams])[:-1])
    if all((np.diff(places) > 0).all() for places in found):
        return ordered[starts], found
    return _rows_one_by_one(streams, tolerance)


def _rows_one_by_one(
    streams: list[NDArray[np.int64]], tolerance: int
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Like `rows`, but for streams whose samples are closer together than the tolerance, or whose times step back."""
    end = np.iinfo(np.int64).max
    lists = [[*times.tolist(), end] for times in streams]
    heads, found, times = [0] * len(lists), [[] for _ in lists], []  # type: ignore[var-annotated]
    while True:
        earliest = min(own[head] for own, head in zip(lists, heads))
        if earliest == end:
            return np.array(times, np.int64), [np.array(places, np.int64) for places in found]
        for number, own in enumerate(lists):
            if own[heads[number]] <= min(earliest + tolerance, end - 1):
                found[number].append(len(times))
                heads[number] += 1
        times.append(earliest)


def _instants(streams: list[NDArray[np.int64]], origin: int, hertz: float) -> NDArray[np.int64]:
    """Returns the multiples of the period since the start of the session, from the first sample to the last."""
    if not streams:
        return np.zeros(0, np.int64)
    first = max(0.0, np.ceil((float(min(times[0] for times in streams)) - origin) * hertz / 1e9))
    last = max(int(times.max()) for times in streams)
    numbers = np.arange(first, (last - origin) * hertz / 1e9 + 1)
    times = origin + rounded(numbers * 1e9 / hertz)
    return times[times <= last]


def interpolated(
    stream: Stream, times: NDArray[np.int64], values: NDArray[np.float64], instants: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Interpolates a stream at instants; NaN before the first sample, after the last one, and in gaps."""
    last = np.searchsorted(times, instants, "right") - 1
    own, following = np.maximum(last, 0), np.minimum(last + 1, len(times) - 1)
    start, end = values[own], values[following]
    span = times[following] - times[own]
    part = ((instants - times[own]) / np.where(span > 0, span, 1))[:, None]
    is_quaternion = stream.signal.startswith("quaternion") and sorted(stream.axes) == ["w", "x", "y", "z"]
    if is_quaternion:
        # A quaternion and its negative are the same orientation.
        end = np.where((start * end).sum(axis=1, keepdims=True) < 0, -end, end)
    found = start + (end - start) * part
    if is_quaternion:
        length = np.sqrt((found**2).sum(axis=1, keepdims=True))
        found /= np.where(length > 0, length, 1)
    elif stream.unit in ("deg", "°"):
        turn = end - start
        angle = start + (turn - 360 * np.round(turn / 360)) * part
        # The samples show whether the board counts from 0 to 360, or from -180 to 180.
        lowest = np.where(np.minimum(start, end) < 0, -180.0, 0.0)
        angle = np.where(angle < lowest, angle + 360, np.where(angle >= lowest + 360, angle - 360, angle))
        found = np.where(np.abs(turn) > 180, angle, found)
    is_exact = times[own] == instants
    found[is_exact] = values[own][is_exact]
    found[(last < 0) | ~is_exact & ((last == len(times) - 1) | (span <= 0))] = np.nan
    return found
