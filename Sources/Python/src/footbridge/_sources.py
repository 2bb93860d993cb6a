"""Places that contain sessions: a store, a folder, a sealed object, and a chunk file."""
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
from ._clock import Clock, Pair

Result = TypeVar("Result")
Json = dict[str, Any]
APPLICATION_ID, NEWEST_SCHEMA = 0x46744272, 2
SEALED_MAGIC = b"\x89FBSO\r\n\x1a"
SEALED_KINDS = {1: "chunk", 2: "record", 3: "track"}


class UnreadableError(ValueError):
    """The file contains no sessions or cannot be read."""


@dataclasses.dataclass
class Board:
    """A board of a session. Unknown texts are empty."""
    address: str
    name: str = ""
    model: str = ""
    firmware: str = ""
    placement: str = ""


class Entry(NamedTuple):
    """A chunk in a session's list of chunks. Its id is empty if no copy of the chunk exists."""
    id: str
    sequence: int
    #: Number of samples, both stored and lost.
    size: int


def entries(stream: Json) -> list[Entry]:
    """The chunks of a stream in a session's record, in order of their sequence numbers."""
    found = {chunk["sequence"]: Entry(chunk["id"], chunk["sequence"], chunk["samples"] + int(chunk["lost"]))
             for chunk in [*({**gone, "id": ""} for gone in stream.get("gone", ())), *stream["chunks"]]}
    return [found[sequence] for sequence in sorted(found)]


def pairs(record: Json) -> list[Pair]:
    return [Pair(int(pair["bootNs"]), int(pair["utcNs"]), pair["source"]) for pair in record["clock"]]


def snake(item: Json) -> Json:
    """Converts an object in a record to a store's column names and integers."""
    return {re.sub("([a-z])([A-Z]+)", lambda name: f"{name[1]}_{name[2].lower()}", name):
            int(value) if name.endswith("Ns") and value is not None else value for name, value in item.items()}


class Source:
    """A place that contains sessions."""

    def __init__(self, path: str) -> None:
        self.path = path

    def ids(self) -> list[str]:
        """The ids of the sessions, the latest session last."""
        raise NotImplementedError

    def record(self, session: str) -> Json:
        """A session's record, with the members of docs/data-format.md. Nanoseconds are integers or decimal strings."""
        raise NotImplementedError

    def content(self, chunk: str) -> Optional[bytes]:
        """The bytes of a chunk: None if the chunk is missing, empty if it cannot be read."""
        raise NotImplementedError

    def contents(self, entries: Sequence[Entry]) -> list[Optional[bytes]]:
        return [self.content(entry.id) if entry.id else None for entry in entries]

    def fixes(self, session: str) -> list[Json]:
        raise NotImplementedError

    def has_tail(self) -> bool:
        """Whether the newest samples of an open session are not stored in chunks yet."""
        return False


class Store(Source):
    """A SQLite store. A recorder can write to it at the same time."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        about: Json = self.read(lambda database: database.execute(
            "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version").fetchone())
        version = about["user_version"]
        if about["application_id"] != APPLICATION_ID:
            raise UnreadableError(f"cannot open {path}: not a footbridge store")
        if not 0 < version <= NEWEST_SCHEMA:
            raise UnreadableError(f"cannot open {path}: its schema version is {version}; the newest known is "
                                  f"{NEWEST_SCHEMA}\n       install the package of the gateway's release")

    def _state(self) -> tuple[bool, int, int]:
        status = os.stat(self.path)
        return os.path.exists(self.path + "-wal"), status.st_mtime_ns, status.st_size

    def read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Returns the result of `work`, a function that reads the database.

        While a store has a write-ahead log, SQLite coordinates readers and the writer. Without this log, nobody is
        writing, and a coordinated connection would leave files next to the store. So the file is opened as immutable,
        and read again if it has changed in the meantime.
        """
        while True:
            state = self._state()
            name = f"file:{urllib.parse.quote(os.path.abspath(self.path))}?mode=ro{'' if state[0] else '&immutable=1'}"
            try:
                with contextlib.closing(sqlite3.connect(name, uri=True, timeout=10)) as database:
                    database.row_factory = _object
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
            _chunk.identifier(row["id"]) for row in database.execute("SELECT id FROM session ORDER BY number")])

    def record(self, session: str) -> Json:
        return self.read(lambda database: _stored_record(database, _raw(session)))

    def contents(self, entries: Sequence[Entry]) -> list[Optional[bytes]]:
        def content(database: sqlite3.Connection, entry: Entry) -> Optional[bytes]:
            try:
                row = database.execute("SELECT bytes FROM chunk WHERE id = ?", (_raw(entry.id),)).fetchone()
                return None if row is None else bytes(row["bytes"])
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                # A damaged page of the database affects only the chunks on this page.
                return b""
        return self.read(lambda database: [content(database, entry) for entry in entries])

    def fixes(self, session: str) -> list[Json]:
        return self.read(lambda database: database.execute(
            "SELECT * FROM fix WHERE session = ? ORDER BY number", (_raw(session),)).fetchall())

    def has_tail(self) -> bool:
        start = os.path.basename(self.path) + "-tail-"
        return any(name.startswith(start) for name in os.listdir(os.path.dirname(os.path.abspath(self.path))))


def _raw(id_: str) -> bytes:
    return bytes.fromhex(id_.replace("-", ""))


def _object(cursor: sqlite3.Cursor, row: Sequence[Any]) -> Json:
    return {name: value for (name, *_), value in zip(cursor.description, row)}


# If a session has no trusted pair, the trusted pairs of other sessions of the same boot date it.
CLOCK = """
    SELECT boot_ns AS bootNs, utc_ns AS utcNs,
           CASE source WHEN 0 THEN 'system' WHEN 1 THEN 'ntp' ELSE 'gps' END AS source
    FROM clock WHERE session = ?1 OR source > 0 AND NOT EXISTS (SELECT 1 FROM clock WHERE session = ?1 AND source > 0)
    AND session IN (SELECT id FROM session WHERE boot_id = (SELECT boot_id FROM session WHERE id = ?1))
    ORDER BY session != ?1, number"""


def _stored_record(database: sqlite3.Connection, session: bytes) -> Json:
    """Reads a session's record from a store, with the same members as in a sent record."""
    database.create_function("uuid", 1, _chunk.identifier)
    database.create_function("mac", 1, lambda address: None if address is None else _chunk.written(address))

    def objects(query: str, value: Any = session) -> list[Json]:
        return database.execute(query, (value,)).fetchall()

    (about,) = objects("""SELECT *, uuid(id) AS id, uuid(boot_id) AS bootId, start_ns AS startNs, end_ns AS endNs,
                                 CASE ending WHEN 0 THEN 'closed' WHEN 1 THEN 'recovered' END AS ending
                          FROM session WHERE id = ?""")
    about["participant"] = _participant(about.get("participant"))
    # In a session that was recorded into this store, each stream begins with sequence number 0.
    streams = objects("""SELECT *, mac(board) AS board, measuring_range AS range, board_ticks AS boardClock,
                                coalesce(last_sequence, -1) AS lastSequence
                         FROM stream WHERE session = ? ORDER BY position IS NULL, position, number""")
    for stream in streams:
        stream["axes"] = stream["axis_names"].split(",")
        stream["chunks"] = objects(
            "SELECT uuid(id) AS id, sequence, samples, lost FROM chunk WHERE stream = ?", stream["number"])
        stream["gone"] = objects(
            """SELECT sequence, max(samples + max(lost, 0)) AS samples, 0 AS lost FROM
               (SELECT stream, sequence, samples, lost FROM damaged
                UNION ALL SELECT stream, sequence, samples, lost FROM absent)
               WHERE stream = ? GROUP BY sequence""", stream["number"])
    return {"session": about, "streams": streams, "clock": objects(CLOCK),
            "boards": objects("""SELECT mac(address) AS address, name, model, firmware, placement FROM board
                                 WHERE session = ? ORDER BY address"""),
            "hazards": objects("SELECT * FROM hazard WHERE session = ? ORDER BY time_ns, name"),
            "annotations": objects("SELECT * FROM annotation WHERE session = ? ORDER BY number"),
            "events": objects("SELECT *, mac(board) AS board FROM event WHERE session = ? ORDER BY number")}


def _participant(text: Optional[str]) -> Optional[Json]:
    with contextlib.suppress(ValueError):
        found = json.loads(text or "null")
        return found if isinstance(found, dict) else None
    return None


def _sent_fixes(pieces: Sequence[bytes]) -> list[Json]:
    fixes = [snake(fix) for piece in pieces for fix in json.loads(piece)["fixes"]]
    for fix in fixes:
        fix.update({f"error_{name}": value for name, value in (fix.pop("error", None) or {}).items()})
    return fixes


class Folder(Source):
    """A folder that `footbridge receive` or a folder destination writes to."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.root = Path(path)
        if not (self.root / "sessions").is_dir() and not (self.root / "chunks").is_dir():
            raise UnreadableError(f"cannot open {path}: this folder contains no sessions\n"
                                  "       name the folder that 'footbridge receive' or a folder destination writes to")

    def ids(self) -> list[str]:
        found = []
        for path in (self.root / "sessions").glob("*/record.json"):
            with contextlib.suppress(ValueError, KeyError, TypeError, OSError):
                sent = self.record(path.parent.name)
                start = int(sent["session"]["startNs"])
                found.append((int(Clock(pairs(sent)).utc(start).astype(int)), start, str(sent["session"]["id"])))
        return [id_ for _, _, id_ in sorted(found)]

    def record(self, session: str) -> Json:
        content: Json = json.loads((self.root / "sessions" / session / "record.json").read_bytes())
        return content

    def content(self, chunk: str) -> Optional[bytes]:
        try:
            return (self.root / "chunks" / chunk[:2] / f"{chunk}.chunk").read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            return b""

    def fixes(self, session: str) -> list[Json]:
        pieces = (self.root / "sessions" / session / "track").glob("*.json")
        return _sent_fixes([piece.read_bytes() for piece in sorted(pieces, key=lambda path: int(path.stem))])


def sealed_items(path: str) -> Iterator[tuple[str, str, memoryview, bytes]]:
    """Yields the items of a sealed object (docs/sealed-sessions.md): kind, id, bytes, and the SHA-256 of the bytes."""
    with open(path, "rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if len(data) < 64:
        raise UnreadableError(f"cannot open {path}: not a sealed object, or truncated")
    magic, version, count, start, size, digest = struct.unpack("<8sIIQQ32s", data[-64:])
    index = data[start:-64]
    if magic != SEALED_MAGIC or version != 1 or size != len(data) or hashlib.sha256(index).digest() != digest:
        raise UnreadableError(f"cannot open {path}: not a sealed object, or damaged")
    for id_, offset, length, kind, own in struct.iter_unpack("<16sQII32s", index[:64 * count]):
        yield SEALED_KINDS[kind], _chunk.identifier(id_), data[offset:offset + length], own


def checked(path: str, kind: str, content: memoryview, digest: bytes) -> bytes:
    """Returns the bytes of a sealed object's item, or raises an error if they are damaged."""
    if hashlib.sha256(content).digest() != digest:
        raise UnreadableError(f"cannot open {path}: the {kind} is damaged")
    return bytes(content)


class Sealed(Source):
    """An object in a fleet's cold storage, with its additional objects next to it (`NAME-1`, `NAME-2` …)."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.chunks: dict[str, memoryview] = {}
        self.tracks: list[bytes] = []
        records: list[bytes] = []
        number, name = 0, path
        while os.path.exists(name):
            tracks: list[bytes] = []
            for kind, id_, content, digest in sealed_items(name):
                if kind == "chunk":
                    # A chunk contains its own hash.
                    self.chunks[id_] = content
                else:
                    (records if kind == "record" else tracks).append(checked(name, kind, content, digest))
            self.tracks = tracks or self.tracks
            number += 1
            name = f"{path}-{number}"
        if not records:
            raise UnreadableError(f"cannot open {path}: the sealed object has no record")
        self.own: Json = json.loads(records[-1])

    def ids(self) -> list[str]:
        return [self.own["session"]["id"]]

    def record(self, session: str) -> Json:
        return self.own

    def content(self, chunk: str) -> Optional[bytes]:
        return bytes(self.chunks[chunk]) if chunk in self.chunks else None

    def fixes(self, session: str) -> list[Json]:
        return _sent_fixes(self.tracks)


class ChunkFile(Source):
    """A single chunk. The only universal times in it are those of its fixes."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.bytes = Path(path).read_bytes()
        (chunk,) = _chunk.decode([self.bytes], fixes=True)
        if isinstance(chunk, ValueError):
            raise UnreadableError(f"cannot open {path}: {chunk}") from chunk
        self.chunk = chunk

    def ids(self) -> list[str]:
        return [self.chunk.session]

    def record(self, session: str) -> Json:
        chunk, about = self.chunk, vars(self.chunk)
        return {"session": {"id": session, "bootId": chunk.boot_id, "startNs": chunk.first_ns}, "clock": [],
                "boards": [about], "streams": [{
                    **about, "board": chunk.address, "boardClock": chunk.has_ticks,
                    "chunks": [{**about, "samples": chunk.count, "lost": chunk.lost}]}]}

    def content(self, chunk: str) -> Optional[bytes]:
        return self.bytes

    def fixes(self, session: str) -> list[Json]:
        return self.chunk.fixes


def source(path: Union[str, os.PathLike[str]]) -> Source:
    """Opens the sessions at a path. The path's content determines the kind of source."""
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
