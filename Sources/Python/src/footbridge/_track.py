"""Positions of samples, by the rules of docs/time.md."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ._chunk import QUALITIES
from ._clock import Clock
from ._table import Table

USUAL_CYCLE, LONGEST_CYCLE, CYCLES_APART = 1_000_000_000, 3_600_000_000_000, 3
LONGEST_DELAY, HIGHEST_SPEED, METRES_PER_DEGREE = 2_000_000_000, 500.0, 111_195.0
PLAIN = [1, 2, 3, 4, 5]


class Track:
    """The fixes of a session, as a function of boot time."""

    def __init__(self, fixes: Table, clock: Clock, maximum_age: float = 10.0) -> None:
        order = np.argsort(fixes["arrival_ns"], kind="stable")
        self.fixes = fixes = fixes.where(order)
        times = np.array(fixes["arrival_ns"], np.int64)
        if clock.is_trusted and len(times):
            boot = clock.boot(fixes["utc_ns"])
            delay = times - boot
            times = np.where((delay < 0) | (delay > LONGEST_DELAY), times, boot)
        #: The boot time at which the receiver was at each position.
        self.times = np.maximum.accumulate(times) if len(times) else times
        self.maximum_age = round(min(maximum_age, 1e8) * 1e9)
        steps = np.sort(np.diff(self.times))
        steps = steps[steps > 0]
        self.cycle = USUAL_CYCLE if len(steps) < 3 else min(int(steps[len(steps) // 2]), LONGEST_CYCLE)
        self._is_way = self._ways()

    def _ways(self) -> NDArray[np.bool_]:
        """Whether the receiver went straight from each fix to the next."""
        gap = np.diff(self.times)
        latitude = self.fixes["latitude"]
        square = latitude[:-1] ** 2
        # Bhaskara's approximation of the cosine.
        narrowing = (32_400 - 4 * square) / (32_400 + square)
        north = np.diff(latitude) * METRES_PER_DEGREE
        east = self._eastward() * narrowing * METRES_PER_DEGREE
        return ((gap > 0) & (gap <= CYCLES_APART * self.cycle) & (gap <= self.maximum_age)
                & ~self.fixes["follows_loss"][1:] & (north**2 + east**2 <= (HIGHEST_SPEED * gap / 1e9) ** 2))

    def _eastward(self) -> NDArray[np.float64]:
        degrees = np.diff(self.fixes["longitude"])
        return np.where(degrees > 180, degrees - 360, np.where(degrees < -180, degrees + 360, degrees))

    def at(self, times: NDArray[np.int64]) -> Table:
        """The position at each boot time, with the columns of an export."""
        count = len(times)
        if not len(self.times):
            nothing = np.full(count, np.nan)
            return Table({name: nothing for name in ("lat", "lon", "alt_msl")} | {
                "fix_quality": np.full(count, "", object), "fix_age": nothing, "fix_error": nothing,
                "fix_method": np.full(count, "noreceiver", object)})
        place = np.searchsorted(self.times, times, "right") - 1
        own, last = np.maximum(place, 0), len(self.times) - 1
        next_ = np.minimum(own + 1, last)
        has_next = own < last
        is_way = (place >= 0) & has_next & np.append(self._is_way, False)[own]
        age = times - self.times[own]
        is_last = (place >= 0) & ~is_way & (age <= self.maximum_age)
        is_known = is_way | is_last
        length = np.where(is_way, self.times[next_] - self.times[own], 1)
        part = np.where(is_way, age.astype(np.float64), 0.0)
        is_later = is_way & (times >= self.times[own] + length // 2)
        fixes = self.fixes
        columns = {}
        latitude, altitude = fixes["latitude"], fixes["altitude_msl"]
        columns["lat"] = latitude[own] + (latitude[next_] - latitude[own]) / length * part
        east = np.append(self._eastward(), 0.0)[own]
        longitude = fixes["longitude"][own] + east / length * part
        columns["lon"] = longitude - 360.0 * (longitude > 180) + 360.0 * (longitude < -180)
        up = (altitude[next_] - altitude[own]) / length
        nearer = altitude[np.where(is_later, next_, own)]
        columns["alt_msl"] = np.where(is_way & ~np.isnan(up) & (up != 0), altitude[own] + up * part, nearer)
        quality = fixes["quality"]
        first, second = quality[own], np.where(is_way, quality[next_], quality[own])
        is_first, is_second = np.isin(first, PLAIN), np.isin(second, PLAIN)
        chosen = np.where(is_first == is_second, np.where(is_later, second, first),
                          np.where(is_first, second, first))
        error = fixes["error_horizontal"]
        speed = np.nan_to_num(fixes["speed"])
        columns = {name: np.where(is_known, column, np.nan) for name, column in columns.items()}
        columns["fix_quality"] = np.where(is_known, np.array(QUALITIES, object)[chosen], "")
        columns["fix_age"] = np.where(is_known, age / 1e9, np.nan)
        columns["fix_error"] = np.where(is_way, np.fmax(error[own], error[next_]),
                                        np.where(is_last, error[own] + speed[own] / 1e9 * age, np.nan))
        absent = np.where((place < 0) | has_next & fixes["follows_loss"][next_], "nofix", "stale")
        columns["fix_method"] = np.where(is_way, "interpolated", np.where(is_last, "last", absent)).astype(object)
        return Table(columns)
