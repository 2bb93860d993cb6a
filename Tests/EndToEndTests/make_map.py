#!/usr/bin/python3
"""Creates an MBTiles file with images around a position, using only SQLite and the specification.

    make_map.py FILE LATITUDE LONGITUDE

The map covers a kilometre in each direction at zoom levels 8 to 17, in images of 256 pixels with a border. Its
attribution looks like HTML, once plain and once escaped.
"""
import math
import sqlite3
import struct
import sys
import zlib

ZOOMS = range(8, 18)
DEGREES_NORTH, DEGREES_EAST = 0.009, 0.015
ATTRIBUTION = ("© <b>Makers</b> of the map <img src=x onerror=\"document.title='broken'\">"
               " &lt;img src=y onerror=\"document.title='broken'\"&gt;")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(colour):
    """Return a single-coloured PNG with a darker border."""
    edge = bytes(value - 40 for value in colour)
    rows = [b"\0" + edge * 256] + [b"\0" + edge + bytes(colour) * 255] * 255
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b""))


def tile(zoom, latitude, longitude):
    """Return the column and row of the tile at a position. Rows count from the south, as the specification requires."""
    count = 2 ** zoom
    north = (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2
    return int((longitude + 180) / 360 * count), count - 1 - int(north * count)


def main():
    path, latitude, longitude = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    south, north = latitude - DEGREES_NORTH, latitude + DEGREES_NORTH
    west, east = longitude - DEGREES_EAST, longitude + DEGREES_EAST
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE metadata (name text, value text);
        CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
        CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);
    """)
    database.executemany("INSERT INTO metadata VALUES (?, ?)", {
        "name": "Heath", "format": "png", "minzoom": str(ZOOMS[0]), "maxzoom": str(ZOOMS[-1]),
        "bounds": f"{west},{south},{east},{north}", "attribution": ATTRIBUTION,
    }.items())
    pictures = [picture((228, 238, 220)), picture((216, 232, 210))]
    for zoom in ZOOMS:
        left, bottom = tile(zoom, south, west)
        right, top = tile(zoom, north, east)
        database.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", [
            (zoom, column, row, pictures[(column + row) % 2])
            for column in range(left, right + 1) for row in range(bottom, top + 1)])
    database.commit()


main()
