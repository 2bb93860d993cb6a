"""Live samples on the Lab Streaming Layer."""
from __future__ import annotations

import datetime
import json
import math
import sys
import time
from typing import Any, Iterable

from ._table import need


def publish(lines: Iterable[str]) -> int:
    """Publishes the lines of `footbridge stream --json`. Each signal of each board has an outlet.

    Returns the number of lines that were skipped.

    The time of a sample is the arrival time of its packet. At the first line, the system clock and LSL's clock are
    read together, to convert that line's `time` to LSL's clock. The times of later samples follow from their `seconds`
    on the gateway's boot clock, so a step of the system clock does not change them.
    """
    lsl = need("pylsl", "pylsl")
    outlets: dict[tuple[str, str], Any] = {}
    offset, asleep, skipped = math.nan, _asleep(), 0
    for line in lines:
        try:
            sample = json.loads(line)
            values = [math.nan if value is None else float(value) for value in sample["values"].values()]
            seconds, key = float(sample["seconds"]), (sample["board"], sample["signal"])
            utc = datetime.datetime.fromisoformat(sample["time"].replace("Z", "+00:00")).timestamp()
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            skipped += 1
            print(f"warning: skipped a line that is not a sample: {fault!r}", file=sys.stderr)
            continue
        if math.isnan(offset):
            before, now, after = lsl.local_clock(), time.time(), lsl.local_clock()
            offset = (before + after) / 2 - (now - utc) - seconds
            print(f"LSL time = seconds + {offset:.6f}, measured to {1e6 * (after - before) / 2:.1f} us",
                  file=sys.stderr)
        if key not in outlets:
            outlets[key] = _outlet(lsl, sample, offset)
        slept = _asleep() - asleep
        if slept > 0.1:
            # LSL's clock stops while the computer sleeps, but the boot clock does not.
            offset -= slept
            asleep += slept
        outlets[key].push_sample(values, offset + seconds)
    return skipped


def _asleep() -> float:
    """Returns the seconds that this computer has slept since it started; 0 if it has no boot clock."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    # The smallest difference comes from the pair of readings with the shortest delay between them.
    return min(-time.clock_gettime(time.CLOCK_MONOTONIC) + time.clock_gettime(time.CLOCK_BOOTTIME) for _ in range(3))


def _outlet(lsl: Any, sample: dict[str, Any], offset: float) -> Any:
    board, signal = sample["board"], sample["signal"]
    info = lsl.StreamInfo(f"{sample['name'] or board}/{signal}", "MoCap", len(sample["values"]), lsl.IRREGULAR_RATE,
                          lsl.cf_double64, f"footbridge-{board}-{signal}")
    about = info.desc()
    for name in "board", "name", "signal", "range":
        if sample.get(name) is not None:
            about.append_child_value(name, str(sample[name]))
    about.append_child_value("time", f"arrival of the packet: seconds + {offset:.6f}")
    channels = about.append_child("channels")
    for axis in sample["values"]:
        channel = channels.append_child("channel")
        for name, value in (("label", f"{signal}.{axis}"), ("unit", sample.get("unit") or "1"), ("type", signal)):
            channel.append_child_value(name, value)
    return lsl.StreamOutlet(info)
