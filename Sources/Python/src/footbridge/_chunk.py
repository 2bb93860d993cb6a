"""Chunks: blocks of samples of one stream, in the format of docs/data-format.md."""
from __future__ import annotations

import dataclasses
import functools
import hashlib
import struct
import zlib
from typing import Any, Iterator, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from ._clock import rounded
from ._columns import Cursor, Ints, Task, run

MAGIC = b"\x89FBCH\r\n\x1a"
SECONDS_PER_TICK = 48 / 32768
MOST_SAMPLES, MOST_FIXES, LONGEST_TEXT = 2**16, 2**17, 4096
LOSS_REASONS = {1: "link", 2: "disconnected", 3: "overflow", 4: "malformed", 5: "store", 6: "restarted", 7: "silent",
                8: "paused", 9: "interrupted"}
# Maps the codes in chunks and stores, and the names in tracks, to the sources of a fix's error estimate.
ERROR_BASES = {1: "reported", 2: "dilution", 3: "gpsd", "receiver": "reported", "dop": "dilution", "gpsd": "gpsd"}
QUALITIES = ("", "autonomous", "differential", "precise", "rtk_fixed", "rtk_float", "estimated", "manual", "simulated")
FIX_OPTIONALS = ("altitude_msl", "geoid_separation", "speed", "track", "hdop")
HEAD = struct.Struct("<16s16s16sIIqdddBBBBQ")


@dataclasses.dataclass
class Gap:
    """Samples that are missing. Unknown values are None."""
    start_ns: Optional[int]
    end_ns: Optional[int]
    lost: Optional[int]
    is_estimate: bool
    #: The reason for the loss, or `chunks` for missing or damaged chunks.
    reason: str
    detail: str = ""


@dataclasses.dataclass
class Chunk:
    """The samples of a chunk and their description."""
    id: str
    session: str
    boot_id: str
    sequence: int
    count: int
    first_ns: int
    period_ns: float
    counts_per_unit: float
    rate: float
    is_estimated: bool
    is_float: bool
    has_ticks: bool
    address: str
    signal: str
    unit: str
    name: str
    model: str
    firmware: str
    axes: tuple[str, ...]
    range: Optional[float] = None
    gaps: list[Gap] = dataclasses.field(default_factory=list)
    #: The fixes that arrived during the chunk, if `decode` was asked to read them.
    fixes: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    counters: NDArray[np.uint32] = dataclasses.field(init=False)
    arrivals: NDArray[np.int64] = dataclasses.field(init=False)
    ticks: Optional[NDArray[np.uint32]] = None
    #: The raw numbers of each axis.
    raw: list[NDArray[np.int32]] = dataclasses.field(default_factory=list)

    @property
    def lost(self) -> int:
        """Number of lost samples in all gaps."""
        return sum(gap.lost or 0 for gap in self.gaps)

    @property
    def lost_before_first(self) -> int:
        """Number of lost samples between the previous chunk and the first sample."""
        return sum(gap.lost or 0 for gap in self.gaps if self.count and (gap.end_ns or 0) <= self.arrivals[0])

    @functools.cached_property
    def times(self) -> NDArray[np.int64]:
        """The boot time of each sample in nanoseconds."""
        return self.first_ns + rounded((self.counters - self.counters[:1]) * self.period_ns)

    @property
    def values(self) -> NDArray[np.float64]:
        """A row for each sample, a column for each axis, in the signal's unit."""
        values = np.empty((self.count, len(self.raw)))
        for axis, raw in enumerate(self.raw):
            np.divide(raw.view(np.float32) if self.is_float else raw, self.counts_per_unit, out=values[:, axis],
                      dtype=np.float64)
        return values

    @property
    def drift_ppm(self) -> Optional[float]:
        """Deviation of the board's rate from the configured rate; positive if the board's clock is fast."""
        nominal = self.period_ns * self.rate
        return (1e9 / nominal - 1) * 1e6 if nominal else None


def decode(contents: Sequence[bytes], fixes: bool = False) -> list[Union[Chunk, ValueError]]:
    """Decodes chunks. Returns an error in place of a damaged chunk. Decoding many chunks together is faster."""
    found: list[Union[Chunk, ValueError]] = []
    tasks: list[Task[None]] = []
    places: list[int] = []
    for content in contents:
        try:
            parts = sections(content)
            chunk = header(parts["head"])
            chunk.gaps = list(_gaps(parts.get("gaps", b"")))
            if "rang" in parts:
                (chunk.range,) = struct.unpack("<d", parts["rang"])
            own = [_numbers(parts["cntr"], chunk, "counters"), _arrivals(parts["arrv"], chunk),
                   _numbers(parts["axes"], chunk, "raw", len(chunk.axes))]
            if chunk.has_ticks:
                own.append(_numbers(parts["tick"], chunk, "ticks"))
            if fixes and "fixs" in parts:
                own.append(_fixes(parts["fixs"], chunk))
            tasks += own
            places += [len(found)] * len(own)
            found.append(chunk)
        except (ValueError, IndexError, KeyError, struct.error) as fault:
            found.append(fault if type(fault) is ValueError else ValueError(f"the chunk is malformed: {fault!r}"))
    for place, result in zip(places, run(tasks)):
        if result is not None and isinstance(found[place], Chunk):
            found[place] = result
    return found


def sections(data: bytes) -> dict[str, bytes]:
    """Returns the sections of a chunk by tag. Checks each section's checksum and the chunk's hash."""
    if data[:8] != MAGIC:
        raise ValueError("not a chunk")
    if len(data) < 48:
        raise ValueError("the chunk is truncated")
    version, count, length = struct.unpack_from("<HHI", data, 8)
    if version != 1:
        raise ValueError(f"chunk format version {version} is unknown")
    if length != len(data):
        raise ValueError(f"the chunk has {len(data)} bytes instead of {length}")
    if hashlib.blake2b(data[:-32], digest_size=32).digest() != data[-32:]:
        raise ValueError("the chunk does not match its checksum")
    found: dict[str, bytes] = {}
    offset = 16
    for _ in range(count):
        tag, length, checksum = struct.unpack_from("<4sII", data, offset)
        content = data[offset + 12:offset + 12 + length]
        offset += 12 + length
        name = tag.decode("ascii")
        if zlib.crc32(content) != checksum or offset > len(data) - 32 or name in found:
            raise ValueError(f"section {name} does not match its checksum, or is repeated")
        found[name] = content
    return found


def header(raw: bytes) -> Chunk:
    """Reads a chunk's header, which describes the chunk but contains no samples."""
    (id_, session, boot, sequence, count, first, period, counts, rate, axes, accounting, form, ticks,
     address) = HEAD.unpack_from(raw)
    texts = _texts(raw[HEAD.size:], 5 + axes)
    if count > MOST_SAMPLES or max(accounting, form, ticks) > 1 or not 1 <= axes <= 4 or not period >= 0:
        raise ValueError("a field of the header is out of range")
    signal, unit, name, model, firmware = texts[:5]
    return Chunk(identifier(id_), identifier(session), identifier(boot), sequence, count, first, period, counts, rate,
                 bool(accounting), bool(form), bool(ticks), written(address), signal, unit, name, model, firmware,
                 texts[5:])


def identifier(raw: bytes) -> str:
    """Formats a UUID as text. Using the class UUID would take ten times as long."""
    digits = raw.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


@functools.lru_cache(64)
def _texts(raw: bytes, count: int) -> tuple[str, ...]:
    reader, texts = Cursor(raw), []
    for _ in range(count):
        length = reader.number()
        if length > LONGEST_TEXT:
            raise ValueError("a string is too long")
        texts.append(raw[reader.offset:reader.offset + length].decode("utf-8"))
        reader.offset += length
    reader.end()
    return tuple(texts)


@functools.lru_cache(64)
def written(address: int) -> str:
    """Formats a Bluetooth address as text."""
    digits = f"{address:012X}"
    return ":".join(digits[at:at + 2] for at in range(0, 12, 2))


def _gaps(raw: bytes) -> Iterator[Gap]:
    for start, end, lost, estimate, reason in struct.iter_unpack("<qqQBB", raw):
        if reason not in LOSS_REASONS:
            raise ValueError(f"a gap has the unknown reason {reason}")
        yield Gap(start, end, lost, bool(estimate), LOSS_REASONS[reason])


def _numbers(raw: bytes, chunk: Chunk, name: str, axes: int = 0) -> Task[None]:
    reader, columns = Cursor(raw), []
    for _ in range(axes or 1):
        columns.append((yield from reader.column(chunk.count)))
    reader.end()
    setattr(chunk, name, columns if axes else columns[0].view(np.uint32))


def _arrivals(raw: bytes, chunk: Chunk) -> Task[None]:
    reader = Cursor(raw)
    packets = reader.number()
    if packets > chunk.count:
        raise ValueError("there are more packets than samples")
    sizes = yield from reader.column(packets)
    times = yield from reader.times(packets)
    reader.end()
    if sizes.min(initial=1) < 1 or sizes.sum() != chunk.count:
        raise ValueError("the packet sizes do not add up to the number of samples")
    chunk.arrivals = np.repeat(times, sizes)


def _fixes(raw: bytes, chunk: Chunk) -> Task[None]:
    reader = Cursor(raw)
    count = reader.number()
    if count > MOST_FIXES:
        raise ValueError("there are too many fixes")
    flags: Ints = yield from reader.column(count)
    qualities = yield from reader.column(count)
    columns: dict[str, Any] = {}
    for name in ("arrival_ns", "utc_ns"):
        columns[name] = yield from reader.times(count)
    for name in ("latitude", "longitude"):
        columns[name] = yield from reader.decimals(count)
    fixes: list[dict[str, Any]] = [
        dict(zip(columns, row)) for row in zip(*(column.tolist() for column in columns.values()))]

    optional = [(name, bit, reader.decimals) for bit, name in enumerate(FIX_OPTIONALS)]
    optional += [("satellites", 5, reader.column), ("error_horizontal", 7, reader.decimals),
                 ("error_vertical", 8, reader.decimals), ("error_basis", 7, reader.column)]
    for name, bit, read in optional:
        is_present = flags >> bit & 1
        values = iter((yield from read(int(is_present.sum()))).tolist())
        for fix, present in zip(fixes, is_present):
            fix[name] = next(values) if present else None
    reader.end()
    if not np.isin(qualities, range(1, len(QUALITIES))).all():
        raise ValueError("a fix has an unknown quality")
    if any(fix["error_basis"] not in (None, *ERROR_BASES) for fix in fixes):
        raise ValueError("the error of a fix has an unknown source")
    for fix, own, quality in zip(fixes, flags, qualities):
        fix.update(three_dimensional=bool(own & 64), quality=int(quality), follows_loss=bool(own & 512))
    chunk.fixes = fixes
