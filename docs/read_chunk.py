#!/usr/bin/env python3
"""Reads one chunk file and prints its samples as CSV: counter, boot_ns, one value per axis, and
where the board stamps its samples the tick of its clock (seconds_per_tick in --about).

It follows docs/data-format.md and shares no code with the gateway, so the two check each other.
Needs Python 3.8 and libzstd.so.1, which nearly every system has.

    read_chunk.py FILE           the samples
    read_chunk.py --about FILE   everything else, as JSON
"""

import ctypes
import json
import struct
import sys
import uuid

MAGIC = b"\x89FBCH\r\n\x1a"
SECONDS_PER_TICK = 48 / 32768
LOSS_REASONS = {1: "link", 2: "disconnected", 3: "overflow", 4: "malformed", 5: "store",
                6: "restarted"}
FIX_OPTIONALS = ("altitude_msl", "geoid_separation", "speed", "track", "hdop")


def crc(data, width, polynomial):
    """A reflected CRC that starts from all ones and is inverted at the end."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
        table.append(value)
    rest = (1 << width) - 1
    for byte in data:
        rest = rest >> 8 ^ table[(rest ^ byte) & 0xFF]
    return rest ^ (1 << width) - 1


def unzstd(frame, length):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = (
        ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    content = ctypes.create_string_buffer(length)
    if zstd.ZSTD_decompress(content, length, frame, len(frame)) != length:
        raise ValueError("zstd frame is damaged")
    return content.raw


def sections(data):
    """The version of a chunk and its sections, decompressed: (tag, index) -> bytes."""
    if data[:8] != MAGIC:
        raise ValueError("not a chunk")
    version, count, length = struct.unpack_from("<HHI", data, 8)
    if version not in (1, 2):
        raise ValueError(f"chunk format version {version} is unknown")
    if length != len(data):
        raise ValueError(f"{len(data)} bytes instead of {length}")
    if crc(data[:-8], 64, 0xC96C5795D7870F42) != struct.unpack("<Q", data[-8:])[0]:
        raise ValueError("the chunk does not match its checksum")
    found, offset = {}, 16
    for _ in range(count):
        tag, index, _layout, compression, _, raw_length, stored_length, checksum = (
            struct.unpack_from("<4sBBBBIII", data, offset))
        offset += 20
        stored = data[offset:offset + stored_length]
        offset += stored_length
        tag = tag.decode("ascii")
        if crc(stored, 32, 0x82F63B78) != checksum:
            raise ValueError(f"section {tag} does not match its checksum")
        if compression > 1:
            raise ValueError(f"section {tag} has an unknown compression")
        found[tag, index] = unzstd(stored, raw_length) if compression == 1 else stored
    return version, found


def column(raw, count):
    """A column of integers: first value, width, then the zigzag-coded steps in byte planes."""
    first, width = struct.unpack_from("<qB", raw)
    steps = max(0, count - 1)
    planes = [raw[9 + steps * plane:9 + steps * (plane + 1)] for plane in range(width)]
    values = [first] if count else []
    for index in range(steps):
        zigzag = sum(planes[plane][index] << 8 * plane for plane in range(width))
        values.append(values[-1] + (zigzag >> 1 ^ -(zigzag & 1)))
    return values


def header(raw, version):
    names, fields = ["sequence", "count", "first_ns", "period_ns", "counts_per_unit", "rate",
                     "axes", "loss_accounting"], "<IIqdddBB"
    if version > 1:
        names, fields = names + ["raw_form", "has_ticks"], fields + "BB"
    names, fields = names + ["address"], fields + "Q"
    about = {name: str(uuid.UUID(bytes=raw[16 * position:16 * position + 16]))
             for position, name in enumerate(("id", "session", "boot_id"))}
    about.update(raw_form=0, has_ticks=0)
    about.update(zip(names, struct.unpack_from(fields, raw, 48)))
    offset = 48 + struct.calcsize(fields)
    texts = []
    for _ in range(5 if version == 1 else 5 + about["axes"]):
        length, = struct.unpack_from("<I", raw, offset)
        texts.append(raw[offset + 4:offset + 4 + length].decode("utf-8"))
        offset += 4 + length
    about.update(zip(("signal", "unit", "name", "model", "firmware"), texts))
    unnamed = ["value"] if about["axes"] == 1 else list("xyzw"[:about["axes"]])
    about["axes"] = unnamed if version == 1 else texts[5:]
    about["raw_form"] = ("integer", "float")[about["raw_form"]]
    about["seconds_per_tick"] = SECONDS_PER_TICK if about.pop("has_ticks") else None
    digits = f"{about['address']:012X}"
    about["address"] = ":".join(digits[at:at + 2] for at in range(0, 12, 2))
    about["loss_accounting"] = ("counted", "estimated")[about["loss_accounting"]]
    return about


def values(raw, about):
    """The values of an axis: whole numbers, or bit patterns of floats of 32 bits."""
    if about["raw_form"] == "float":
        raw = [struct.unpack("<f", struct.pack("<i", value))[0] for value in raw]
    return [value / about["counts_per_unit"] for value in raw]


def gap(record):
    start, end, lost, estimate, reason = record
    return {"start_ns": start, "end_ns": end, "lost": lost, "is_estimate": bool(estimate),
            "reason": LOSS_REASONS[reason]}


def fix(record):
    arrival, utc, latitude, longitude, *optionals, flags, satellites, quality = record
    about = {"arrival_ns": arrival, "utc_ns": utc, "latitude": latitude, "longitude": longitude}
    for bit, (name, value) in enumerate(zip(FIX_OPTIONALS, optionals)):
        about[name] = value if flags & 1 << bit else None
    about["satellites"] = satellites if flags & 32 else None
    about["is_three_dimensional"] = bool(flags & 64)
    about["quality"] = quality
    return about


def main(arguments):
    about_only = arguments[:1] == ["--about"]
    paths = arguments[about_only:]
    if len(paths) != 1:
        sys.exit(__doc__)
    with open(paths[0], "rb") as file:
        version, found = sections(file.read())
    about = header(found["head", 0], version)
    if about_only:
        about["gaps"] = [gap(record) for record in struct.iter_unpack("<qqQBB", found["gaps", 0])]
        about["fixes"] = [fix(record) for record in
                          struct.iter_unpack("<qqdddddddBBB", found["fixs", 0])]
        about["arrivals_ns"] = column(found["arrv", 0], about["count"])
        print(json.dumps(about, indent=1))
        return
    counters = column(found["cntr", 0], about["count"])
    columns = [[repr(value) for value in values(column(found["axis", axis], about["count"]), about)]
               for axis in range(len(about["axes"]))]
    names = list(about["axes"])
    if about["seconds_per_tick"] is not None:
        columns.append([str(tick) for tick in column(found["tick", 0], about["count"])])
        names.append("tick")
    print(",".join(["counter", "boot_ns", *names]))
    for counter, *texts in zip(counters, *columns):
        steps = (counter - counters[0]) % 2**32
        time = about["first_ns"] + round(steps * about["period_ns"])
        print(",".join([str(counter), str(time), *texts]))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError, KeyError, IndexError, struct.error) as error:
        sys.exit(f"error: {error}")
