#!/usr/bin/env python3
"""Parses an export from standard input with the standard library, as another program would, checks it
against the rules of its format, and prints its content as JSON.

    check_export.py csv|table|sto|jsonl|json|geojson|gpx < FILE

If the package `opensim` is installed, OpenSim also reads the orientations (sto). GPX is also validated against its schema if the packages `gpx` (which contains the schema) and
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
import tempfile
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


# A table with one row per instant: times ascend, and each field is empty, `n/a` or a number.


def read_table(text):
    rows = read_csv(text)
    columns = next(csv.reader(io.StringIO(text, newline=""), strict=True))
    check(columns[:2] == ["time_utc", "seconds"], "the time comes first")
    check(columns[-1] == "time_source", "the position comes last")
    last = -math.inf
    for row in rows:
        check(re.fullmatch(r"-?\d+\.\d{6}", row["seconds"]), "seconds have six decimals")
        check(float(row["seconds"]) > last, f"time goes back at {row['seconds']}")
        last = float(row["seconds"])
        for column in columns[2:-8]:
            if row[column] not in ("", "n/a"):
                check(math.isfinite(float(row[column])), f"{row[column]} is not a number")
    return {"columns": columns, "rows": rows}


# Orientations for OpenSim: a header, and a row of quaternions (w, x, y, z) per regular instant.


def read_sto(text):
    lines = text.split("\n")
    check(lines[-1] == "", "the last line has no end")
    end = lines.index("endheader")
    header = dict(line.split("=") for line in lines[:end])
    check(header["DataType"] == "Quaternion" and header["version"] == "3", "the header")
    columns = lines[end + 1].split("\t")
    check(columns[0] == "time" and len(set(columns)) == len(columns), "columns have unique names")
    check(all(re.fullmatch(r"\w+_imu", name, re.ASCII) for name in columns[1:]), "names are plain")
    rows = []
    for line in lines[end + 2:-1]:
        fields = line.split("\t")
        check(len(fields) == len(columns), "a row has as many fields as the header")
        row = [[float(number) for number in field.split(",")] for field in fields]
        check(all(len(field) == 4 for field in row[1:]), "a quaternion has four numbers")
        rows.append([row[0][0]] + [None if math.isnan(field[0]) else field for field in row[1:]])
    rate = float(header["DataRate"])
    for first, second in zip(rows, rows[1:]):
        steps = (second[0] - first[0]) * rate
        check(steps > 0.5 and abs(steps - round(steps)) < 1.5e-6 * rate, "rows are regular")
        check(any(second[1:]), "a row has an orientation")
    return {"rate": rate, "columns": columns[1:], "rows": rows, "opensim": opensim_rows(text)}


def opensim_rows(text):
    """The rows as OpenSim reads them; nothing if OpenSim is not installed."""
    if importlib.util.find_spec("opensim") is None:
        return None
    # OpenSim writes a log into the current folder, and reads only files.
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        import opensim

        opensim.Logger.setLevelString("Error")
        with open("walk.sto", "w") as file:
            file.write(text)
        table = opensim.TimeSeriesTableQuaternion("walk.sto")
        times = table.getIndependentColumn()
        rows = []
        for place in range(table.getNumRows()):
            row = table.getRowAtIndex(place)
            found = [row.getElt(0, column) for column in range(table.getNumColumns())]
            values = [[each.get(axis) for axis in range(4)] for each in found]
            rows.append([times[place]] + [None if math.isnan(v[0]) else v for v in values])
        os.chdir("/")
    return {"columns": list(table.getColumnLabels()), "rows": rows}


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

    # Only the schema file is needed; the package itself would require additional packages.
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
    "csv": read_csv, "table": read_table, "sto": read_sto, "jsonl": read_lines, "json": read_json, "geojson": read_geojson,
    "gpx": read_gpx,
}

if __name__ == "__main__":
    try:
        text = sys.stdin.buffer.read().decode("utf-8", errors="strict")
        json.dump(READERS[sys.argv[1]](text), sys.stdout)
    except (Broken, ValueError, KeyError, csv.Error, ElementTree.ParseError) as error:
        sys.exit(f"{sys.argv[1]}: {type(error).__name__}: {error}")
