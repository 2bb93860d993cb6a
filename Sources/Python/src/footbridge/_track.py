"""Positions of samples, according to the rules of docs/time.md."""
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
    """Returns the position at each boot time, with the same columns as an export."""
    count = len(instants)
    if not fixes.count:
        nothing = np.full(count, np.nan)
        return Table({"lat": nothing, "lon": nothing, "alt_msl": nothing, "fix_quality": np.full(count, "", object),
                      "fix_age": nothing, "fix_error": nothing, "fix_method": np.full(count, "noreceiver", object)})
    order = np.argsort(fixes["arrival_ns"], kind="stable")
    fixes = Table({name: column[order] for name, column in fixes.items()})
    # The boot time at which the receiver was at each position.
    times = fixes["arrival_ns"]
    if clock.source in ("ntp", "gps"):
        boot = clock.boot(fixes["utc_ns"])
        times = np.where((times < boot) | (times - boot > LONGEST_DELAY), times, boot)
    times = np.maximum.accumulate(times)
    oldest = round(min(maximum_age, 1e8) * 1e9)

    # Whether the receiver moved in a straight line from each fix to the next.
    gap = np.diff(times)
    steps = np.sort(gap[gap > 0])
    cycle = USUAL_CYCLE if len(steps) < 3 else min(int(steps[len(steps) // 2]), LONGEST_CYCLE)
    latitude, altitude, quality, error = (
        fixes[name] for name in ("latitude", "altitude_msl", "quality", "error_horizontal"))
    square = latitude[:-1] ** 2
    # Bhaskara's approximation of the cosine.
    narrowing = (32_400 - 4 * square) / (32_400 + square)
    eastward = np.diff(fixes["longitude"])
    eastward = np.where(eastward > 180, eastward - 360, np.where(eastward < -180, eastward + 360, eastward))
    north, east = np.diff(latitude) * METRES_PER_DEGREE, eastward * narrowing * METRES_PER_DEGREE
    is_straight = ((gap > 0) & (gap <= CYCLES_APART * cycle) & (gap <= oldest) & ~fixes["follows_loss"][1:]
                   & (north**2 + east**2 <= (HIGHEST_SPEED * gap / 1e9) ** 2))

    place = np.searchsorted(times, instants, "right") - 1
    own = np.maximum(place, 0)
    next_ = np.minimum(own + 1, len(times) - 1)
    is_way = (place >= 0) & np.append(is_straight, False)[own]
    age = instants - times[own]
    is_last = (place >= 0) & ~is_way & (age <= oldest)
    is_known = is_way | is_last
    length = np.where(is_way, times[next_] - times[own], 1)
    part = np.where(is_way, age.astype(np.float64), 0.0)
    is_later = is_way & (instants >= times[own] + length // 2)
    longitude = fixes["longitude"][own] + np.append(eastward, 0.0)[own] / length * part
    up = (altitude[next_] - altitude[own]) / length
    columns = {"lat": latitude[own] + (latitude[next_] - latitude[own]) / length * part,
               "lon": longitude - 360.0 * (longitude > 180) + 360.0 * (longitude < -180),
               "alt_msl": np.where(is_way & ~np.isnan(up) & (up != 0), altitude[own] + up * part,
                                   altitude[np.where(is_later, next_, own)])}
    columns = {name: np.where(is_known, column, np.nan) for name, column in columns.items()}
    first, second = quality[own], np.where(is_way, quality[next_], quality[own])
    is_first, is_second = np.isin(first, PLAIN), np.isin(second, PLAIN)
    chosen = np.where(np.where(is_first == is_second, is_later, ~is_first), second, first)
    columns["fix_quality"] = np.where(is_known, np.array(QUALITIES, object)[chosen], "")
    columns["fix_age"] = np.where(is_known, age / 1e9, np.nan)
    grown = error[own] + np.nan_to_num(fixes["speed"])[own] / 1e9 * age
    columns["fix_error"] = np.where(is_way, np.fmax(error[own], error[next_]), np.where(is_last, grown, np.nan))
    is_lost = (place < 0) | (next_ > own) & fixes["follows_loss"][next_]
    columns["fix_method"] = np.where(is_way, "interpolated", np.where(
        is_last, "last", np.where(is_lost, "nofix", "stale"))).astype(object)
    return Table(columns)
