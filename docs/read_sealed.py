#!/usr/bin/env python3
"""Reads a sealed session, an object of a fleet's cold storage, by docs/sealed-sessions.md, and shares no code with
the receiver. Needs Python 3.8 and nothing else.

    read_sealed.py OBJECT          lists what is in it
    read_sealed.py OBJECT FOLDER   also writes chunks, record and track as files
"""

import hashlib
import os
import struct
import sys
import uuid


def parts(data):
    """What is in an object: kind, id, number of the piece, bytes."""
    magic, version, count, start, size, digest = struct.unpack("<8sIIQQ32s", data[-64:])
    index = data[start:-64]
    if magic != b"\x89FBSO\r\n\x1a" or version != 1 or size != len(data) or hashlib.sha256(index).digest() != digest:
        raise ValueError("not a sealed session, or damaged")
    for number in range(count):
        name, offset, length, kind, digest = struct.unpack_from("<16sQII32s", index, 64 * number)
        content = data[offset:offset + length]
        if hashlib.sha256(content).digest() != digest:
            raise ValueError(f"part {number} is damaged")
        yield {1: "chunk", 2: "record", 3: "track"}[kind], uuid.UUID(bytes=name), number, content


if __name__ == "__main__":
    for kind, name, number, content in parts(open(sys.argv[1], "rb").read()):
        file = f"{name}.chunk" if kind == "chunk" else "record.json" if kind == "record" else f"track-{number}.json"
        print(kind, name, len(content))
        if len(sys.argv) > 2:
            with open(os.path.join(sys.argv[2], file), "wb") as output:
                output.write(content)
