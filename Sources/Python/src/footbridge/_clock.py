"""Universal time of boot times, by the pairs of both clocks that a session contains (docs/time.md)."""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

SOURCES = ("system", "ntp", "gps")
# The constants of docs/time.md: how far the clocks may differ, the weeks of a receiver's counter, a step in its time,
# the pairs and the time that show the drift of the boot clock, and the largest plausible drift.
TOLERANCE, WEEK_TURN, LONGEST_STEP = 1e9, 619_315_200e9, 0.5e9
LEARNING, LEARNING_PAIRS, STEEPEST = 1_200_000_000_000, 10, 300e-6


class Pair(NamedTuple):
    """A boot time and the universal time at the same instant, in nanoseconds."""
    boot_ns: int
    utc_ns: int
    #: `system`, `ntp` (a synchronised system clock) or `gps`.
    source: str

    @property
    def offset(self) -> int:
        return self.utc_ns - self.boot_ns


class Clock:
    """Converts boot times to universal time."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        synchronised = [pair for pair in pairs if pair.source == "ntp"]
        system = (synchronised or [pair for pair in pairs if pair.source == "system"])[-1:]
        line = _line([pair for pair in pairs if pair.source == "gps"])
        is_fault = False
        if line and system:
            boot = system[0].boot_ns
            difference = line[0] + int(rounded((boot - line[1]) * line[2])) - system[0].offset
            turns = int(rounded(-difference / WEEK_TURN))
            if turns > 0 and abs(difference + turns * WEEK_TURN) < 86_400e9:
                line = (line[0] + int(turns * WEEK_TURN), *line[1:])
            else:
                is_fault = abs(difference) > TOLERANCE
        #: The source that dates the session: `ntp`, `gps`, `system` or `unsynced`.
        self.source = "unsynced"
        self._offset, self._origin, self._slope = 0, 0, 0.0
        if line and (not synchronised or is_fault):
            self.source = "gps"
            self._offset, self._origin, self._slope = line
        elif system:
            self.source, self._offset = system[0].source, system[0].offset

    @property
    def is_trusted(self) -> bool:
        """Whether the date is reliable."""
        return self.source in ("ntp", "gps")

    def utc(self, boot_ns: NDArray[np.int64]) -> NDArray[np.datetime64]:
        """The universal time of boot times; NaT if it is unknown."""
        times = np.asarray(boot_ns, np.int64)
        if self.source == "unsynced":
            return np.full(times.shape, "NaT", "datetime64[ns]")
        drift = rounded((times - self._origin) * self._slope) if self._slope else 0
        return (times + self._offset + drift).view("datetime64[ns]")

    def boot(self, utc_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """The boot time of universal times. The source must be known."""
        times = np.asarray(utc_ns, np.int64) - self._offset
        if not self._slope:
            return times
        return self._origin + rounded((times - self._origin) / (1 + self._slope))


def dating(own: Sequence[Pair], same_boot: Callable[[], Sequence[Pair]]) -> list[Pair]:
    """The pairs that date a session: its own, and the trusted ones of the same boot if it has no trusted pair."""
    if any(pair.source != "system" for pair in own):
        return list(own)
    return [*own, *(pair for pair in same_boot() if pair.source != "system")]


def rounded(values: Any) -> NDArray[np.int64]:
    """The nearest integers; of two, the one farther from zero."""
    size = np.abs(values)
    whole = np.floor(size)
    return np.copysign(whole + (size - whole >= 0.5), values).astype(np.int64)


def _line(pairs: list[Pair]) -> Optional[tuple[int, int, float]]:
    """The offset, the origin and the slope of the line along the upper edge of the satellites' offsets."""
    pairs = _latest_that_agree(sorted(pairs, key=lambda pair: pair.boot_ns))
    if not pairs:
        return None
    first, slope = pairs[0], _slope(pairs)
    return first.offset + int(rounded(max(_height(pair, first, slope) for pair in pairs))), first.boot_ns, slope


def _height(pair: Pair, first: Pair, slope: float) -> float:
    return (pair.offset - first.offset) - slope * (pair.boot_ns - first.boot_ns)


def _slope(pairs: list[Pair]) -> float:
    first, last = pairs[0], pairs[-1]
    span = last.boot_ns - first.boot_ns
    if len(pairs) < LEARNING_PAIRS or span < LEARNING:
        return 0.0
    early = [pair for pair in pairs if pair.boot_ns - first.boot_ns <= span // 4]
    late = [pair for pair in pairs if last.boot_ns - pair.boot_ns <= span // 4]
    slope = 0.0
    # The pairs with the shortest delay can only be chosen with a known slope, and the slope depends on them.
    for _ in range(3):
        start, end = (max(part, key=lambda pair: _height(pair, first, slope)) for part in (early, late))
        slope = (end.offset - start.offset) / (end.boot_ns - start.boot_ns)
    return slope if abs(slope) <= STEEPEST else 0.0


def _latest_that_agree(pairs: list[Pair]) -> list[Pair]:
    """The pairs since the last step in the receiver's time."""
    for place in range(len(pairs) - 1, 0, -1):
        before, after = pairs[place - 1], pairs[place]
        if abs(after.offset - before.offset) > LONGEST_STEP + STEEPEST * (after.boot_ns - before.boot_ns):
            return pairs[place:]
    return pairs
