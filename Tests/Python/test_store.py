"""The arrays of a store, compared with the gateway's export, and stores that are damaged or unusual."""
import hashlib
import os
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import uuid
import zlib

import numpy as np
import pytest

import footbridge
from conftest import PROGRAM, ROUNDING, run
from footbridge._chunk import decode

UNKNOWN = np.datetime64("NaT", "ns")


def utc(text):
    return np.datetime64(text.rstrip("Z"), "ns") if text else UNKNOWN


def is_same_instant(exported, times):
    """Whether the exported times are these times, truncated to microseconds."""
    behind = (times - np.array([utc(text) for text in exported], "datetime64[ns]")).astype(np.int64)
    return bool(((behind >= 0) & (behind < 1000)).all())


def numbers(texts):
    return np.array([float(text) if text else np.nan for text in texts])


def test_samples_and_positions_match_the_export(walk):
    session = walk.session
    rows = walk.rows("walk.csv")
    assert sum(stream.count for stream in session.streams.values()) == len(rows) > 3000
    for stream in session.streams.values():
        own = [row for row in rows if (row["board"], row["signal"]) == (stream.board.address, stream.signal)]
        assert stream.count == len(own)
        assert is_same_instant([row["time_utc"] for row in own], stream.utc)
        assert np.abs(numbers([row["seconds"] for row in own]) - stream.seconds).max() < 0.6e-6
        for axis, name in enumerate("xyzw"[:len(stream.axes)]):
            np.testing.assert_allclose(numbers([row[name] for row in own]), stream.values[:, axis], rtol=1e-7,
                                       atol=0.6e-6)
        positions = session.positions(stream.times)
        for name, tolerance in ROUNDING.items():
            np.testing.assert_allclose(numbers([row[name] for row in own]), positions[name], rtol=0, atol=tolerance)
        for name in "fix_quality", "fix_method":
            assert [row[name] for row in own] == positions[name].tolist()
        assert {row["unit"] for row in own} == {stream.unit}
        assert {row["range"] for row in own} == {"" if stream.range is None else f"{stream.range:g}"}
    assert {row["time_source"] for row in rows} == {session.time_source}


def test_gaps_events_hazards_and_fixes_match_the_export(walk):
    session = walk.session
    exported = sorted((row["board"], row["signal"], row["reason"], round(float(row["start_seconds"]) * 1e6),
                       round(float(row["end_seconds"]) * 1e6), row["lost"], row["is_estimate"])
                      for row in walk.rows("walk.gaps.csv"))
    assert {"link", "disconnected"} <= {gap[2] for gap in exported}
    # An export rounds to microseconds, with halves rounded up.
    found = sorted((gap["board"], gap["signal"], gap["reason"], (gap["start_ns"] - session.start_ns + 500) // 1000,
                    (gap["end_ns"] - session.start_ns + 500) // 1000, str(gap["lost"]),
                    str(gap["is_estimate"]).lower())
                   for gap in session.gaps.rows())
    assert found == exported
    events, rows = session.events, walk.rows("walk.events.csv")
    for name in "board", "text":
        assert events[name].tolist() == [row[name] for row in rows]
    assert events["kind"].tolist() == [row["event"] for row in rows]
    assert {"hazard", "annotation", "submitted", "link-lost"} <= set(events["kind"])
    assert is_same_instant([row["time_utc"] for row in rows], events["utc"])
    np.testing.assert_array_equal(events["value"], numbers([row["value"] for row in rows]))
    hazards = walk.rows("walk.hazards.csv")
    assert session.hazards["name"].tolist() == [row["hazard"] for row in hazards]
    np.testing.assert_allclose(session.hazards["latitude"], numbers([row["lat"] for row in hazards]), atol=0.6e-7)
    fixes = walk.rows("walk.fixes.csv")
    assert session.fixes.count == len(fixes) > 5
    np.testing.assert_allclose(session.fixes["speed"], numbers([row["speed"] for row in fixes]), atol=0.6e-3)
    assert is_same_instant([row["time_utc"] for row in fixes], session.fixes["utc_ns"].view("datetime64[ns]"))
    assert session.reports[0]["hazards"] == "reported"
    assert session.note == 'a, "walk" ü' and session.gateway == "box"


def test_a_session_is_found_by_number_by_the_beginning_of_its_id_and_as_last(walk):
    sessions = footbridge.open(walk.store)
    (only,) = sessions
    assert sessions["last"].id == sessions[0].id == sessions[only.id[:6]].id == only.id
    with pytest.raises(KeyError, match="no sessions in .* match 'zz'"):
        sessions["zz"]


def test_a_folder_contains_the_same_data_as_the_store(walk, tmp_path):
    store = tmp_path / "walk.sqlite"
    shutil.copy(walk.store, store)
    (tmp_path / "sent").mkdir()
    run("destination", "add", "home", "--folder", tmp_path / "sent", store=store)
    run("upload", store=store)
    folder, session = footbridge.open(tmp_path / "sent")["last"], walk.session
    for own, other in zip(folder.streams.values(), session.streams.values()):
        assert own.name == other.name and own.range == other.range and own.versions == other.versions
        for name in "times", "values", "counters", "arrivals", "utc":
            np.testing.assert_array_equal(getattr(own, name), getattr(other, name))
    for name in "gaps", "fixes", "hazards":
        for column in getattr(session, name):
            np.testing.assert_array_equal(getattr(folder, name)[column], getattr(session, name)[column], column)
    assert folder.metadata == session.metadata
    (tmp_path / "object").write_bytes(sealed_object(tmp_path / "sent", session.id))
    sealed = footbridge.open(tmp_path / "object")["last"]
    assert sealed.metadata == session.metadata
    for own, other in zip(sealed.streams.values(), session.streams.values()):
        np.testing.assert_array_equal(own.values, other.values)
    np.testing.assert_array_equal(sealed.fixes["latitude"], session.fixes["latitude"])
    listed = subprocess.run([sys.executable, "-m", "footbridge", "sealed", tmp_path / "object"], check=True,
                            capture_output=True, text=True).stdout
    assert [line.split()[0] for line in listed.splitlines()][-2:] == ["record", "track"]
    # If a chunk is missing, the other samples can still be read.
    missing = next((tmp_path / "sent" / "chunks").glob("*/*.chunk"))
    missing.unlink()
    with pytest.warns(footbridge.DamageWarning, match="not in the store"):
        gaps = footbridge.open(tmp_path / "sent")["last"].gaps
    (gap,) = [gap for gap in gaps.rows() if gap["reason"] == "chunks"]
    assert gap["lost"] > 0


@pytest.mark.filterwarnings("ignore::footbridge.OpenWarning")
def test_a_store_can_be_read_while_it_is_recorded(tmp_path):
    store = tmp_path / "live.sqlite"
    recording = subprocess.Popen(
        [PROGRAM, "simulate", "--", PROGRAM, "record", "--sensor", "acceleration@800", "--sensor",
         "angular_velocity@800", "--seconds", "8", "--store", store],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    counts = []
    try:
        while recording.poll() is None:
            try:
                session = footbridge.open(store)["last"]
                counts.append(sum(stream.count for stream in session.load().streams.values()))
            except (FileNotFoundError, KeyError, footbridge.UnreadableError):
                # The tables and the session do not exist until the first transactions have created them. After that, every read succeeds.
                assert not counts
            time.sleep(0.1)
    finally:
        recording.kill()
    assert recording.returncode == 0
    assert counts == sorted(counts) and len(counts) > 2
    session = footbridge.open(store)["last"].load()
    assert session.ending == "closed"
    assert sum(stream.count for stream in session.streams.values()) >= max(counts[-1], 10_000)


def test_a_store_whose_recorder_was_killed_is_read_and_not_changed(tmp_path):
    store = tmp_path / "cut.sqlite"
    recording = subprocess.Popen(
        [PROGRAM, "simulate", "--", "sh", "-c",
         f'echo $$; exec "{PROGRAM}" record --sensor acceleration@800 --store "{store}"'],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    recorder = int(recording.stdout.readline())

    def has_stream():
        try:
            return bool(footbridge.open(store)["last"].streams)
        except (KeyError, footbridge.UnreadableError):
            # The first transactions create the tables and the session.
            return False

    until = time.monotonic() + 30
    try:
        while time.monotonic() < until and not (list(tmp_path.glob("cut.sqlite-tail-*")) and has_stream()):
            time.sleep(0.1)
        time.sleep(1)
    finally:
        os.kill(recorder, signal.SIGKILL)
        recording.wait()
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")}
    assert "cut.sqlite-wal" in files
    session = footbridge.open(store)["last"]
    with pytest.warns(footbridge.OpenWarning, match="in no chunk yet"):
        session.load()
    assert session.ending is None and list(session.streams) == ["MetaWear/acceleration"]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")} == files


def test_reading_leaves_no_files_beside_a_store(walk, tmp_path):
    store = tmp_path / "walk.sqlite"
    shutil.copy(walk.store, store)
    before = hashlib.sha256(store.read_bytes()).hexdigest()
    footbridge.open(store)["last"].load()
    assert os.listdir(tmp_path) == ["walk.sqlite"]
    assert hashlib.sha256(store.read_bytes()).hexdigest() == before


def test_a_damaged_and_a_missing_chunk_are_gaps(copy, walk):
    database, path = copy
    stream = walk.session["C8:4B:AA:97:50:05/acceleration"]
    (number,) = database.execute(
        "SELECT number FROM stream WHERE signal = 'acceleration' ORDER BY number").fetchone()
    database.execute("UPDATE chunk SET bytes = zeroblob(length(bytes)) WHERE stream = ? AND sequence = 0", (number,))
    database.execute("DELETE FROM chunk WHERE stream = (SELECT max(number) FROM stream) AND sequence = 0")
    database.commit()
    session = footbridge.open(path)["last"]
    with pytest.warns(footbridge.DamageWarning) as caught:
        session.load()
    assert ["not a chunk" in str(caught[0].message), "not in the store" in str(caught[1].message)] == [True, True]
    (damaged, missing) = [gap for gap in session.gaps.rows() if gap["reason"] == "chunks"]
    assert damaged["detail"] == "chunk 0: not a chunk" and missing["detail"] == "chunk 0: not in the store"
    # No earlier sample shows where the gap begins. The store lists how many samples are missing.
    kept = session[stream.name]
    first = stream.count - kept.count
    assert damaged["start_ns"] is None and damaged["end_ns"] == kept.times[0] == stream.times[first]
    assert damaged["lost"] >= first
    np.testing.assert_array_equal(kept.values, stream.values[first:])


def test_a_firmware_change_is_listed(copy):
    database, path = copy
    number, content = database.execute(
        "SELECT number, bytes FROM chunk ORDER BY sequence DESC, number LIMIT 1").fetchone()
    content = bytearray(content)
    offset = 16
    while content[offset:offset + 4] != b"head":
        offset += 12 + struct.unpack_from("<I", content, offset + 4)[0]
    length, = struct.unpack_from("<I", content, offset + 4)
    head = content[offset + 12:offset + 12 + length].replace(b"1.7.2", b"1.7.3")
    content[offset + 12:offset + 12 + length] = head
    database.execute("UPDATE chunk SET bytes = ? WHERE number = ?", (with_checksums(content), number))
    database.commit()
    session = footbridge.open(path)["last"].load()
    (changed,) = [stream for stream in session.streams.values() if len(stream.versions) > 1]
    assert [version[2] for version in changed.versions] == ["1.7.2", "1.7.3"] and changed.firmware == "1.7.3"
    assert 0 < changed.versions[1][0] < changed.count


def test_a_session_without_a_clock_and_without_fixes_has_unknown_times_and_positions(copy):
    database, path = copy
    database.execute("DELETE FROM clock")
    database.execute("DELETE FROM fix")
    database.commit()
    session = footbridge.open(path)["last"]
    assert np.isnat(session.start) and session.time_source == "unsynced" and session.metadata["start"] is None
    table = session.joined()
    assert np.isnat(table["utc"]).all() and np.isnan(table["lat"]).all()
    assert set(table["fix_method"]) == {"noreceiver"}
    assert "NaT" not in str(footbridge.open(path)["last"].metadata)


def test_an_empty_session_and_a_session_of_one_sample_are_read(copy, tmp_path):
    database, path = copy
    database.execute("DELETE FROM chunk")
    database.commit()
    session = footbridge.open(path)["last"].load()
    assert [stream.count for stream in session.streams.values()] == [0] * 6
    assert session.gaps.count == 0 and session.joined().count == 0 and session.joined(hertz=10).count == 0
    database.execute("DELETE FROM stream")
    database.commit()
    assert footbridge.open(path)["last"].joined().count == 0
    (tmp_path / "one.chunk").write_bytes(chunk_of_one_sample())
    session = footbridge.open(tmp_path / "one.chunk")["last"]
    (stream,) = session.streams.values()
    assert stream.times.tolist() == [5_000_000_000] and stream.values.tolist() == [[0.5]]
    assert session.joined().count == 1 and session.joined(hertz=5).count == 1 and np.isnat(stream.utc[0])


def chunk_of_one_sample():
    """A chunk that the gateway did not write."""
    text = b"".join(bytes([len(name)]) + name for name in (b"pressure", b"Pa", b"left", b"S", b"1.7.2", b"value"))
    head = uuid.uuid4().bytes * 3 + struct.pack("<IIqdddBBBBQ", 0, 1, 5_000_000_000, 1e7, 2.0, 100.0, 1, 0, 0, 0, 1)
    column = b"\0%c\1\0"
    parts = {b"head": head + text, b"cntr": column % 0, b"arrv": b"\1" + column % 2 + b"\1" + column % 4,
             b"axes": column % 2}
    body = b"".join(tag + struct.pack("<II", len(part), zlib.crc32(part)) + part for tag, part in parts.items())
    content = b"\x89FBCH\r\n\x1a" + struct.pack("<HHI", 1, len(parts), 16 + len(body) + 32) + body
    return content + hashlib.blake2b(content, digest_size=32).digest()


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\0" + bytes(4096), b"\x89FBCH\r\n\x1a" + bytes(60),
                                     bytes(100) + b"\x89FBSO\r\n\x1a" + bytes(56)])
def test_a_file_that_is_not_a_recording_is_rejected(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(footbridge.UnreadableError, match="file"):
        footbridge.open(tmp_path / "file")
    with pytest.raises(footbridge.UnreadableError, match="contains no sessions"):
        footbridge.open(tmp_path)


def test_a_chunk_with_any_error_is_rejected_or_read(walk):
    """Errors in sections with correct checksums. Only a faulty writer can produce them."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    random = np.random.default_rng(seed)
    with sqlite3.connect(walk.store) as database:
        contents = [row[0] for row in database.execute("SELECT bytes FROM chunk")]
    broken = []
    for _ in range(400):
        content = bytearray(contents[random.integers(len(contents))])
        for _ in range(random.integers(1, 4)):
            content[random.integers(16, len(content) - 32)] = random.choice([0, 255, random.integers(256)])
        broken.append(with_checksums(content))
    found = decode(broken + contents, fixes=True)
    faults = [chunk for chunk in found[:400] if isinstance(chunk, ValueError)]
    assert 100 < len(faults)
    for chunk in found[:400]:
        if not isinstance(chunk, ValueError):
            assert chunk.values.shape == (chunk.count, len(chunk.axes)) and len(chunk.arrivals) == chunk.count
    # A faulty chunk does not change the others.
    for own, other in zip(found[400:], decode(contents)):
        np.testing.assert_array_equal(own.values, other.values)


def sealed_object(folder, session):
    """An object in the format of docs/sealed-sessions.md, with the files of a folder."""
    own = uuid.UUID(session).bytes
    items = [(uuid.UUID(path.stem).bytes, 1, path.read_bytes()) for path in (folder / "chunks").glob("*/*.chunk")]
    items += [(own, 2, (folder / "sessions" / session / "record.json").read_bytes()),
              (own, 3, (folder / "sessions" / session / "track" / "0.json").read_bytes())]
    body, index = b"", b""
    for id_, kind, content in items:
        body += id_ + struct.pack("<I", len(content)) if kind == 1 else b""
        index += struct.pack("<16sQII32s", id_, len(body), len(content), kind, hashlib.sha256(content).digest())
        body += content
    return body + index + struct.pack("<8sIIQQ32s", b"\x89FBSO\r\n\x1a", 1, len(items), len(body),
                                      len(body) + len(index) + 64, hashlib.sha256(index).digest())


def with_checksums(content):
    offset = 16
    while offset + 12 < len(content) - 32:
        length, = struct.unpack_from("<I", content, offset + 4)
        if offset + 12 + length > len(content) - 32:
            break
        struct.pack_into("<I", content, offset + 8, zlib.crc32(content[offset + 12:offset + 12 + length]))
        offset += 12 + length
    content[-32:] = hashlib.blake2b(content[:-32], digest_size=32).digest()
    return bytes(content)


def test_batches_contain_the_whole_stream(walk):
    for stream in walk.session.streams.values():
        parts = list(stream.batches(chunks=1))
        for name in "times", "values", "counters":
            np.testing.assert_array_equal(np.concatenate([getattr(part, name) for part in parts]),
                                          getattr(stream, name))


def test_the_command_lists_a_store(walk):
    text = subprocess.run([sys.executable, "-m", "footbridge", "info", walk.store], check=True, capture_output=True,
                          text=True).stdout
    assert walk.session.id in text and text.count("Hz") == 6
    outcome = subprocess.run([sys.executable, "-m", "footbridge", "info", "/dev/null"], capture_output=True, text=True)
    assert outcome.returncode == 1 and outcome.stderr.startswith("error: cannot open /dev/null")


def test_the_package_is_installed_without_a_network(tmp_path):
    package = os.path.dirname(os.path.dirname(os.path.dirname(footbridge.__file__)))
    assert os.path.exists(os.path.join(package, "pyproject.toml"))
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
                    "--no-deps", "--target", tmp_path, package], check=True, capture_output=True)
    found = subprocess.run([sys.executable, "-c", "import footbridge; print(footbridge.__file__)"], check=True,
                           capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)}).stdout
    assert found.startswith(str(tmp_path)) and (tmp_path / "footbridge" / "py.typed").exists()
