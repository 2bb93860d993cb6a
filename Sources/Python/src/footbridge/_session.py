"""Sessions, and the streams in them."""
from __future__ import annotations

import dataclasses
import functools
import json
import re
import warnings
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _formats, _joined
from ._chunk import ERROR_BASES, FIX_OPTIONALS, SECONDS_PER_TICK, Chunk, Gap, decode
from ._clock import Clock
from ._sources import Board, Entry, Json, Source, UnreadableError, entries, pairs, snake
from ._table import Table, tabulated
from ._track import positions

# Number of chunks that are decoded together: enough for NumPy to be fast. Decoding them needs about 100 MB.
BATCH = 1024
MISSING = "not in the store"


class DamageWarning(UserWarning):
    """Missing or damaged chunks were skipped."""


class OpenWarning(UserWarning):
    """The session is being recorded, or its recorder was interrupted. The newest samples were left out."""


@dataclasses.dataclass(eq=False)
class Samples:
    """Consecutive samples of a stream."""
    #: Boot time of each sample in nanoseconds.
    times: NDArray[np.int64]
    #: A row for each sample, a column for each axis.
    values: NDArray[np.float64]
    #: The number of each sample, modulo 2^32.
    counters: NDArray[np.uint32]
    #: Boot time at which each sample's packet arrived, in nanoseconds.
    arrivals: NDArray[np.int64]
    #: The board's clock at each sample, in units of 48/32768 s; None if the board does not send it.
    ticks: Optional[NDArray[np.uint32]]


class Stream(Samples):
    """One signal of one board in a session. Its arrays are read on first use."""

    def __init__(self, session: Session, sent: Json, label: str) -> None:
        self._session, self._entries, self._last = session, entries(sent), sent.get("lastSequence")
        self._has_ticks = bool(sent["boardClock"])
        self._reader: _StreamReader
        #: The board's name, or its address if the name is missing or not unique.
        self.label = label
        self.name = f"{label}/{sent['signal']}"
        self.board = session.boards.get(sent["board"]) or Board(sent["board"])
        self.placement = self.board.placement
        self.signal: str = sent["signal"]
        self.unit: str = sent["unit"]
        self.axes: tuple[str, ...] = tuple(sent["axes"])
        #: Samples per second as configured.
        self.rate: float = sent["rate"]
        #: The largest magnitude that the sensor can measure, in the unit; None if it is unknown.
        self.range: Optional[float] = sent.get("range")

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            if name != "_reader" and name not in Samples.__dataclass_fields__:
                raise AttributeError(f"a stream has no attribute '{name}'")
            self._session._load([self])
            return vars(self)[name]

    def __repr__(self) -> str:
        return f"<Stream {self.name}: {', '.join(self.axes)} [{self.unit}], {self.rate:g} Hz>"

    @property
    def count(self) -> int:
        return len(self.times)

    @property
    def utc(self) -> NDArray[np.datetime64]:
        """Universal time of each sample; NaT if it is unknown."""
        return self._session.clock.utc(self.times)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Seconds from the start of the session to each sample."""
        return (self.times - self._session.start_ns) / 1e9

    @property
    def gaps(self) -> Table:
        """The gaps of this stream."""
        return self._session._gap_table([self])

    @property
    def versions(self) -> list[tuple[int, str, str]]:
        """One tuple for each version of the board: the index of its first sample, the model and the firmware."""
        return self._reader.versions

    @property
    def firmware(self) -> str:
        """The firmware at the end of the stream. `versions` also lists earlier versions."""
        return self.versions[-1][2] if self.versions else self.board.firmware

    @property
    def model(self) -> str:
        return self.versions[-1][1] if self.versions else self.board.model

    def batches(self, chunks: int = 64) -> Iterator[Samples]:
        """Yields the samples of at most `chunks` chunks at a time, for streams that do not fit in memory."""
        return (samples for _, samples in self._session._read([_StreamReader(self)], chunks))

    def frame(self) -> Any:
        """The samples as a data frame. Needs pandas."""
        return self.table().frame()

    def table(self) -> Table:
        """The samples as a table, with a column for each axis."""
        columns: dict[str, NDArray[Any]] = {"utc": self.utc, "seconds": self.seconds, "boot_ns": self.times}
        columns.update(zip(self.axes, self.values.T))
        columns.update(number=self.counters, arrival_ns=self.arrivals)
        if self.ticks is not None:
            columns["board_seconds"] = self.ticks * SECONDS_PER_TICK
        return Table(columns, self.metadata)

    @property
    def metadata(self) -> dict[str, Any]:
        """The description of the stream."""
        return {"name": self.name, "board": self.board.address, "board_name": self.board.name,
                "placement": self.placement, "signal": self.signal, "unit": self.unit, "axes": list(self.axes),
                "rate": self.rate, "range": self.range, "samples": self.count,
                "versions": [{"first": first, "model": model, "firmware": firmware}
                             for first, model, firmware in self.versions]}


class _StreamReader:
    """Checks a stream's chunks in order, and finds the gaps in the stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.gaps: list[Gap] = []
        self.expected, self.count = 0, 0
        if stream._last is None and stream._entries:
            # A single chunk does not show whether others exist.
            self.expected = stream._entries[0].sequence
        #: Index of the first sample, model and firmware, for each change of the model or firmware.
        self.versions: list[tuple[int, str, str]] = []
        #: The number and the time of the last sample.
        self.last: Optional[tuple[int, int]] = None
        #: The chunks skipped since the last sample, as ranges: first chunk, last chunk and reason.
        self.skipped: list[tuple[int, int, str]] = []
        self.skipped_samples = 0
        #: The index of the first sample and the period, for each chunk.
        self.periods: list[tuple[int, float]] = []
        #: Number of samples lost before the first sample, and after the last one.
        self.lost_before, self.lost_after = 0, 0

    def accepts(self, entry: Entry, chunk: Union[Chunk, ValueError]) -> bool:
        """Whether the chunk is intact and has samples. A missing or damaged chunk becomes a gap."""
        self._skip(self.expected, entry.sequence, MISSING)
        self.expected = entry.sequence + 1
        own = self.stream
        if isinstance(chunk, Chunk) and (
                chunk.session, chunk.id, chunk.sequence, chunk.address, chunk.signal, len(chunk.axes)) != (
                own._session.id, entry.id, entry.sequence, own.board.address, own.signal, len(own.axes)):
            chunk = ValueError("belongs elsewhere")
        if isinstance(chunk, ValueError):
            self._skip(entry.sequence, self.expected, str(chunk), entry.size)
            return False
        if chunk.count:
            if not self.count:
                self.lost_before = self.skipped_samples + chunk.lost_before_first
            self.lost_after = 0
            self.periods.append((self.count, chunk.period_ns))
            self._close_gap(chunk)
            self.last = int(chunk.counters[-1]), int(chunk.times[-1])
            if not self.versions or self.versions[-1][1:] != (chunk.model, chunk.firmware):
                self.versions.append((self.count, chunk.model, chunk.firmware))
            self.count += chunk.count
        else:
            self.lost_after += chunk.lost
        self.gaps += chunk.gaps
        return chunk.count > 0

    def finish(self) -> None:
        """Adds the gap after the last chunk that was read."""
        if self.stream._last is not None:
            self._skip(self.expected, self.stream._last + 1, MISSING)
        self.lost_after += self.skipped_samples
        self._close_gap(None)

    def _skip(self, start: int, end: int, reason: str, samples: int = 0) -> None:
        if start < end:
            self.skipped_samples += samples
            if self.skipped and self.skipped[-1][1:] == (start - 1, reason):
                start = self.skipped.pop()[0]
            self.skipped.append((start, end - 1, reason))

    def _close_gap(self, chunk: Optional[Chunk]) -> None:
        if not self.skipped:
            return
        detail = "; ".join(f"chunk {first}: {reason}" if first == last else f"chunks {first} to {last}: {reason}"
                           for first, last, reason in self.skipped)
        lost = self.skipped_samples or None
        if self.last and chunk:
            # The numbers of the adjacent samples show how many are missing. The chunk itself may count some of them.
            steps = (int(chunk.counters[0]) - self.last[0] - 1) % 2**32
            if steps < 2**31:
                lost = steps - min(steps, chunk.lost_before_first)
        self.gaps.append(Gap(self.last[1] if self.last else None, chunk.first_ns if chunk else None, lost, True,
                             "chunks", detail))
        warnings.warn(f"{self.stream.name}: skipped {detail}", DamageWarning, stacklevel=6)
        self.skipped, self.skipped_samples = [], 0


def _joined_samples(stream: Stream, chunks: Sequence[Chunk]) -> Samples:
    def joined(name: str, kind: str, *shape: int) -> NDArray[Any]:
        return np.concatenate([np.zeros((0, *shape), kind), *(getattr(chunk, name) for chunk in chunks)])

    return Samples(joined("times", "i8"), joined("values", "f8", len(stream.axes)), joined("counters", "u4"),
                   joined("arrivals", "i8"), joined("ticks", "u4") if stream._has_ticks else None)


class Session:
    """One recording. Unknown values are None, and unknown texts are empty."""

    def __init__(self, source: Source, sent: Json) -> None:
        if sent.get("format", 1) != 1:
            raise ValueError(f"the format {sent['format']} of a record is unknown")
        about = sent["session"]
        self._source = source
        self.id: str = about["id"]
        self.boot_id: str = about["bootId"]
        #: Boot times in nanoseconds. The end is unknown while the session is open.
        self.start_ns = int(about["startNs"])
        self.end_ns = None if about.get("endNs") is None else int(about["endNs"])
        #: `closed` by the recorder, or `recovered` by the next recorder.
        self.ending: Optional[str] = about.get("ending")
        self.note, self.gateway, self.wearer = (str(about.get(name, "")) for name in ("note", "gateway", "wearer"))
        #: The members are documented in docs/definitions.md.
        self.participant: Optional[Json] = about.get("participant")
        #: Whether chunks of another gateway's session have arrived without the session's record.
        self.is_arriving = about.get("received") == 1
        placements = sent.get("placements", {})
        #: The boards by address, including boards that never sent a sample.
        self.boards = {board["address"]: Board(
            board["address"], board["name"], board["model"], board["firmware"],
            board.get("placement", placements.get(board["address"], ""))) for board in sent["boards"]}
        #: Converts boot times to universal time.
        self.clock = Clock(pairs(sent))
        self._hazards, self._annotations, self._events = (
            [snake(item) for item in sent.get(name, ())] for name in ("hazards", "annotations", "events"))
        names = [board.name for board in self.boards.values()]
        unique = {board.address: board.name for board in self.boards.values() if names.count(board.name) == 1}
        streams = [Stream(self, stream, unique.get(stream["board"]) or stream["board"]) for stream in sent["streams"]]
        #: The streams by name, in the order in which they were recorded.
        self.streams = {stream.name: stream for stream in streams}

    @property
    def start(self) -> np.datetime64:
        """Universal time of the start; NaT if it is unknown."""
        return self.clock.utc(np.array([self.start_ns]))[0]

    @property
    def time_source(self) -> str:
        """The source of universal time: `ntp`, `gps`, `system` or `unsynced`."""
        return self.clock.source

    @property
    def has_unknown_losses(self) -> bool:
        """Whether more samples may have been lost than the gaps count."""
        return self.is_arriving or any(
            event["kind"] == "damaged" and event.get("value") is None for event in self._events)

    def __getitem__(self, name: str) -> Stream:
        return self.streams[name]

    def load(self) -> Session:
        """Reads all streams together, which is faster than reading them one after another."""
        self._load([stream for stream in self.streams.values() if "times" not in vars(stream)])
        return self

    def _load(self, streams: Sequence[Stream]) -> None:
        if self.end_ns is None and self._source.has_tail():
            warnings.warn(f"session {self.id[:8]} is open: samples that are in no chunk yet were left out",
                          OpenWarning, stacklevel=3)
        readers = [_StreamReader(stream) for stream in streams]
        parts: dict[Stream, list[Samples]] = {stream: [] for stream in streams}
        for stream, part in self._read(readers, BATCH):
            parts[stream].append(part)
        for stream, reader in zip(streams, readers):
            own = parts.pop(stream) or [_joined_samples(stream, [])]
            columns: Any = zip(*(vars(part).values() for part in own))
            Samples.__init__(stream, *(
                column[0] if len(own) == 1 or column[0] is None else np.concatenate(column) for column in columns))
            stream._reader = reader

    def _read(self, readers: Sequence[_StreamReader], size: int) -> Iterator[tuple[Stream, Samples]]:
        """Yields the samples of streams, at most `size` chunks at a time."""
        wanted = [(reader, entry) for reader in readers for entry in reader.stream._entries]
        for start in range(0, len(wanted), size):
            batch = wanted[start:start + size]
            contents = self._source.contents([entry for _, entry in batch])
            chunks = iter(decode([content for content in contents if content is not None]))
            found: dict[_StreamReader, list[Any]] = {reader: [] for reader, _ in batch}
            for (reader, entry), content in zip(batch, contents):
                chunk = ValueError(MISSING) if content is None else next(chunks)
                if reader.accepts(entry, chunk):
                    found[reader].append(chunk)
            for reader, own in found.items():
                yield reader.stream, _joined_samples(reader.stream, own)
        for reader in readers:
            reader.finish()

    @property
    def gaps(self) -> Table:
        """The gaps of all streams. `lost` is masked where the number is unknown."""
        return self.load()._gap_table(list(self.streams.values()))

    def _gap_table(self, streams: Sequence[Stream]) -> Table:
        rows = [{"board": stream.board.address, "signal": stream.signal, **vars(gap)}
                for stream in streams for gap in stream._reader.gaps]
        return self._table(rows, ("board", "signal", "reason", "start_ns", "end_ns", "lost", "is_estimate", "detail"))

    def _table(self, rows: Sequence[dict[str, Any]], names: Sequence[str]) -> Table:
        return Table(tabulated(rows, names), {"session": self.id})

    @functools.cached_property
    def fixes(self) -> Table:
        """The track: a row for each fix, in order of arrival."""
        rows = [{**fix, "error_basis": ERROR_BASES.get(fix.get("error_basis"))} for fix in self._source.fixes(self.id)]
        return self._table(rows, (
            "arrival_ns", "utc_ns", "latitude", "longitude", *FIX_OPTIONALS, "satellites", "quality",
            "three_dimensional", "follows_loss", "error_horizontal", "error_vertical", "error_basis"))

    def positions(self, times: NDArray[np.int64], maximum_age: float = 10.0) -> Table:
        """Returns the position at each boot time, as in an export. `fix_method` says why a position is unknown."""
        return positions(self.fixes, self.clock, np.asarray(times, np.int64), maximum_age)

    def _dated(self, rows: Sequence[dict[str, Any]], names: Sequence[str]) -> Table:
        """Adds the times to rows. An event of a kind that can follow the session has its recorded universal time."""
        times = np.array([row["time_ns"] for row in rows], np.int64)
        utc = self.clock.utc(times)
        for place, row in enumerate(rows):
            noted = row.get("utc_ns")
            follows = row.get("kind") in ("edited", "dropped", "damaged", "submitted")
            if noted is not None and (np.isnat(utc[place]) or follows):
                utc[place] = np.datetime64(noted, "ns")
        return Table({"utc": utc, "time_ns": times, **tabulated(rows, names)}, {"session": self.id})

    @property
    def events(self) -> Table:
        """The events, and the remarks as `annotation`, in chronological order. Kinds: docs/data-format.md."""
        remarks = [{**row, "kind": "annotation"} for row in self._annotations]
        rows = sorted([*self._events, *remarks], key=lambda row: int(row["time_ns"]))
        return self._dated(rows, ("board", "kind", "value", "text"))

    @property
    def hazards(self) -> Table:
        """The hazards that people reported. If a hazard has no position of its own, the fixes supply one."""
        fixes, found = self.fixes, []
        for hazard in self._hazards:
            if hazard.get("latitude") is None and fixes.count:
                time = hazard["time_ns"]
                place = int(np.searchsorted(fixes["arrival_ns"], time, "right")) - 1
                age = (time - int(fixes["arrival_ns"][max(place, 0)])) / 1e9
                # A hazard reported before the start gets the receiver's first position, unless that position is much
                # later.
                if place >= 0 and age <= 10 or place < 0 and time == self.start_ns and -age <= 120:
                    hazard = {**hazard, **{name: fixes[name][max(place, 0)] for name in ("latitude", "longitude")}}
            found.append(hazard)
        return self._dated(found, ("name", "intensity", "latitude", "longitude"))

    @property
    def tasks(self) -> Table:
        """The performed tasks and the skipped tasks, in order. `end_ns` is masked while a task is running."""
        return self._table(_turns(self._events, self.end_ns),
                           ("task", "repetition", "begin_ns", "end_ns", "outcome", "reason"))

    @property
    def reports(self) -> list[dict[str, Any]]:
        """The reports that people submitted after the session: `hazards`, `answers` and the `utc` of submission."""
        table = self.events
        return [{**json.loads(text), "utc": utc} for kind, text, utc in
                zip(table["kind"], table["text"], table["utc"]) if kind == "submitted"]

    @property
    def metadata(self) -> dict[str, Any]:
        """The description of the session, with values that JSON can represent."""
        start = self.start
        return {"session": self.id, "note": self.note, "gateway": self.gateway, "wearer": self.wearer,
                "participant": self.participant, "start": None if np.isnat(start) else f"{start}Z",
                "start_ns": self.start_ns, "end_ns": self.end_ns, "ending": self.ending,
                "boot_id": self.boot_id, "time_source": self.time_source,
                "has_unknown_losses": self.has_unknown_losses,
                "boards": [dataclasses.asdict(board) for board in self.boards.values()]}

    joined = _joined.joined
    to_parquet, to_hdf5, to_mat, to_mne = _formats.to_parquet, _formats.to_hdf5, _formats.to_mat, _formats.to_mne

    def __repr__(self) -> str:
        return f"<Session {self.id}: {self.start}, {len(self.streams)} streams>"


def _turns(events: Sequence[dict[str, Any]], end_ns: Optional[int]) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []

    def close(time: int) -> None:
        for turn in turns:
            if not turn["outcome"]:
                turn.update(outcome="unfinished", end_ns=max(time, turn["begin_ns"]))

    marks = [event for event in events if event["kind"] in ("task-begin", "task-end")]
    for event in sorted(marks, key=lambda event: int(event["time_ns"])):
        time, value = event["time_ns"], event.get("value")
        turn = {"task": event["text"], "repetition": 1 if value is None else int(value), "begin_ns": time,
                "end_ns": None, "outcome": "", "reason": ""}
        if event["kind"] == "task-begin":
            close(time)
            turns.append(turn)
            continue
        ending = re.fullmatch("([^:]*): ?(done|stopped|skipped|unfinished)(?:: ?(.*))?", event["text"], re.DOTALL)
        if not ending:
            continue
        task, outcome, reason = ending.groups("")
        turn.update(task=task, end_ns=time, outcome=outcome, reason=reason)
        if outcome == "skipped":
            turns.insert(len(turns) - bool(turns and not turns[-1]["outcome"]), turn)
        elif own := next((own for own in reversed(turns) if own["task"] == task and not own["outcome"]), None):
            own.update(end_ns=time, outcome=outcome, reason=reason)
    if end_ns is not None:
        close(end_ns)
    return turns


class Sessions:
    """The sessions at a path, the latest session last."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ids = source.ids()

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[Session]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, key: Union[int, str]) -> Session:
        """Opens a session, given by its number, by the beginning of its id, or as `last`."""
        if isinstance(key, int):
            found = [self._ids[key]]
        else:
            found = self._ids[-1:] if key == "last" else [id_ for id_ in self._ids if id_.startswith(key.lower())]
        if len(found) != 1 or not key and key != 0:
            raise KeyError(f"{len(found) or 'no'} sessions in {self._source.path} match '{key}'")
        try:
            return Session(self._source, self._source.record(found[0]))
        except UnreadableError:
            raise
        except (ValueError, KeyError, TypeError) as fault:
            raise UnreadableError(f"cannot read session {found[0]} in {self._source.path}: {fault!r}\n"
                                  "       send the session again") from fault

    def __repr__(self) -> str:
        return f"<{len(self)} sessions in {self._source.path}>"
