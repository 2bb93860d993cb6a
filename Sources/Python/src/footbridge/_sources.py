"""The places where sessions are stored: a store, a folder, a sealed object, and a chunk file."""
from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import mmap
import os
import re
import sqlite3
import struct
import urllib.parse
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence, TypeVar, Union

from . import _chunk
from ._clock import SOURCES, Clock, Pair, dating

Result = TypeVar("Result")
APPLICATION_ID, NEWEST_SCHEMA = 0x46744272, 2
SEALED_MAGIC = b"\x89FBSO\r\n\x1a"
BASES = {"receiver": "reported", "dop": "dilution"}


class UnreadableError(ValueError):
    """A file that does not contain sessions, or that cannot be read."""


@dataclasses.dataclass
class Board:
    """A board of a session. Unknown texts are empty."""
    address: str
    name: str = ""
    model: str = ""
    firmware: str = ""
    placement: str = ""


class Entry(NamedTuple):
    """A chunk that a session lists."""
    id: str
    sequence: int
    #: Its samples, stored and lost.
    size: int


@dataclasses.dataclass
class StreamRecord:
    """A stream as a session lists it."""
    board: str
    signal: str
    unit: str
    axes: tuple[str, ...]
    rate: float
    range: Optional[float]
    has_ticks: bool
    last_sequence: Optional[int]
    chunks: list[Entry]
    #: The sizes of chunks without a copy, by their sequence number.
    gone: dict[int, int]


@dataclasses.dataclass(eq=False)
class Record:
    """Everything about a session except its samples and fixes. Unknown values are None."""
    id: str
    boot_id: str
    #: Boot times in nanoseconds. The end is unknown while the session is open.
    start_ns: int
    end_ns: Optional[int] = None
    #: `closed` by the recorder, `recovered` by the next one.
    ending: Optional[str] = None
    note: str = ""
    gateway: str = ""
    wearer: str = ""
    #: With the members of docs/definitions.md.
    participant: Optional[dict[str, Any]] = None
    #: Whether another gateway's chunks have arrived, but not its record.
    is_arriving: bool = False
    #: By address, including boards that never sent a sample.
    boards: dict[str, Board] = dataclasses.field(default_factory=dict)
    stream_records: list[StreamRecord] = dataclasses.field(default_factory=list)
    pairs: list[Pair] = dataclasses.field(default_factory=list)
    hazard_rows: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    annotation_rows: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    event_rows: list[dict[str, Any]] = dataclasses.field(default_factory=list)


class Source:
    """A place with sessions."""

    def __init__(self, path: str) -> None:
        self.path = path

    def ids(self) -> list[str]:
        """The ids of the sessions, the latest last."""
        raise NotImplementedError

    def record(self, session: str) -> Record:
        raise NotImplementedError

    def content(self, chunk: str) -> Optional[bytes]:
        """The bytes of a chunk: None if it is missing, and none if it cannot be read."""
        raise NotImplementedError

    def contents(self, entries: Sequence[Entry]) -> list[Optional[bytes]]:
        return [self.content(entry.id) for entry in entries]

    def fixes(self, session: str) -> list[dict[str, Any]]:
        raise NotImplementedError

    def has_tail(self) -> bool:
        """Whether the newest samples of an open session are outside of the chunks."""
        return False


class Store(Source):
    """A SQLite store, which a recorder may be writing."""

    def __init__(self, path: str) -> None:
        super().__init__(path)

        def check(database: sqlite3.Connection) -> None:
            (application,), (version,) = (database.execute(f"PRAGMA {name}").fetchone()
                                          for name in ("application_id", "user_version"))
            if application != APPLICATION_ID:
                raise UnreadableError(f"cannot open {path}: not a footbridge store")
            if not 0 < version <= NEWEST_SCHEMA:
                raise UnreadableError(f"cannot open {path}: its schema version is {version}; the newest known is "
                                      f"{NEWEST_SCHEMA}\n       install the package of the gateway's release")
        self.read(check)

    def _state(self) -> tuple[bool, int, int]:
        status = os.stat(self.path)
        return os.path.exists(self.path + "-wal"), status.st_mtime_ns, status.st_size

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """The result of a function that reads the database.

        While a store has a write-ahead log, SQLite coordinates its readers and its writer. Without this log nobody
        writes, and a connection that coordinates would leave files beside the store. So the file is read as one that
        does not change, and again if it has changed meanwhile.
        """
        while True:
            state = self._state()
            mode = "mode=ro" if state[0] else "mode=ro&immutable=1"
            try:
                with contextlib.closing(sqlite3.connect(f"file:{urllib.parse.quote(os.path.abspath(self.path))}?{mode}",
                                                        uri=True, timeout=10)) as database:
                    database.row_factory = sqlite3.Row
                    result = work(database)
            except sqlite3.Error as fault:
                if self._state() != state and not state[0]:
                    continue
                raise UnreadableError(f"cannot read {self.path}: {fault}\n"
                                      "       check that it is a footbridge store, with 'footbridge store check'"
                                      ) from fault
            if state[0] or self._state() == state:
                return result

    def ids(self) -> list[str]:
        return self.read(lambda database: [
            _chunk.identifier(row[0]) for row in database.execute("SELECT id FROM session ORDER BY number")])

    def record(self, session: str) -> Record:
        return self.read(lambda database: _stored_record(database, _raw(session)))

    def contents(self, entries: Sequence[Entry]) -> list[Optional[bytes]]:
        def content(database: sqlite3.Connection, entry: Entry) -> Optional[bytes]:
            try:
                row = database.execute("SELECT bytes FROM chunk WHERE id = ?", (_raw(entry.id),)).fetchone()
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                # A damaged page of the database affects only the chunks on it.
                return b""
            return None if row is None else bytes(row[0])
        return self.read(lambda database: [content(database, entry) for entry in entries])

    def fixes(self, session: str) -> list[dict[str, Any]]:
        fixes = self.read(lambda database: [dict(row) for row in database.execute(
            "SELECT * FROM fix WHERE session = ? ORDER BY number", (_raw(session),))])
        for fix in fixes:
            fix["error_basis"] = _chunk.ERROR_BASES.get(fix["error_basis"])
        return fixes

    def has_tail(self) -> bool:
        start = os.path.basename(self.path) + "-tail-"
        return any(name.startswith(start) for name in os.listdir(os.path.dirname(os.path.abspath(self.path))))


def _raw(id_: str) -> bytes:
    return bytes.fromhex(id_.replace("-", ""))


def _stored_record(database: sqlite3.Connection, session: bytes) -> Record:
    def rows(query: str, *values: Any) -> list[sqlite3.Row]:
        return database.execute(query, values or (session,)).fetchall()

    def pairs(condition: str, *values: Any) -> list[Pair]:
        return [Pair(row[0], row[1], SOURCES[row[2]]) for row in rows(
            f"SELECT boot_ns, utc_ns, source FROM clock WHERE {condition} ORDER BY number", *values)]

    (about,) = rows("SELECT * FROM session WHERE id = ?")
    record = Record(
        _chunk.identifier(session), _chunk.identifier(about["boot_id"]), about["start_ns"], about["end_ns"],
        {0: "closed", 1: "recovered"}.get(about["ending"]), about["note"], about["gateway"], about["wearer"],
        _json_object(about["participant"] if "participant" in about.keys() else ""), about["received"] == 1)
    for row in rows("SELECT * FROM board WHERE session = ? ORDER BY address"):
        address = _chunk.written(row["address"])
        record.boards[address] = Board(address, row["name"], row["model"], row["firmware"], row["placement"])
    for row in rows("SELECT * FROM stream WHERE session = ? ORDER BY position IS NULL, position, number"):
        chunks = [Entry(_chunk.identifier(id_), *rest) for id_, *rest in rows(
            "SELECT id, sequence, samples + lost FROM chunk WHERE stream = ? ORDER BY sequence", row["number"])]
        stored = {entry.sequence for entry in chunks}
        gone = {sequence: size for sequence, size in rows(
            "SELECT sequence, max(samples + max(lost, 0)) FROM (SELECT stream, sequence, samples, lost FROM damaged "
            "UNION ALL SELECT stream, sequence, samples, lost FROM absent) WHERE stream = ? GROUP BY sequence",
            row["number"]) if sequence not in stored}
        sequences = [*stored, *gone, *([row["last_sequence"]] if row["last_sequence"] is not None else [])]
        record.stream_records.append(StreamRecord(
            _chunk.written(row["board"]), row["signal"], row["unit"], tuple(row["axis_names"].split(",")), row["rate"],
            row["measuring_range"], bool(row["board_ticks"]), max(sequences, default=None), chunks, gone))
    record.pairs = dating(pairs("session = ?"), lambda: pairs(
        "session IN (SELECT id FROM session WHERE boot_id = ?)", about["boot_id"]))
    record.hazard_rows = [dict(row) for row in rows("SELECT * FROM hazard WHERE session = ? ORDER BY time_ns, name")]
    record.annotation_rows = [dict(row) for row in rows("SELECT * FROM annotation WHERE session = ? ORDER BY number")]
    record.event_rows = [dict(row) for row in rows("SELECT * FROM event WHERE session = ? ORDER BY number")]
    for event in record.event_rows:
        event["board"] = None if event["board"] is None else _chunk.written(event["board"])
    return record


def _json_object(text: str) -> Optional[dict[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _sent_record(content: bytes) -> Record:
    """The record of a session from its JSON, as docs/data-format.md specifies it."""
    sent = json.loads(content)
    if sent["format"] != 1:
        raise ValueError(f"the format {sent['format']} of a record is unknown")
    about = sent["session"]
    record = Record(
        about["id"], about["bootId"], int(about["startNs"]),
        None if about.get("endNs") is None else int(about["endNs"]), about.get("ending"),
        about.get("note", ""), about.get("gateway", ""), about.get("wearer", ""), about.get("participant"))
    places = sent.get("placements", {})
    for board in sent["boards"]:
        address = board["address"]
        record.boards[address] = Board(address, board["name"], board["model"], board["firmware"],
                                       places.get(address, ""))
    for stream in sent["streams"]:
        chunks = [Entry(chunk["id"], chunk["sequence"], chunk["samples"] + int(chunk["lost"]))
                  for chunk in stream["chunks"]]
        gone = {chunk["sequence"]: chunk["samples"] + int(chunk["lost"]) for chunk in stream.get("gone", ())}
        record.stream_records.append(StreamRecord(
            stream["board"], stream["signal"], stream["unit"], tuple(stream["axes"]), stream["rate"],
            stream.get("range"), stream["boardClock"], stream.get("lastSequence"), chunks, gone))
    record.pairs = [Pair(int(pair["bootNs"]), int(pair["utcNs"]), pair["source"]) for pair in sent["clock"]]
    record.hazard_rows, record.annotation_rows, record.event_rows = (
        [_snake(item) for item in sent.get(name, ())] for name in ("hazards", "annotations", "events"))
    return record


def _snake(item: dict[str, Any]) -> dict[str, Any]:
    """An object of a record with the names and the integers of a store's row."""
    return {re.sub("([a-z])([A-Z]+)", lambda name: f"{name[1]}_{name[2].lower()}", name):
            int(value) if name.endswith("Ns") else value for name, value in item.items()}


def _sent_fixes(content: bytes) -> Iterator[dict[str, Any]]:
    for sent in json.loads(content)["fixes"]:
        fix = _snake(sent)
        error = fix.pop("error", None) or {}
        fix.update(error_horizontal=error.get("horizontal"), error_vertical=error.get("vertical"),
                   error_basis=BASES.get(error.get("basis", ""), error.get("basis")),
                   follows_loss=fix.get("follows_loss", False))
        yield fix


class Folder(Source):
    """A folder that `footbridge receive` or a folder destination writes."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.root = Path(path)
        if not (self.root / "sessions").is_dir() and not (self.root / "chunks").is_dir():
            raise UnreadableError(f"cannot open {path}: this folder contains no sessions\n"
                                  "       name the folder that 'footbridge receive' or a folder destination writes to")

    def ids(self) -> list[str]:
        found = []
        for path in (self.root / "sessions").glob("*/record.json"):
            try:
                record = self.record(path.parent.name)
            except (UnreadableError, OSError):
                continue
            start = Clock(record.pairs).utc(record.start_ns).astype(int)  # type: ignore[arg-type]
            found.append((int(start), record.start_ns, record.id))
        return [id_ for _, _, id_ in sorted(found)]

    def record(self, session: str) -> Record:
        path = self.root / "sessions" / session / "record.json"
        try:
            return _sent_record(path.read_bytes())
        except (ValueError, KeyError, TypeError) as fault:
            raise UnreadableError(f"cannot read {path}: {fault!r}\n       send the session again") from fault

    def content(self, chunk: str) -> Optional[bytes]:
        try:
            return (self.root / "chunks" / chunk[:2] / f"{chunk}.chunk").read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            return b""

    def fixes(self, session: str) -> list[dict[str, Any]]:
        pieces = (self.root / "sessions" / session / "track").glob("*.json")
        return [fix for piece in sorted(pieces, key=lambda path: int(path.stem))
                for fix in _sent_fixes(piece.read_bytes())]


def sealed_parts(data: Union[bytes, mmap.mmap]) -> Iterator[tuple[str, str, int, bytes]]:
    """The parts of a sealed object (docs/sealed-sessions.md): kind, id, number and bytes."""
    for number, (kind, name, offset, length, digest) in enumerate(_sealed_index(data)):
        content = data[offset:offset + length]
        if hashlib.sha256(content).digest() != digest:
            raise UnreadableError(f"part {number} of the sealed object is damaged")
        yield kind, name, number, content


def _sealed_index(data: Union[bytes, mmap.mmap]) -> list[tuple[str, str, int, int, bytes]]:
    if len(data) < 64:
        raise UnreadableError("not a sealed object, or truncated")
    magic, version, count, start, size, digest = struct.unpack("<8sIIQQ32s", data[-64:])
    index = data[start:-64]
    if magic != SEALED_MAGIC or version != 1 or size != len(data) or hashlib.sha256(index).digest() != digest:
        raise UnreadableError("not a sealed object, or damaged")
    kinds = {1: "chunk", 2: "record", 3: "track"}
    return [(kinds[kind], _chunk.identifier(name), offset, length, own)
            for name, offset, length, kind, own in struct.iter_unpack("<16sQII32s", index[:64 * count])]


class Sealed(Source):
    """An object of a fleet's cold storage, with its further objects beside it (`NAME-1`, `NAME-2` …)."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.chunks: dict[str, tuple[mmap.mmap, int, int]] = {}
        self.tracks: list[bytes] = []
        found: Optional[bytes] = None
        number, name = 0, path
        while os.path.exists(name):
            with open(name, "rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            tracks = []
            try:
                index = _sealed_index(data)
            except UnreadableError as fault:
                raise UnreadableError(f"cannot open {name}: {fault}") from fault
            for kind, id_, offset, length, digest in index:
                if kind == "chunk":
                    self.chunks[id_] = (data, offset, length)
                    continue
                content = data[offset:offset + length]
                if hashlib.sha256(content).digest() != digest:
                    raise UnreadableError(f"cannot open {name}: the {kind} is damaged")
                found = content if kind == "record" else found
                tracks += [content] if kind == "track" else []
            self.tracks = tracks or self.tracks
            number += 1
            name = f"{path}-{number}"
        if found is None:
            raise UnreadableError(f"cannot open {path}: the sealed object has no record")
        self.own = _sent_record(found)

    def ids(self) -> list[str]:
        return [self.own.id]

    def record(self, session: str) -> Record:
        return self.own

    def content(self, chunk: str) -> Optional[bytes]:
        data, offset, length = self.chunks.get(chunk, (None, 0, 0))
        return None if data is None else data[offset:offset + length]

    def fixes(self, session: str) -> list[dict[str, Any]]:
        return [fix for piece in self.tracks for fix in _sent_fixes(piece)]


class ChunkFile(Source):
    """A single chunk. It contains no universal time except that of its fixes."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.bytes = Path(path).read_bytes()
        (chunk,) = _chunk.decode([self.bytes], fixes=True)
        if isinstance(chunk, ValueError):
            raise UnreadableError(f"cannot open {path}: {chunk}") from chunk
        self.chunk = chunk

    def ids(self) -> list[str]:
        return [self.chunk.session]

    def record(self, session: str) -> Record:
        chunk = self.chunk
        stream = StreamRecord(
            chunk.address, chunk.signal, chunk.unit, chunk.axes, chunk.rate, chunk.range, chunk.has_ticks, None,
            [Entry(chunk.id, chunk.sequence, chunk.count + chunk.lost)], {})
        return Record(chunk.session, chunk.boot_id, chunk.first_ns, stream_records=[stream],
                      boards={chunk.address: Board(chunk.address, chunk.name, chunk.model, chunk.firmware)})

    def content(self, chunk: str) -> Optional[bytes]:
        return self.bytes

    def fixes(self, session: str) -> list[dict[str, Any]]:
        return [{**fix, "error_basis": _chunk.ERROR_BASES.get(fix["error_basis"])} for fix in self.chunk.fixes]


def source(path: Union[str, os.PathLike[str]]) -> Source:
    """The sessions at a path, by what the path contains."""
    name = os.fspath(path)
    if os.path.isdir(name):
        return Folder(name)
    with open(name, "rb") as file:
        start = file.read(16)
        if start[:8] == _chunk.MAGIC:
            return ChunkFile(name)
        if start == b"SQLite format 3\0":
            return Store(name)
        file.seek(max(0, os.path.getsize(name) - 64))
        if file.read(8) == SEALED_MAGIC:
            return Sealed(name)
    raise UnreadableError(f"cannot open {name}: not a footbridge store, a sealed object or a chunk")
