"""Reads Footbridge recordings as NumPy arrays.

    import footbridge
    session = footbridge.open("walk.sqlite")["last"]
    left = session["left/acceleration"]
    left.utc, left.values, session.gaps, session.joined(hertz=100).frame()

The package follows docs/data-format.md and shares no code with the gateway, so the two programs check each other.
"""
from __future__ import annotations

import os
from typing import Union

from ._chunk import SECONDS_PER_TICK, Chunk, Gap
from ._clock import Clock, Pair
from ._session import DamageWarning, OpenWarning, Samples, Session, Sessions, Stream
from ._sources import Board, UnreadableError, source
from ._table import Table

__all__ = ["Board", "Chunk", "Clock", "DamageWarning", "Gap", "OpenWarning", "Pair", "SECONDS_PER_TICK", "Samples",
           "Session", "Sessions", "Stream", "Table", "UnreadableError", "open"]


def open(path: Union[str, os.PathLike[str]]) -> Sessions:
    """Opens a store, a folder of received sessions, a sealed object or a chunk file.

    Reading changes no data. A recorder can write to the store at the same time.
    """
    return Sessions(source(path))
