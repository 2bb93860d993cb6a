"""The recording that the tests read: a simulated walk, with the gateway's exports.

FOOTBRIDGE is the path of the program. If a package is missing, pytest names it and skips the
tests that need it.
"""
import csv
import os
import pathlib
import shutil
import sqlite3
import subprocess

import pytest

import footbridge

PROGRAM = os.environ["FOOTBRIDGE"]
# The largest rounding error of each exported column.
ROUNDING = {"lat": 0.6e-7, "lon": 0.6e-7, "alt_msl": 5.1e-3, "fix_age": 5.1e-4, "fix_error": 5.1e-3}


def run(*arguments, store=None, environment=None):
    place = ["--store", str(store)] if store else []
    return subprocess.run([PROGRAM, *map(str, arguments), *place], check=True, capture_output=True, text=True,
                          env={**os.environ, **(environment or {})}).stdout


class Walk:
    """A recording with a radio loss, an outage, fixes, a hazard, a remark, a task and a report."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        # Fault times count from the start of the simulation. On a busy machine, the recording may begin after them.
        for delay in (0, 10, 30):
            self.store = folder / f"walk-{delay}.sqlite"
            self.record(delay)
            if {"link", "disconnected"} <= set(self.session.gaps["reason"]):
                break
        run("annotate", "last", "a gate", store=self.store)
        run("survey", "last", "--hazard", "Low branch=1", store=self.store)
        run("export", "last", "--output", folder / "walk.csv", store=self.store)

    def record(self, delay: int):
        """Records with faults that begin `delay` seconds later than usual."""
        subprocess.run(
            [PROGRAM, "simulate", "--boards", "2", "--gps", "--seed", "4", "--fault", f"drop@{2 + delay}:6",
             "--fault", f"disconnect@{4 + delay}", "--", "sh", "-c",
             f'"{PROGRAM}" record --boards 2 --seconds {9 + delay} --gps "$FOOTBRIDGE_SIMULATION_GPS" '
             f'--store "{self.store}" --sensor acceleration@100:8 --sensor angular_velocity@100 '
             '--sensor pressure@13.51351 --note "a, \\"walk\\" ü" --gateway box --hazard Slippery=2'],
            check=True, capture_output=True, timeout=300)

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file, strict=True))

    @property
    def session(self):
        return footbridge.open(self.store)["last"]


@pytest.fixture(scope="session")
def walk(tmp_path_factory):
    return Walk(tmp_path_factory.mktemp("walk"))


@pytest.fixture
def copy(walk, tmp_path):
    """A copy of the store that a test can damage: a connection and a path."""
    path = tmp_path / "copy.sqlite"
    shutil.copy(walk.store, path)
    database = sqlite3.connect(path)
    yield database, path
    database.close()
