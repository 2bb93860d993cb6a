"""The command line: python -m footbridge."""
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from . import _chunk, _sources, open as open_sessions
from ._lsl import publish


def info(path: str) -> None:
    for session in open_sessions(path):
        start = session.start.astype("datetime64[s]")
        print(f"{session.id}  {'unknown' if np.isnat(start) else f'{start}Z'}  time: {session.time_source}  "
              f"{session.note}".rstrip())
        session.load()
        for stream in session.streams.values():
            lost = int(np.ma.sum(stream.gaps["lost"])) if stream.gaps.count else 0
            print(f"  {stream.name}: {stream.count} samples, {stream.rate:g} Hz, "
                  f"{lost} lost in {stream.gaps.count} gaps")
        print(f"  {session.fixes.count} fixes, {session.events.count} events")


def chunk(path: str, about: bool) -> None:
    (found,) = _chunk.decode([Path(path).read_bytes()], fixes=True)
    if isinstance(found, ValueError):
        raise found
    if about:
        print(json.dumps(described(found), indent=1))
        return
    columns: dict[str, Any] = {"counter": found.counters, "boot_ns": found.times}
    columns.update(zip(found.axes, found.values.T))
    if found.ticks is not None:
        columns["tick"] = found.ticks
    print(",".join(columns))
    for row in zip(*(column.tolist() for column in columns.values())):
        print(",".join(map(repr, row)))


def described(found: _chunk.Chunk) -> dict[str, Any]:
    """Describes a chunk without its samples, with values that JSON can represent."""
    hidden = ("counters", "arrivals", "ticks", "raw", "gaps", "is_float", "is_estimated", "has_ticks")
    return {**{field.name: getattr(found, field.name) for field in dataclasses.fields(found)
               if field.name not in hidden},
            "gaps": [vars(gap) for gap in found.gaps], "arrivals_ns": found.arrivals.tolist(),
            "raw_form": "float" if found.is_float else "integer", "drift_ppm": found.drift_ppm,
            "loss_accounting": "estimated" if found.is_estimated else "counted",
            "seconds_per_tick": _chunk.SECONDS_PER_TICK if found.has_ticks else None}


def sealed(path: str, folder: str) -> None:
    items = [(kind, name, _sources.checked(path, kind, content, digest))
             for kind, name, content, digest in _sources.sealed_items(path)]
    for number, (kind, name, content) in enumerate(items):
        print(kind, name, len(content))
        if folder:
            own = {"chunk": f"{name}.chunk", "record": "record.json"}.get(kind, f"track-{number}.json")
            Path(folder, own).write_bytes(content)


def lsl(command: Sequence[str]) -> int:
    if not command:
        return 1 if publish(sys.stdin) else 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            publish(process.stdout)
        except KeyboardInterrupt:
            process.terminate()
    return process.returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m footbridge", description="Reads Footbridge recordings.")
    verbs = parser.add_subparsers(dest="verb", required=True)

    def verb(run: Any, text: str) -> argparse.ArgumentParser:
        own = verbs.add_parser(run.__name__, help=text)
        own.set_defaults(run=run)
        return own

    verb(info, "list the sessions in a store, a folder, a sealed object or a chunk").add_argument("path")
    own = verb(chunk, "print the samples of a chunk as CSV")
    own.add_argument("--about", action="store_true", help="print everything else as JSON")
    own.add_argument("path")
    own = verb(sealed, "list the items of a sealed object")
    own.add_argument("path")
    own.add_argument("folder", nargs="?", default="", help="write the items to this folder")
    verb(lsl, "publish the lines of 'footbridge stream --json' on the Lab Streaming Layer").add_argument(
        "command", nargs="*", metavar="COMMAND", help="start this command instead of reading the standard input, "
        "as in: lsl -- footbridge stream left --json")
    options = vars(parser.parse_args())
    del options["verb"]
    try:
        return options.pop("run")(**options) or 0
    except BrokenPipeError:
        # The program that reads the output, such as `head`, has exited. Without this line, Python reports a second
        # error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, ImportError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
