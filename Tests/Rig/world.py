"""The VM as a rig test sees it: the simulated radio, bluetoothd, the adapter.

Requires only Python.
"""
import contextlib
import json
import os
import signal
import subprocess
import time

# Seconds to wait for an expected event. No durations are measured here: a VM without hardware
# virtualisation is up to 25 times slower.
PATIENCE = 90
DAEMON = "/usr/libexec/bluetooth/bluetoothd"


class Failure(Exception):
    """An unmet requirement."""


def need(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


def now():
    """Return the time, in seconds, of the clock that timestamps the samples."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def until(what, condition, seconds=PATIENCE):
    """Wait for a condition, and return its value."""
    deadline = now() + seconds
    while not (found := condition()):
        need(now() < deadline, f"no {what} within {seconds} s")
        time.sleep(0.05)
    return found


def control(line):
    """Send a command to the simulated radio, and return its reply."""
    with open("/dev/rig-control", "r+b", buffering=0) as port:
        port.write(line.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            answer += port.read(4096)
    return answer.decode().strip()


def counts():
    """Return each board's counts since it was switched on, keyed by address."""
    return {board["address"]: board for board in json.loads(control("sent"))["boards"]}


def processes(name):
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{entry}/comm") as file:
            if file.read().strip() == name:
                yield int(entry)


def end(name, number):
    """End all programs with this name. In this VM, they all belong to the rig."""
    for process in list(processes(name)):
        os.kill(process, number)
    until(f"end of {name}", lambda: not any(map(is_alive, processes(name))))


def is_alive(process):
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"
    return False


def start(*command):
    with open(f"/run/rig/{os.path.basename(command[0])}.again.log", "ab") as log:
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def bus(*arguments):
    """Make a call on the system bus. Return the reply as text, or "" if the call failed."""
    return subprocess.run(
        ["busctl", "--system", "--timeout=20", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def daemon_is_there():
    return bus("call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner", "s",
               "org.bluez") == "b true"


def daemon_returns():
    time.sleep(3)
    start(DAEMON, "-n")
    until("bluetoothd on the bus", daemon_is_there)
    return now()


def adapters():
    """Return the names of the kernel's adapters."""
    return {name for name in os.listdir("/sys/class/bluetooth") if ":" not in name}


def working_adapter():
    """Return the name of the adapter that is on and known to bluetoothd, if any."""
    return next((name for name in adapters() if bus(
        "get-property", "org.bluez", f"/org/bluez/{name}", "org.bluez.Adapter1", "Powered")
        == "b true"), None)


def channels():
    """Return the kernel's channels over links that exist or are being established."""
    with open("/sys/kernel/debug/bluetooth/l2cap") as file:
        lines = [line.split() for line in file]
    # Connected (1), or being connected, configured or disconnected (5 to 8). Channels that are
    # open, bound or listening are excluded.
    return [line for line in lines if line[4] in "15678"]


@contextlib.contextmanager
def without_links():
    """Keep every board out of range while the body runs.

    An adapter must not be removed while it has links: the kernel of Debian 12 (6.1.192) may then free
    a channel twice when bluetoothd closes its socket, and crash. The same applies to connection
    attempts."""
    control("off")
    # After three seconds without a channel, no connection attempt is about to start.
    quiet = now()
    deadline = quiet + PATIENCE
    while now() < quiet + 3:
        if channels():
            quiet = now()
        need(now() < deadline, f"links or attempts after {PATIENCE} s")
        time.sleep(0.05)
    yield
    control("on")


def unplug():
    with without_links():
        control("unplug")
        if any(processes("btattach")):
            before = adapters()
            end("btattach", signal.SIGTERM)
            until("end of an adapter", lambda: adapters() < before)


def plug():
    start("btattach", "-B", "/dev/hvc0", "-P", "h4")
    return until("adapter that is on", working_adapter)


def prepare():
    """Restore everything that an earlier step may have left broken."""
    if not daemon_is_there():
        daemon_returns()
    if not working_adapter():
        unplug()
        plug()
