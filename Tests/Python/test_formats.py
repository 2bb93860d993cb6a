"""Files in other formats, read by those formats' own libraries."""
import json
import sys

import numpy as np
import pytest


@pytest.mark.parametrize("hertz", [None, 20])
def test_two_readers_read_the_same_parquet(walk, tmp_path, hertz):
    parquet, duckdb = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("duckdb")
    path = str(tmp_path / "walk.parquet")
    walk.session.to_parquet(path, hertz)
    table, read = walk.session.joined(hertz), parquet.read_table(path)
    other = duckdb.sql(f"SELECT * FROM '{path}'").fetchnumpy()
    assert read.num_rows == table.count and list(other) == read.schema.names == list(table)
    for name, column in table.items():
        values, others = read[name].to_pylist() if column.dtype == object else read[name].to_numpy(), other[name]
        if column.dtype.kind == "f":
            np.testing.assert_array_equal(values.astype(float), column)
            np.testing.assert_array_equal(np.ma.filled(others.astype(float), np.nan), column)
        elif column.dtype == object:
            assert [value or "" for value in values] == column.tolist()
            assert [value or "" for value in np.ma.filled(others.astype(object), "")] == column.tolist()
        else:
            np.testing.assert_array_equal(values, column)
            np.testing.assert_array_equal(others.astype(column.dtype), column)
    about = json.loads(read.schema.metadata[b"footbridge"])
    assert about["session"] == walk.session.id and about["method"] == table.metadata["method"]
    assert read.schema.field("lat").metadata[b"unit"] == b"deg"


def test_hdf5_contains_the_session(walk, tmp_path):
    h5py = pytest.importorskip("h5py")
    walk.session.to_hdf5(str(tmp_path / "walk.h5"))
    with h5py.File(tmp_path / "walk.h5") as file:
        assert json.loads(file.attrs["footbridge"])["session"] == walk.session.id
        for stream in walk.session.streams.values():
            group = file["streams"][stream.board.address][stream.signal]
            np.testing.assert_array_equal(group["values"], stream.values)
            np.testing.assert_array_equal(group["boot_ns"], stream.times)
            np.testing.assert_array_equal(np.array(group["utc"]).view("datetime64[ns]"), stream.utc)
            assert group["values"].attrs["unit"] == stream.unit
        np.testing.assert_array_equal(file["gaps/lost"], walk.session.gaps["lost"])
        assert [text.decode() for text in file["events/text"]] == walk.session.events["text"].tolist()


def test_matlab_files_contain_the_session(walk, tmp_path):
    io = pytest.importorskip("scipy.io")
    walk.session.to_mat(str(tmp_path / "walk.mat"))
    read = io.loadmat(tmp_path / "walk.mat", simplify_cells=True)["footbridge"]
    assert json.loads(read["metadata"])["session"] == walk.session.id
    for own, stream in zip(read["streams"], walk.session.streams.values()):
        np.testing.assert_array_equal(own["values"].reshape(stream.values.shape), stream.values)
        np.testing.assert_array_equal(own["utc_ns"].astype("datetime64[ns]"), stream.utc)
        assert (own["name"], own["unit"], own["rate"]) == (stream.name, stream.unit, stream.rate)
    np.testing.assert_array_equal(read["gaps"]["lost"], walk.session.gaps["lost"])
    np.testing.assert_array_equal(read["fixes"]["latitude"], walk.session.fixes["latitude"])


def test_mne_has_the_correct_times_and_gaps_as_annotations(walk):
    pytest.importorskip("mne")
    session = walk.session
    found = session.to_mne()
    assert sorted(found) == sorted({stream.rate for stream in session.streams.values()})
    raw, table = found[100.0], session.joined(hertz=100)
    assert len(raw.ch_names) == 12 and raw.info["sfreq"] == 100
    start = np.datetime64(raw.info["meas_date"].replace(tzinfo=None), "ns")
    place = int(np.abs((table["utc"] - start).astype(np.int64)).argmin())
    assert abs((table["utc"][place] - start).astype(np.int64)) < 1000
    for name, values in zip(raw.ch_names, raw.get_data()):
        np.testing.assert_array_equal(values, table[name][place:place + len(values)])
        is_gap = np.zeros(len(values), bool)
        for mark in raw.annotations:
            if mark["description"] == "BAD_gap" and name in mark["ch_names"]:
                first = round((mark["onset"]) * 100)
                is_gap[first:first + round(mark["duration"] * 100)] = True
        np.testing.assert_array_equal(is_gap, np.isnan(values), name)
    assert "link-lost" in set(raw.annotations.description)


def test_frames_have_a_column_for_each_axis(walk):
    pandas = pytest.importorskip("pandas")
    stream = walk.session["C8:4B:AA:97:50:05/acceleration"]
    frame = stream.frame()
    assert list(frame)[:6] == ["utc", "seconds", "boot_ns", "x", "y", "z"] and len(frame) == stream.count
    assert frame["utc"].dtype == "datetime64[ns]"
    gaps = walk.session.gaps.frame()
    assert gaps["lost"].dtype == "UInt64" and gaps["lost"].sum() == walk.session.gaps["lost"].sum()
    assert isinstance(walk.session.joined(hertz=10).frame(), pandas.DataFrame)


@pytest.mark.parametrize("module, package, use", [
    ("pandas", "pandas", lambda session, path: session.gaps.frame()),
    ("pyarrow", "pyarrow", lambda session, path: session.to_parquet(path)),
    ("h5py", "h5py", lambda session, path: session.to_hdf5(path)),
    ("scipy.io", "scipy", lambda session, path: session.to_mat(path)),
    ("mne", "mne", lambda session, path: session.to_mne())])
def test_a_missing_package_is_an_error_that_says_how_to_install_it(walk, tmp_path, monkeypatch, module, package, use):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"cannot import {module}(.|\n)*pip install {package}"):
        use(walk.session, str(tmp_path / "file"))
    assert not list(tmp_path.iterdir())
