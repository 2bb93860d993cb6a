#!/usr/bin/env python3
"""Compares the CSV export of a store's only session with its chunks, read by docs/read_chunk.py,
and prints the number of equal samples.

    compare_export.py STORE EXPORT READER
"""

import csv
import os
import sqlite3
import subprocess
import sys
import tempfile


def samples(reader, content):
    """Return counter, boot time and values of each sample in a chunk, as read by the other reader."""
    with tempfile.NamedTemporaryFile(suffix=".chunk", delete=False) as file:
        file.write(content)
    try:
        text = subprocess.run(
            [sys.executable, reader, file.name], check=True, capture_output=True, text=True).stdout
    finally:
        os.unlink(file.name)
    return [line.split(",") for line in text.splitlines()[1:]]


def main(store, export, reader):
    database = sqlite3.connect(store)
    (start,) = database.execute("SELECT start_ns FROM session").fetchone()
    with open(export, newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    same = 0
    for number, board, signal, axes in database.execute(
            "SELECT number, board, signal, axes FROM stream").fetchall():
        address = ":".join(f"{board >> shift & 255:02X}" for shift in range(40, -8, -8))
        own = [row for row in rows if row["board"] == address and row["signal"] == signal]
        found = [
            sample
            for (content,) in database.execute(
                "SELECT bytes FROM chunk WHERE stream = ? ORDER BY sequence", (number,))
            for sample in samples(reader, content)
        ]
        assert len(own) == len(found), f"{signal}: {len(own)} rows, {len(found)} samples"
        for row, sample in zip(own, found):
            # Both outputs are rounded, to microseconds and to millionths of the unit.
            seconds = (int(sample[1]) - start) / 1e9
            assert abs(float(row["seconds"]) - seconds) <= 0.6e-6, (row, sample)
            for name, value in zip("xyzw", sample[2:2 + axes]):
                assert abs(float(row[name]) - float(value)) <= 0.6e-6, (row, sample)
            same += 1
    assert same == len(rows), f"{len(rows) - same} rows belong to no stream"
    print(same)


if __name__ == "__main__":
    main(*sys.argv[1:])
