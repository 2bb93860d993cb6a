"""The joined table contains every sample once, and no values in gaps."""
import csv
import io
import subprocess

import numpy as np
import pytest

import footbridge
from conftest import PROGRAM, ROUNDING
from footbridge import _joined


def test_every_sample_is_in_one_row_and_lost_samples_have_rows(walk):
    session = walk.session
    table = session.joined()
    half = 5_000_000
    assert (np.diff(table["boot_ns"]) > 0).all()
    for stream in session.streams.values():
        column = table[f"{stream.board.address}.{stream.signal}.{stream.axes[0]}"]
        has_sample = ~np.isnan(column)
        np.testing.assert_array_equal(column[has_sample], stream.values[:, 0])
        delay = stream.times - table["boot_ns"][has_sample]
        assert (delay >= 0).all() and (delay <= half).all()
    # The table does not shorten the outage.
    assert np.diff(table["seconds"]).max() < 0.1
    assert "at most 5 ms apart" in table.metadata["method"]


def test_resampled_values_lie_on_the_lines_between_samples_and_never_in_gaps(walk):
    session = walk.session
    table = session.joined(hertz=50)
    np.testing.assert_allclose(table["seconds"] * 50, np.round(table["seconds"] * 50), atol=1e-5)
    for stream in session.streams.values():
        column = table[f"{stream.board.address}.{stream.signal}.{stream.axes[0]}"]
        expected = np.interp(table["boot_ns"], stream.times, stream.values[:, 0])
        known = ~np.isnan(column)
        np.testing.assert_allclose(column[known], expected[known], atol=1e-9)
        times = table["boot_ns"][known]
        place = np.searchsorted(stream.times, times, "right")
        before, after = stream.times[place - 1], stream.times[np.minimum(place, stream.count - 1)]
        assert (after - before < 1.5e9 / stream.rate).all()
        outage = np.diff(stream.times).argmax()
        inside = (table["boot_ns"] > stream.times[outage]) & (table["boot_ns"] < stream.times[outage + 1])
        assert inside.sum() > 10 and np.isnan(column[inside]).all()
    with pytest.raises(ValueError, match="cannot resample at 0"):
        session.joined(hertz=0)


def test_rows_follow_the_rule_for_any_times():
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    random = np.random.default_rng(seed)
    for _ in range(200):
        tolerance = int(random.integers(0, 8))
        streams = [np.cumsum(random.integers(0, 12, random.integers(1, 40))) for _ in range(random.integers(1, 5))]
        if random.random() < 0.3:
            streams[0] = streams[0][::-1].copy()
        times, places = _joined.rows(streams, tolerance)
        slow_times, slow_places = _joined._rows_one_by_one(streams, tolerance)
        np.testing.assert_array_equal(times, slow_times)
        for own, slow, samples in zip(places, slow_places, streams):
            np.testing.assert_array_equal(own, slow)
            assert len(set(own.tolist())) == len(samples)
            assert (samples >= times[own]).all() and (samples - times[own] <= tolerance).all()
        assert set(np.concatenate(places).tolist()) == set(range(len(times)))


def test_angles_and_quaternions_turn_by_the_shorter_way():
    class Stream:
        signal, unit, axes = "euler_angles", "deg", ("heading",)

    times = np.array([0, 10])
    angles = _joined.interpolated(Stream, times, np.array([[350.0], [10.0]]), np.array([0, 5, 8, 10]))
    np.testing.assert_allclose(angles[:, 0], [350, 0, 6, 10])
    Stream.signal, Stream.unit, Stream.axes = "quaternion", "1", ("w", "x", "y", "z")
    values = np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]])
    np.testing.assert_allclose(_joined.interpolated(Stream, times, values, np.array([5]))[0], [1, 0, 0, 0])
    assert np.isnan(_joined.interpolated(Stream, times, values, np.array([-1, 11]))).all()


@pytest.mark.filterwarnings("ignore::footbridge.DamageWarning")
@pytest.mark.parametrize("is_damaged", [False, True])
@pytest.mark.parametrize("hertz", [None, 50, 33.3])
def test_the_table_matches_the_export(copy, is_damaged, hertz):
    database, path = copy
    if is_damaged:
        database.execute("DELETE FROM chunk WHERE number = (SELECT min(number) FROM chunk)")
        database.commit()
    table = footbridge.open(path)["last"].joined(hertz)
    outcome = subprocess.run([PROGRAM, "export", "last", "--format", "table", "--store", path]
                             + (["--resample", str(hertz)] if hertz else []), capture_output=True, text=True)
    assert outcome.returncode == (5 if is_damaged else 0), outcome.stderr
    rows = list(csv.DictReader(io.StringIO(outcome.stdout), strict=True))
    assert len(rows) == table.count > 200

    def exported(name):
        return np.array([float(row[name]) if row[name] not in ("", "n/a") else np.nan for row in rows])

    np.testing.assert_allclose(exported("seconds"), table["seconds"], rtol=0, atol=0.6e-6)
    for name, unit in table.metadata["units"].items():
        if name.count(".") > 1:
            np.testing.assert_allclose(exported(f"{name} [{unit}]"), table[name], rtol=1e-7, atol=0.6e-6)
    for name, tolerance in ROUNDING.items():
        np.testing.assert_allclose(exported(name), table[name], rtol=0, atol=tolerance)
    assert [row["fix_method"] for row in rows] == table["fix_method"].tolist()
