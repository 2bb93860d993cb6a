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
    """Publishes the lines of `footbridge stream --json`, with one outlet for each signal of each board.

    Returns the number of lines that were skipped.

    A sample has the time at which its packet arrived. The gateway's `time` and the system clock of this computer, read
    with LSL's clock at the first line, give LSL's time of that line. All later samples follow by the gateway's
    `seconds`, which come from its boot clock, so a step of the system clock does not move them.
    """
    lsl = need("pylsl", "pylsl")
    outlets: dict[tuple[str, str], Any] = {}
    offset: float = math.nan
    asleep = _asleep()
    skipped = 0
    for line in lines:
        try:
            sample = json.loads(line)
            values = [math.nan if value is None else float(value) for value in sample["values"].values()]
            seconds = float(sample["seconds"])
            key = sample["board"], sample["signal"]
            utc = datetime.datetime.fromisoformat(sample["time"].replace("Z", "+00:00")).timestamp()
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            skipped += 1
            print(f"warning: skipped a line that is not a sample: {fault!r}", file=sys.stderr)
            continue
        if math.isnan(offset):
            before = lsl.local_clock()
            now = time.time()
            after = lsl.local_clock()
            offset = (before + after) / 2 - (now - utc) - seconds
            print(f"LSL time = seconds + {offset:.6f}, measured to {1e6 * (after - before) / 2:.1f} us",
                  file=sys.stderr)
        if key not in outlets:
            outlets[key] = _outlet(lsl, sample, offset)
        slept = _asleep() - asleep
        if slept > 0.1:
            # LSL's clock stands still while the computer sleeps; the boot clock does not.
            offset -= slept
            asleep += slept
        outlets[key].push_sample(values, offset + seconds)
    return skipped


def _asleep() -> float:
    """The seconds that this computer has slept since its start; 0 where it has no boot clock."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    if boot is None:
        return 0.0
    # The smallest difference is the one in which nothing happened between the two readings.
    return min(-time.clock_gettime(time.CLOCK_MONOTONIC) + time.clock_gettime(boot) for _ in range(3))


def _outlet(lsl: Any, sample: dict[str, Any], offset: float) -> Any:
    info = lsl.StreamInfo(f"{sample['name'] or sample['board']}/{sample['signal']}", "MoCap", len(sample["values"]),
                          lsl.IRREGULAR_RATE, lsl.cf_double64, f"footbridge-{sample['board']}-{sample['signal']}")
    about = info.desc()
    for name in "board", "name", "signal", "range":
        if sample.get(name) is not None:
            about.append_child_value(name, str(sample[name]))
    about.append_child_value("time", f"arrival of the packet: seconds + {offset:.6f}")
    channels = about.append_child("channels")
    for axis in sample["values"]:
        channel = channels.append_child("channel")
        channel.append_child_value("label", f"{sample['signal']}.{axis}")
        channel.append_child_value("unit", sample.get("unit") or "1")
        channel.append_child_value("type", sample["signal"])
    return lsl.StreamOutlet(info)
