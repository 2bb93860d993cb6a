"""A Footbridge recording, with the counts from the store and from the boards.

The package in Sources/Python, which shares no code with the gateway, reads the store.
"""
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile

from world import PATIENCE, Failure, control, counts, need, until

sys.path.insert(0, os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../Sources/Python/src"))
from footbridge import _chunk
SENSORS = ["acceleration@50", "angular_velocity@50"]
RATE = 50


class Stream:
    """One of a board's signals in the store."""

    def __init__(self):
        self.counters, self.gaps = [], []

    def add(self, chunk):
        (chunk,) = _chunk.decode([chunk])
        need(not isinstance(chunk, ValueError), f"a chunk is damaged: {chunk}")
        need(not chunk.is_estimated, f"{chunk.signal} is not counted")
        self.counters += chunk.counters.tolist()
        self.gaps += chunk.gaps

    @property
    def stored(self):
        return len(self.counters)

    def lost(self, *reasons):
        return sum(gap.lost for gap in self.gaps if not reasons or gap.reason in reasons)

    def check(self, name):
        span = (self.counters[-1] - self.counters[0]) % 2**32 + 1
        need(span == self.stored + self.lost(),
             f"{name}: the counters span {span}, stored {self.stored}, lost {self.lost()}")
        need(all(later > earlier for earlier, later in zip(self.counters, self.counters[1:])),
             f"{name}: the counters do not rise")


class Board:
    """A board in one recording, with its own counts and the counts from the store."""

    def __init__(self, address, before, after, streams):
        self.address, self.streams = address, streams
        self.sent, self.dropped, self.unheard = (
            after[name] - before[name] for name in ("sent", "lost", "unheard"))
        self.stored = sum(stream.stored for stream in streams.values())
        self.lost = sum(stream.lost() for stream in streams.values())
        self.away = sum(stream.lost("disconnected", "restarted") for stream in streams.values())
        need(not after["complaints"], f"{address} complains: {after['complaints']}")

    def check_streams(self):
        for signal_name, stream in self.streams.items():
            stream.check(f"{self.address} {signal_name}")
        need(len(self.streams) == len(SENSORS), f"{self.address}: {len(self.streams)} streams")

    def check(self, was_disturbed):
        self.check_streams()
        missing = self.sent + self.unheard - self.stored
        if was_disturbed:
            # When a link is lost, packets in transit are lost too, and the board stops measuring.
            # The gateway also counts the samples that the board would have sent.
            counted = self.lost - self.away
            need(counted <= missing <= self.lost, f"{self}: {missing} did not arrive")
            for stream in self.streams.values():
                for gap in stream.gaps:
                    expected = (gap.end_ns - gap.start_ns) / 1e9 * RATE - 1
                    # Each packet contains two samples, and a slow VM delivers them late.
                    need(gap.reason != "disconnected" or abs(gap.lost - expected) < RATE,
                         f"{self}: {gap.lost} lost where {expected:.0f} are missing")
        else:
            need(missing == self.lost, f"{self}: {missing} did not arrive")

    def __str__(self):
        reasons = sorted({gap.reason for stream in self.streams.values() for gap in stream.gaps})
        told = ", ".join(
            f"{reason} {sum(stream.lost(reason) for stream in self.streams.values())}"
            for reason in reasons)
        return (f"{self.address} sent {self.sent}, stored {self.stored}, "
                f"lost {self.lost}" + (f" ({told})" if told else ""))

    def back_after(self, moment):
        """Return the seconds from `moment` until the last gap of every stream has ended."""
        ends = [max((gap.end_ns for gap in stream.gaps if gap.reason == "disconnected"),
                    default=None) for stream in self.streams.values()]
        need(None not in ends, f"{self}: no stream was interrupted")
        return max(ends) / 1e9 - moment


def boards_of(store, before):
    """Return each board with its own counts since `before`, and its counts from the store."""
    # A stopped board may still have a packet in transit for a moment.
    after = counts()
    streams = {}
    with contextlib.closing(sqlite3.connect(store)) as database:
        rows = database.execute(
            "SELECT stream.board, stream.signal, chunk.bytes FROM chunk "
            "JOIN stream ON stream.number = chunk.stream ORDER BY stream, sequence")
        for number, name, chunk in rows:
            address = ":".join(f"{number:012X}"[at:at + 2] for at in range(0, 12, 2))
            streams.setdefault(address, {}).setdefault(name, Stream()).add(chunk)
    return [Board(address, before[address], after[address], streams.get(address, {}))
            for address in before]


class Recording:
    """A running `footbridge record`."""

    def __init__(self, footbridge, step):
        self.folder = tempfile.mkdtemp(prefix="footbridge-", dir="/run")
        self.store = os.path.join(self.folder, "store.sqlite")
        self.before = counts()
        self.log = open(f"/run/rig/record-{step}.log", "wb")
        self.process = subprocess.Popen(
            [footbridge, "record", "--store", self.store, "--boards", str(len(self.before)),
             *(word for sensor in SENSORS for word in ("--sensor", sensor))],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def words(self):
        with open(self.log.name, errors="replace") as file:
            return file.read().strip()

    def streaming(self, samples, since=None, boards=None):
        """Wait until each of these boards has sent this many more samples."""
        since = since or self.before
        addresses = boards or list(self.before)

        def is_enough():
            need(self.process.poll() is None,
                 f"record ended with status {self.process.returncode}")
            told = counts()
            return all(told[a]["sent"] - since[a]["sent"] >= samples for a in addresses)
        until(f"{samples} samples from {', '.join(addresses)}", is_enough)

    def finish(self):
        """Stop the recording as Ctrl-C does, and return its boards."""
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure("record did not end") from None
        need(status == 0, f"record ended with status {status}")
        return boards_of(self.store, self.before)

    def abandon(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            # The next step requires the boards to be unlinked and idle.
            control("drop")
