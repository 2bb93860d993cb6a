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


def positions(fixes: Table, clock: Clock, instants: NDArray[np.int64], maximum_age: float) -> Table:
    """The position at each boot time, with the columns of an export."""
    count = len(instants)
    if not fixes.count:
        nothing = np.full(count, np.nan)
        return Table({name: nothing for name in ("lat", "lon", "alt_msl")} | {
            "fix_quality": np.full(count, "", object), "fix_age": nothing, "fix_error": nothing,
            "fix_method": np.full(count, "noreceiver", object)})
    order = np.argsort(fixes["arrival_ns"], kind="stable")
    fixes = Table({name: column[order] for name, column in fixes.items()})
    # The boot time at which the receiver was at each position.
    times = fixes["arrival_ns"]
    if clock.is_trusted:
        boot = clock.boot(fixes["utc_ns"])
        delay = times - boot
        times = np.where((delay < 0) | (delay > LONGEST_DELAY), times, boot)
    times = np.maximum.accumulate(times)
    oldest = round(min(maximum_age, 1e8) * 1e9)

    # Whether the receiver went straight from each fix to the next.
    gap = np.diff(times)
    steps = np.sort(gap[gap > 0])
    cycle = USUAL_CYCLE if len(steps) < 3 else min(int(steps[len(steps) // 2]), LONGEST_CYCLE)
    latitude, altitude, quality = fixes["latitude"], fixes["altitude_msl"], fixes["quality"]
    square = latitude[:-1] ** 2
    # Bhaskara's approximation of the cosine.
    narrowing = (32_400 - 4 * square) / (32_400 + square)
    eastward = np.diff(fixes["longitude"])
    eastward = np.where(eastward > 180, eastward - 360, np.where(eastward < -180, eastward + 360, eastward))
    north, east = np.diff(latitude) * METRES_PER_DEGREE, eastward * narrowing * METRES_PER_DEGREE
    is_straight = ((gap > 0) & (gap <= CYCLES_APART * cycle) & (gap <= oldest) & ~fixes["follows_loss"][1:]
                   & (north**2 + east**2 <= (HIGHEST_SPEED * gap / 1e9) ** 2))

    place = np.searchsorted(times, instants, "right") - 1
    own, last = np.maximum(place, 0), len(times) - 1
    next_ = np.minimum(own + 1, last)
    has_next = own < last
    is_way = (place >= 0) & has_next & np.append(is_straight, False)[own]
    age = instants - times[own]
    is_last = (place >= 0) & ~is_way & (age <= oldest)
    is_known = is_way | is_last
    length = np.where(is_way, times[next_] - times[own], 1)
    part = np.where(is_way, age.astype(np.float64), 0.0)
    is_later = is_way & (instants >= times[own] + length // 2)
    columns = {}
    columns["lat"] = latitude[own] + (latitude[next_] - latitude[own]) / length * part
    east = np.append(eastward, 0.0)[own]
    longitude = fixes["longitude"][own] + east / length * part
    columns["lon"] = longitude - 360.0 * (longitude > 180) + 360.0 * (longitude < -180)
    up = (altitude[next_] - altitude[own]) / length
    nearer = altitude[np.where(is_later, next_, own)]
    columns["alt_msl"] = np.where(is_way & ~np.isnan(up) & (up != 0), altitude[own] + up * part, nearer)
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
