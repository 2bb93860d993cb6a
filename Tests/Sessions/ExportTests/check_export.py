#!/usr/bin/env python3
"""Parses an export from standard input with the standard library, as another program would, checks it
against the rules of its format, and prints its content as JSON.

    check_export.py csv|jsonl|json|geojson|gpx < FILE

GPX is also validated against its schema if the packages `gpx` (which contains the schema) and
`xmlschema` (which reads it) are installed.

Ends with status 1 and one line on standard error if a rule is broken.
"""

import csv
import importlib.util
import io
import json
import math
import os
import re
import sys
import xml.etree.ElementTree as ElementTree


class Broken(Exception):
    pass


def check(condition, rule):
    if not condition:
        raise Broken(rule)


# JSON according to RFC 8259: no NaN, no infinities, no repeated name in an object.


def refuse_constant(word):
    raise Broken(f"{word} is not JSON")


def unique_names(pairs):
    names = [name for name, _ in pairs]
    check(len(names) == len(set(names)), f"a name stands twice in {names}")
    return dict(pairs)


def read_json(text):
    return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=unique_names)


def read_lines(text):
    check(text == "" or text.endswith("\n"), "the last line has no end")
    return [read_json(line) for line in text.split("\n")[:-1]]


# CSV according to RFC 4180, except for its line endings: every row is as long as the header.


def read_csv(text):
    check("\r\n" not in text or '"' in text, "lines end with more than a line feed")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    heading = rows[0]
    check(len(heading) == len(set(heading)), "a column has its name twice")
    for row in rows[1:]:
        check(len(row) == len(heading), f"a row has {len(row)} fields of {len(heading)}")
    return [dict(zip(heading, row)) for row in rows[1:]]


# GeoJSON (RFC 7946).


def position(value):
    check(isinstance(value, list) and 2 <= len(value) <= 3, "a position has 2 or 3 numbers")
    for number in value:
        check(isinstance(number, (int, float)) and not isinstance(number, bool), "a number")
        check(math.isfinite(number), "a position is finite")
    check(-180 <= value[0] <= 180, "longitude comes first, and is at most 180")
    check(-90 <= value[1] <= 90, "latitude comes second, and is at most 90")


def geometry(value):
    if value is None:
        return
    check(set(value) <= {"type", "coordinates", "bbox"}, "a geometry has no other members")
    kind = value["type"]
    if kind == "Point":
        position(value["coordinates"])
    elif kind == "LineString":
        check(len(value["coordinates"]) >= 2, "a line has two positions or more")
        for each in value["coordinates"]:
            position(each)
    else:
        raise Broken(f"{kind} is not a geometry that we write")


def read_geojson(text):
    collection = read_json(text)
    check(collection["type"] == "FeatureCollection", "the whole is a FeatureCollection")
    check("crs" not in collection, "the reference system is always WGS 84")
    for forbidden in ("coordinates", "geometries", "geometry", "properties"):
        check(forbidden not in collection, f"a collection has no {forbidden}")
    check(isinstance(collection["features"], list), "features are an array")
    for feature in collection["features"]:
        check(feature["type"] == "Feature", "a feature says that it is one")
        check("geometry" in feature and "properties" in feature, "a feature has both")
        check(not {"coordinates", "geometries", "features"} & set(feature), "and nothing of others")
        check(feature["properties"] is None or isinstance(feature["properties"], dict), "object")
        geometry(feature["geometry"])
    return collection


# GPX 1.1: the rules of its schema for the elements that we write. Each type is an ordered list of
# its elements, with the permitted number of occurrences and the required form of their text.

GPX = "{http://www.topografix.com/GPX/1/1}"
MANY = math.inf
DATE_TIME = re.compile(r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
TEXT = re.compile(r".*", re.DOTALL)
WAYPOINT = [
    ("ele", 1, DECIMAL), ("time", 1, DATE_TIME), ("magvar", 1, DECIMAL), ("geoidheight", 1, DECIMAL),
    ("name", 1, TEXT), ("cmt", 1, TEXT), ("desc", 1, TEXT), ("src", 1, TEXT), ("link", MANY, None),
    ("sym", 1, TEXT), ("type", 1, TEXT), ("fix", 1, re.compile("none|2d|3d|dgps|pps")),
    ("sat", 1, re.compile(r"\d+")), ("hdop", 1, DECIMAL), ("vdop", 1, DECIMAL), ("pdop", 1, DECIMAL),
    ("ageofdgpsdata", 1, DECIMAL), ("dgpsid", 1, re.compile(r"\d+")), ("extensions", 1, None),
]
TYPES = {
    "gpx": [("metadata", 1, "metadata"), ("wpt", MANY, "wpt"), ("rte", MANY, None),
            ("trk", MANY, "trk"), ("extensions", 1, None)],
    "metadata": [("name", 1, TEXT), ("desc", 1, TEXT), ("author", 1, None), ("copyright", 1, None),
                 ("link", MANY, None), ("time", 1, DATE_TIME), ("keywords", 1, TEXT),
                 ("bounds", 1, None), ("extensions", 1, None)],
    "wpt": WAYPOINT,
    "trk": [("name", 1, TEXT), ("cmt", 1, TEXT), ("desc", 1, TEXT), ("src", 1, TEXT),
            ("link", MANY, None), ("number", 1, re.compile(r"\d+")), ("type", 1, TEXT),
            ("extensions", 1, None), ("trkseg", MANY, "trkseg")],
    "trkseg": [("trkpt", MANY, "wpt"), ("extensions", 1, None)],
}


def element(node, kind):
    allowed = TYPES[kind]
    place, count = 0, 0
    check((node.text or "").strip() == "", f"text stands in {kind}")
    for child in node:
        check(child.tag.startswith(GPX), f"{child.tag} is not in the namespace")
        check((child.tail or "").strip() == "", f"text stands in {kind}")
        name = child.tag[len(GPX):]
        while place < len(allowed) and allowed[place][0] != name:
            place, count = place + 1, 0
        check(place < len(allowed), f"{name} may not stand there in {kind}")
        count += 1
        check(count <= allowed[place][1], f"{name} stands too often in {kind}")
        content = allowed[place][2]
        check(content is not None, f"we do not write {name}")
        if isinstance(content, str):
            element(child, content)
        else:
            check(not child.attrib and len(child) == 0, f"{name} holds text only")
            check(content.fullmatch(child.text or ""), f"{name} cannot be {child.text!r}")
    if kind == "wpt":
        check(set(node.attrib) == {"lat", "lon"}, "a point has lat and lon")
        for name in ("lat", "lon"):
            check(DECIMAL.fullmatch(node.attrib[name]), f"{name} is a decimal number")
        check(-90 <= float(node.attrib["lat"]) <= 90, "a latitude is at most 90")
        check(-180 <= float(node.attrib["lon"]) < 180, "a longitude is at least -180 and below 180")
    elif kind != "gpx":
        check(not node.attrib, f"{kind} has no attributes")


def point(node):
    found = {child.tag[len(GPX):]: child.text for child in node}
    return {**node.attrib, **found}


def fits_schema(text):
    """Validate GPX against its schema. Return whether the schema is installed; raise if a rule is broken."""
    package = importlib.util.find_spec("gpx")
    if package is None or importlib.util.find_spec("xmlschema") is None:
        return False
    import xmlschema

    # Only the schema file is needed; the package itself would need further packages.
    path = os.path.join(package.submodule_search_locations[0], "gpx.xsd")
    for error in xmlschema.XMLSchema(path, allow="local").iter_errors(text):
        raise Broken(f"the schema of GPX 1.1: {error.reason}")
    return True


def read_gpx(text):
    root = ElementTree.fromstring(text.encode())
    check(root.tag == GPX + "gpx", "the root is gpx in its namespace")
    check(root.attrib.get("version") == "1.1" and root.attrib.get("creator"), "version and creator")
    element(root, "gpx")
    return {
        "schema": fits_schema(text),
        "metadata": {n.tag[len(GPX):]: n.text for n in root.find(GPX + "metadata")},
        "waypoints": [point(node) for node in root.findall(GPX + "wpt")],
        "segments": [
            [point(node) for node in segment] for segment in root.iter(GPX + "trkseg")
        ],
    }


READERS = {
    "csv": read_csv, "jsonl": read_lines, "json": read_json, "geojson": read_geojson,
    "gpx": read_gpx,
}

if __name__ == "__main__":
    try:
        text = sys.stdin.buffer.read().decode("utf-8", errors="strict")
        json.dump(READERS[sys.argv[1]](text), sys.stdout)
    except (Broken, ValueError, KeyError, csv.Error, ElementTree.ParseError) as error:
        sys.exit(f"{sys.argv[1]}: {type(error).__name__}: {error}")
