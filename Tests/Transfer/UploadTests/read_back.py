"""Reads a session back with Firestore's own client and compares it with our export, a table on standard input.
Prints the number of samples that are identical bit by bit.

    read_back.py PROJECT ROOT SCALE CHUNK…    with FIRESTORE_EMULATOR_HOST
"""

import csv
import datetime
import struct
import sys

from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore

project, root, scale = sys.argv[1], sys.argv[2], float(sys.argv[3])
client = firestore.Client(project=project, credentials=AnonymousCredentials())
rows = list(csv.DictReader(sys.stdin))
epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def expected(row):
    time = datetime.datetime.fromisoformat(row["time_utc"].replace("Z", "+00:00"))
    # Dividing integers returns the nearest float.
    values = {"timestamp": ((time - epoch) // datetime.timedelta(microseconds=1)) / 1000000}
    for axis in "xyz":
        raw = round(float(row[axis]) * scale)
        values["gscope_" + axis] = single(single(raw) / single(scale))
    for name, column in [("loc_latitude", "lat"), ("loc_longitude", "lon"), ("loc_altitude", "alt_msl")]:
        if row[column]:
            values[name] = float(row[column])
    return values


def bits(sample):
    return {name: struct.pack("<d", value) for name, value in sample.items()}


position = 0
for chunk in sys.argv[4:]:
    fields = client.document(f"{root}realtime_data/{chunk}").get().to_dict()
    samples = fields["gscope_data"]
    if len(samples) != fields["point_count"]:
        sys.exit(f"{chunk} has {len(samples)} samples")
    for sample in samples:
        if any(type(value) is not float for value in sample.values()):
            sys.exit(f"sample {position} contains something other than doubles: {sample}")
        if bits(sample) != bits(expected(rows[position])):
            sys.exit(f"sample {position} is {sample} and should be {expected(rows[position])}")
        position += 1
if position != len(rows):
    sys.exit(f"{len(rows) - position} samples are missing")
print(position)
