#!/usr/bin/env python3
"""Reads one chunk file and prints its samples as CSV: counter, boot_ns, one value per axis, and
where the board stamps its samples the tick of its clock (seconds_per_tick in --about).

It follows docs/data-format.md and shares no code with the gateway, so the two check each other.
Needs Python 3.8 and nothing else.

    read_chunk.py FILE           the samples
    read_chunk.py --about FILE   everything else, as JSON

In a program, columns() gives what a data frame is made of:

    about, samples = read_chunk.columns("a.chunk")
    frame = pandas.DataFrame(samples)
"""

import hashlib
import json
import struct
import sys
import uuid
import zlib

MAGIC = b"\x89FBCH\r\n\x1a"
SECONDS_PER_TICK = 48 / 32768
LOSS_REASONS = {1: "link", 2: "disconnected", 3: "overflow", 4: "malformed", 5: "store",
                6: "restarted", 7: "silent", 8: "paused", 9: "interrupted"}
ERROR_BASES = {1: "reported", 2: "dilution", 3: "daemon"}
FIX_OPTIONALS = ("altitude_msl", "geoid_separation", "speed", "track", "hdop")
# How often a predictor takes the latest three steps, and by how many bits their sum is shifted
# right before it is added to the value before. Predictor 0 is the line.
PREDICTORS = {1: (0, 0, 0, 0), 2: (1, 0, 0, 0), 3: (2, -1, 0, 0), 4: (0, 1, 1, 1), 5: (5, 2, -3, 2)}


def sections(data):
    """The sections of a chunk: tag -> bytes."""
    if data[:8] != MAGIC:
        raise ValueError("not a chunk")
    version, count, length = struct.unpack_from("<HHI", data, 8)
    if version != 1:
        raise ValueError(f"chunk format version {version} is unknown")
    if length != len(data):
        raise ValueError(f"{len(data)} bytes instead of {length}")
    if hashlib.blake2b(data[:-32], digest_size=32).digest() != data[-32:]:
        raise ValueError("the chunk does not match its checksum")
    found, offset = {}, 16
    for _ in range(count):
        tag, length, checksum = struct.unpack_from("<4sII", data, offset)
        content = data[offset + 12:offset + 12 + length]
        offset += 12 + length
        tag = tag.decode("ascii")
        if zlib.crc32(content) != checksum:
            raise ValueError(f"section {tag} does not match its checksum")
        found[tag] = content
    return found


def wrap(value, width):
    """The signed number of so many bits that a value is modulo 2**width."""
    return (value + (1 << width - 1)) % (1 << width) - (1 << width - 1)


def unzigzag(code):
    return code >> 1 ^ -(code & 1)


class Columns:
    """The columns of a section, one after the other."""

    def __init__(self, data):
        self.data, self.offset = data, 0

    def byte(self):
        self.offset += 1
        return self.data[self.offset - 1]

    def number(self):
        """A number in groups of seven bits, the lowest first."""
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        return unzigzag(self.number())

    def column(self, count, width=32):
        """A column of integers of so many bits."""
        if count == 0:
            return []
        coding, first = self.byte(), self.signed()
        if coding > 1:
            raise ValueError("a column has an unknown coding")
        return (self.blocks if coding else self.exceptions)(first, count, width)

    def exceptions(self, first, count, width):
        predictor, residuals, index = self.byte(), {}, 0
        for _ in range(self.number()):
            index += self.number() + 1
            residuals[index] = self.signed()
        values, step = [first], 0
        for index in range(1, count):
            residual = residuals.get(index, 0)
            values.append(wrap(values[-1] + step + residual, width))
            step += residual if predictor == 2 else 0
        return values

    def blocks(self, first, count, width):
        mean, pace, base, rise = 128 << self.byte(), self.byte(), self.signed(), self.signed()
        bits = bin(int.from_bytes(b"\1" + self.data[self.offset:], "big"))[3:]
        at, predictor, values, steps = 0, 3, [first], (0, 0, 0)
        for index in range(1, count):
            if index % 16 == 1:
                if bits[at] == "1":
                    at += 1
                else:
                    predictor = int(bits[at:at + 4], 2)
                    at += 4
            one = bits.index("1", at)
            zeros, plain = one - at, (mean >> 9).bit_length()
            if zeros == 25:
                code = int(bits[one + 1:one + 1 + width], 2)
                at = one + 1 + width
            else:
                if zeros < 5:
                    high, at = zeros, one + 1
                else:
                    at = one + zeros - 4
                    high = int(bits[one:at], 2) + 4
                code = high << plain | int(bits[at:at + plain] or "0", 2)
                at += plain
            mean += (min(code, 1 << 48) << 8) - mean >> pace
            if predictor == 0:
                foretold = first + base + (index * rise >> 16)
            else:
                *weights, shift = PREDICTORS[predictor]
                sum_ = sum(w * s for w, s in zip(weights, steps)) + (1 << shift >> 1)
                foretold = values[-1] + (wrap(sum_, width) >> shift)
            values.append(wrap(foretold + unzigzag(code), width))
            steps = (wrap(values[-1] - values[-2], width), *steps[:2])
        self.offset += (at + 7) // 8
        return values

    def times(self, count):
        unit = self.number()
        return [time * unit for time in self.column(count, 64)]

    def arrivals(self, count):
        packets = self.number()
        sizes = self.column(packets)
        return [time for size, time in zip(sizes, self.times(packets)) for _ in range(size)]

    def decimals(self, count):
        if count == 0:
            return []
        scale = self.byte()
        if scale == 255:
            return [struct.unpack("<d", struct.pack("<q", bits))[0]
                    for bits in self.column(count, 64)]
        parts = float((60 if scale & 16 else 1) * 10 ** (scale & 15))
        wholes, steps = self.column(count, 64), self.column(count, 64)
        near = [struct.unpack("<q", struct.pack("<d", whole / parts))[0] for whole in wholes]
        return [struct.unpack("<d", struct.pack("<q", bits + step))[0]
                for bits, step in zip(near, steps)]

    def fixes(self):
        count = self.number()
        flags, qualities = self.column(count), self.column(count)
        arrivals, utc = self.times(count), self.times(count)
        fixes = [dict(zip(("arrival_ns", "utc_ns", "latitude", "longitude"), parts))
                 for parts in zip(arrivals, utc, self.decimals(count), self.decimals(count))]
        for bit, name in enumerate(FIX_OPTIONALS):
            values = iter(self.decimals(sum(flag >> bit & 1 for flag in flags)))
            for about, flag in zip(fixes, flags):
                about[name] = next(values) if flag >> bit & 1 else None
        values = iter(self.column(sum(flag >> 5 & 1 for flag in flags)))
        for about, flag, quality in zip(fixes, flags, qualities):
            about["satellites"] = next(values) if flag & 32 else None
            about["is_three_dimensional"] = bool(flag & 64)
            about["quality"] = quality
            about["follows_loss"] = bool(flag & 512)
        horizontal = iter(self.decimals(sum(flag >> 7 & 1 for flag in flags)))
        vertical = iter(self.decimals(sum(flag >> 8 & 1 for flag in flags)))
        bases = iter(self.column(sum(flag >> 7 & 1 for flag in flags)))
        for about, flag in zip(fixes, flags):
            about["error"] = {
                "horizontal": next(horizontal), "vertical": next(vertical) if flag & 256 else None,
                "basis": ERROR_BASES[next(bases)]} if flag & 128 else None
        return fixes


def header(raw):
    names = ["sequence", "count", "first_ns", "period_ns", "counts_per_unit", "rate", "axes",
             "loss_accounting", "raw_form", "has_ticks", "address"]
    about = {name: str(uuid.UUID(bytes=raw[16 * position:16 * position + 16]))
             for position, name in enumerate(("id", "session", "boot_id"))}
    about.update(zip(names, struct.unpack_from("<IIqdddBBBBQ", raw, 48)))
    reader = Columns(raw)
    reader.offset = 100
    texts = []
    for _ in range(5 + about["axes"]):
        length = reader.number()
        texts.append(raw[reader.offset:reader.offset + length].decode("utf-8"))
        reader.offset += length
    about.update(zip(("signal", "unit", "name", "model", "firmware"), texts))
    about["axes"] = texts[5:]
    about["raw_form"] = ("integer", "float")[about["raw_form"]]
    # By how much the board was faster than the rate it was set to.
    nominal = about["period_ns"] * about["rate"]
    about["drift_ppm"] = (1e9 / nominal - 1) * 1e6 if nominal else None
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


class Chunk:
    """A chunk file: what it says of itself, and its columns as they stand in it."""

    def __init__(self, data):
        found = sections(data)
        self.about = about = header(found["head"])
        # How far the sensor measures; None where it is not known.
        about["range"] = struct.unpack("<d", found["rang"])[0] if "rang" in found else None
        count = about["count"]
        self.counters = [value % 2**32 for value in Columns(found["cntr"]).column(count)]
        self.arrivals = Columns(found["arrv"]).arrivals(count)
        reader = Columns(found["axes"])
        raw = [reader.column(count) for _ in about["axes"]]
        self.ticks = None
        if about["seconds_per_tick"] is not None:
            self.ticks = [value % 2**32 for value in Columns(found["tick"]).column(count)]
        self.axes = [values(numbers, about) for numbers in raw]
        self.times = [about["first_ns"] + round((counter - self.counters[0]) % 2**32
                                                * about["period_ns"]) for counter in self.counters]
        about["gaps"] = [gap(record) for record in
                         struct.iter_unpack("<qqQBB", found.get("gaps", b""))]
        about["fixes"] = Columns(found["fixs"]).fixes() if "fixs" in found else []


def columns(path):
    """What a chunk says of itself, and its samples: name -> list, one for each column of a data frame."""
    with open(path, "rb") as file:
        chunk = Chunk(file.read())
    samples = {"counter": chunk.counters, "boot_ns": chunk.times, "arrival_ns": chunk.arrivals}
    samples.update(zip(chunk.about["axes"], chunk.axes))
    if chunk.ticks is not None:
        samples["tick"] = chunk.ticks
    return chunk.about, samples


def main(arguments):
    about_only = arguments[:1] == ["--about"]
    paths = arguments[about_only:]
    if len(paths) != 1:
        sys.exit(__doc__)
    about, samples = columns(paths[0])
    arrivals = samples.pop("arrival_ns")
    if about_only:
        about["arrivals_ns"] = arrivals
        print(json.dumps(about, indent=1))
        return
    print(",".join(samples))
    for row in zip(*samples.values()):
        print(",".join(map(repr, row)))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (OSError, ValueError, KeyError, IndexError, struct.error) as error:
        sys.exit(f"error: {error}")
