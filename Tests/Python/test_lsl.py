"""Live samples on the Lab Streaming Layer, received by its own library."""
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from conftest import PROGRAM


@pytest.fixture
def loopback(tmp_path, monkeypatch):
    """Restricts LSL to the loopback interface and to a separate session."""
    settings = tmp_path / "lsl.cfg"
    settings.write_text("[ports]\nIPv6 = disable\n[multicast]\nResolveScope = machine\nListenAddress = 127.0.0.1\n"
                        "AddressesOverride = {127.0.0.1}\n[lab]\nKnownPeers = {127.0.0.1}\n"
                        f"SessionID = test-{os.getpid()}\n")
    monkeypatch.setenv("LSLAPICFG", str(settings))


RECEIVER = """
import json, sys, time, pylsl
streams = []
until = time.monotonic() + 30
while len(streams) < int(sys.argv[1]) and time.monotonic() < until:
    streams = pylsl.resolve_streams(1)
inlets = [pylsl.StreamInlet(info) for info in streams]
for inlet in inlets:
    inlet.open_stream(10)
print(json.dumps({"ready": len(inlets)}), flush=True)
for inlet in inlets:
    info = inlet.info(5)
    samples = []
    while len(samples) < int(sys.argv[2]) and time.monotonic() < until:
        values, stamp = inlet.pull_sample(1)
        if stamp is not None:
            samples.append((values, stamp, pylsl.local_clock()))
    label = info.desc().child("channels").child("channel").child_value("label")
    print(json.dumps({"name": info.name(), "source": info.source_id(), "channels": info.channel_count(), "label": label,
                      "correction": inlet.time_correction(5), "samples": samples}), flush=True)
"""


def receiver(streams, samples):
    return subprocess.Popen([sys.executable, "-c", RECEIVER, str(streams), str(samples)], stdout=subprocess.PIPE,
                            text=True)


def test_an_inlet_receives_the_samples_of_a_simulated_board_with_its_clock(loopback):
    pytest.importorskip("pylsl")
    sender = subprocess.Popen(
        [PROGRAM, "simulate", "--", sys.executable, "-m", "footbridge", "lsl", "--", PROGRAM, "stream", "--json",
         "--seconds", "20", "C8:4B:AA:97:50:05"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    inlet = receiver(2, 100)
    try:
        text, _ = inlet.communicate(timeout=60)
    finally:
        inlet.kill()
        sender.kill()
    _, errors = sender.communicate()
    found = [json.loads(line) for line in text.splitlines()[1:]]
    assert sorted(stream["name"].split("/")[1] for stream in found) == ["acceleration", "angular_velocity"], errors
    for stream in found:
        assert len(stream["samples"]) == 100 and stream["channels"] == 3 and stream["label"].endswith(".x")
        stamps = np.array([stamp for _, stamp, _ in stream["samples"]])
        received = np.array([now for _, _, now in stream["samples"]])
        assert (np.diff(stamps) >= 0).all()
        # Sender and receiver share a clock, so a sample cannot arrive before its time. On a busy computer, a
        # sample can be seconds late.
        assert abs(stream["correction"]) < 0.01
        assert (received + 0.005 > stamps).all() and (received - stamps).min() < 10, errors
        # A hundred samples at 100 Hz. Some packets may be late.
        assert 0.3 < stamps[-1] - stamps[0] < 5


def test_lines_that_are_not_samples_are_skipped(loopback):
    pytest.importorskip("pylsl")
    lines = ["no sample\n", json.dumps({"values": {}}) + "\n", json.dumps([1]) + "\n"]
    outcome = subprocess.run([sys.executable, "-m", "footbridge", "lsl"], input="".join(lines), capture_output=True,
                             text=True, timeout=60)
    assert outcome.returncode == 1 and outcome.stderr.count("warning: skipped a line") == 3
