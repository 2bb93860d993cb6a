"""Converts between boot time and universal time, with a session's pairs of clock readings (docs/time.md)."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

# The constants of docs/time.md: the tolerated difference between two clocks; the 1,024 weeks after which a receiver's
# week number rolls over; the largest change of its offset that is not a step; the duration and the number of pairs
# needed to measure the boot clock's drift; the largest plausible drift.
TOLERANCE, WEEK_TURN, LONGEST_STEP = 1e9, 619_315_200e9, 0.5e9
LEARNING, LEARNING_PAIRS, STEEPEST = 1_200_000_000_000, 10, 300e-6


class Pair(NamedTuple):
    """A boot time and the universal time at the same instant, in nanoseconds."""
    boot_ns: int
    utc_ns: int
    #: `system`, `ntp` (a synchronised system clock) or `gps`.
    source: str


class Clock:
    """Converts boot times to universal time."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        synchronised = [pair for pair in pairs if pair.source == "ntp"]
        system = (synchronised or [pair for pair in pairs if pair.source == "system"])[-1:]
        line = _line([pair for pair in pairs if pair.source == "gps"])
        is_fault = False
        if line and system:
            boot, utc, _ = system[0]
            difference = line[0] + int(rounded((boot - line[1]) * line[2])) - (utc - boot)
            turns = int(rounded(-difference / WEEK_TURN))
            if turns > 0 and abs(difference + turns * WEEK_TURN) < 86_400e9:
                line = (line[0] + int(turns * WEEK_TURN), *line[1:])
            else:
                is_fault = abs(difference) > TOLERANCE
        #: The source of the session's date: `ntp`, `gps`, `system` or `unsynced`.
        self.source = "unsynced"
        self._offset, self._origin, self._slope = 0, 0, 0.0
        if line and (not synchronised or is_fault):
            self.source = "gps"
            self._offset, self._origin, self._slope = line
        elif system:
            self.source, self._offset = system[0].source, system[0].utc_ns - system[0].boot_ns

    def utc(self, boot_ns: Any) -> NDArray[np.datetime64]:
        """Converts boot times to universal times; NaT if the source of the session's date is unknown."""
        times = np.asarray(boot_ns, np.int64)
        if self.source == "unsynced":
            return np.full(times.shape, "NaT", "datetime64[ns]")
        return (times + self._offset + rounded((times - self._origin) * self._slope)).view("datetime64[ns]")

    def boot(self, utc_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Converts universal times to boot times. The source of the session's date must be known."""
        elapsed = np.asarray(utc_ns, np.int64) - self._offset - self._origin
        return self._origin + (rounded(elapsed / (1 + self._slope)) if self._slope else elapsed)


def rounded(values: Any) -> NDArray[np.int64]:
    """Rounds to the nearest integers, with halves away from zero."""
    size = np.abs(values)
    whole = np.floor(size)
    return np.copysign(whole + (size - whole >= 0.5), values).astype(np.int64)


def _line(pairs: list[Pair]) -> Optional[tuple[int, int, float]]:
    """The line along the upper edge of the satellite pairs' offsets: its offset, its origin and its slope."""
    if not pairs:
        return None
    boot, utc = np.array(sorted(pair[:2] for pair in pairs), np.int64).T
    offset = utc - boot
    # Use only the pairs since the last step in the receiver's time.
    steps = np.flatnonzero(np.abs(np.diff(offset)) > LONGEST_STEP + STEEPEST * np.diff(boot))
    start = int(steps[-1]) + 1 if len(steps) else 0
    elapsed, rise = boot[start:] - boot[start], offset[start:] - offset[start]
    slope, span = 0.0, int(elapsed[-1])
    if len(elapsed) >= LEARNING_PAIRS and span >= LEARNING:
        early, late = np.flatnonzero(elapsed <= span // 4), np.flatnonzero(span - elapsed <= span // 4)
        # Choosing the pairs with the shortest delay requires the slope, and the slope depends on these pairs.
        for _ in range(3):
            heights = rise - slope * elapsed
            first, last = early[heights[early].argmax()], late[heights[late].argmax()]
            slope = float((rise[last] - rise[first]) / (elapsed[last] - elapsed[first]))
        if abs(slope) > STEEPEST:
            slope = 0.0
    return int(offset[start]) + int(rounded((rise - slope * elapsed).max())), int(boot[start]), slope
