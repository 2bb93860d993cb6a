"""Columns of chunks, decoded in lockstep: step *i* computes value *i* of every column at once.

Each value of a column depends on the value before it, so one column alone keeps NumPy waiting. A program that reads a
chunk is therefore a generator: it yields the columns that it needs, and `run` decodes the columns of all generators
together. docs/data-format.md specifies the coding.
"""
from __future__ import annotations

from typing import Any, Generator, NamedTuple, Sequence, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]
Result = TypeVar("Result")


class Blocks(NamedTuple):
    """A column coded in blocks, whose bits begin at `offset`."""
    data: bytes
    offset: int
    length: int
    width: int
    first: int
    mean: int
    pace: int
    base: int
    rise: int


class Answer(NamedTuple):
    values: Ints
    #: The offset behind the column.
    end: int


Task = Generator[Blocks, Union[Answer, ValueError], Result]

# The bits of a window behind any of its first 32: a longer code is read on its own.
WINDOW_BITS = 33
# By the first 11 bits of a code: the bits before its low bits, and the number to add to them for the high bits. Eleven
# zeros begin a code that is read on its own.
LEADING_ZEROS = [11 - head.bit_length() for head in range(2048)]
PREFIXES = np.array([64] + [zeros + 1 if zeros < 5 else 2 * zeros - 4 for zeros in LEADING_ZEROS[1:]], np.uint64)
ADDED = np.array([zeros - 1 if zeros < 5 else 4 for zeros in LEADING_ZEROS]).astype(np.uint64)
# How often a predictor takes each of the latest three steps; what it adds to their sum, and the bits that it shifts
# the sum to the right. Predictor 0 is the line, which takes no steps.
PREDICTORS = np.array([(0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (2, -1, 0, 0, 0), (0, 1, 1, 1, 1),
                       (5, 2, -3, 2, 2)])


class Cursor:
    """Reads the fields of a section, one after the other."""

    def __init__(self, data: bytes, offset: int = 0) -> None:
        self.data, self.offset = data, offset

    def byte(self) -> int:
        self.offset += 1
        return self.data[self.offset - 1]

    def number(self) -> int:
        if self.data[self.offset] < 0x80:
            return self.byte()
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if value >> 64:
                raise ValueError("a number has more than 64 bits")
            if byte < 0x80:
                return value

    def signed(self) -> int:
        code = self.number()
        return code >> 1 ^ -(code & 1)

    def end(self) -> None:
        if self.offset != len(self.data):
            raise ValueError("a section has more bytes than its fields")

    def column(self, count: int, width: int = 32) -> Task[Ints]:
        """A column of signed integers of `width` bits."""
        if count == 0:
            return np.zeros(0, f"i{width // 8}")
        coding, first = self.byte(), self.signed()
        if coding == 0:
            return self._exceptions(first, count, width)
        if coding != 1:
            raise ValueError("a column has an unknown coding")
        start, pace, base, rise = self.byte(), self.byte(), self.signed(), self.signed()
        if start > 49 or not 1 <= pace <= 15 or abs(rise) >= 1 << 42:
            raise ValueError("a column has a scale that is out of range")
        if count - 1 > 8 * (len(self.data) - self.offset):
            raise ValueError("a column has fewer bits than values")
        answer = yield Blocks(self.data, self.offset, count, width, first, 128 << start, pace, base, rise)
        if isinstance(answer, ValueError):
            raise answer
        self.offset = answer.end
        return answer.values

    def _exceptions(self, first: int, count: int, width: int) -> Ints:
        predictor, exceptions, index = self.byte(), self.number(), 0
        if predictor not in (1, 2) or exceptions >= count:
            raise ValueError("a column has an unknown predictor, or more exceptions than values")
        values = np.zeros(count, np.uint64)
        for _ in range(exceptions):
            index += self.number() + 1
            values[index] = self.signed() % 2**64
        if predictor == 2:
            values = np.cumsum(values, dtype=np.uint64)
            values[0] = 0
        values[0] = first % 2**64
        return np.cumsum(values, dtype=np.uint64).astype(f"u{width // 8}").view(f"i{width // 8}")

    def times(self, count: int) -> Task[Ints]:
        unit = self.number()
        if not 1 <= unit < 1 << 63:
            raise ValueError("a unit of times is out of range")
        values = yield from self.column(count, 64)
        return values * np.int64(unit)

    def decimals(self, count: int) -> Task[NDArray[np.float64]]:
        if count == 0:
            return np.zeros(0)
        scale = self.byte()
        if scale == 255:
            values = yield from self.column(count, 64)
            return values.view(np.float64)
        if scale & 15 > 9 or scale > 25:
            raise ValueError("decimals have an unknown scale")
        wholes = yield from self.column(count, 64)
        steps = yield from self.column(count, 64)
        near = wholes / float((60 if scale & 16 else 1) * 10 ** (scale & 15))
        return (near.view(np.int64) + steps).view(np.float64)


def run(tasks: Sequence[Task[Result]]) -> list[Union[Result, ValueError]]:
    """The result of each task, or the fault that it found in its data."""
    results: list[Any] = [None] * len(tasks)

    def resume(index: int, answer: Union[Answer, ValueError, None]) -> None:
        try:
            waiting.append((index, tasks[index].send(answer)))  # type: ignore[arg-type]
        except StopIteration as end:
            results[index] = end.value
        except (ValueError, IndexError) as fault:
            results[index] = fault if isinstance(fault, ValueError) else ValueError("a section is truncated")

    waiting: list[tuple[int, Blocks]] = []
    for index in range(len(tasks)):
        resume(index, None)
    while waiting:
        round_, waiting = waiting, []
        for width in (32, 64):
            # The longest first: the columns that are not finished are always the first ones.
            own = sorted((item for item in round_ if item[1].width == width), key=lambda item: -item[1].length)
            if own:
                for (index, _), answer in zip(own, _decode([column for _, column in own], width)):
                    resume(index, answer)
    return results


def _decode(columns: list[Blocks], width: int) -> list[Union[Answer, ValueError]]:
    """Columns of one width, the longest first."""
    counts = np.array([column.length for column in columns])
    parts = [column.data[column.offset:] for column in columns]
    starts = np.cumsum([0] + [len(part) for part in parts])
    joined = b"".join(parts) + bytes(24)
    codes, predictors, at = _codes(columns, counts, joined, starts[:-1], width)
    values = _values(columns, counts, codes, predictors, width)
    used = (at + 7) // 8 - starts[:-1]
    faults = (used > starts[1:] - starts[:-1]) | (predictors > 5).any(axis=0)
    return [ValueError("a column is truncated or has an unknown predictor") if fault else
            Answer(row[:column.length], column.offset + int(length))
            for column, row, length, fault in zip(columns, values, used, faults)]


def _codes(
    columns: list[Blocks], counts: Ints, joined: bytes, starts: Ints, width: int
) -> tuple[Ints, Ints, Ints]:
    """The code of each residual, the predictor of each block, and the bit behind each column."""
    words = np.frombuffer(joined[:len(joined) // 4 * 4], ">u4").astype(np.uint64)
    windows = words[:-1] << np.uint64(32) | words[1:]
    most, lanes = int(counts[0]), len(columns)
    codes = np.zeros((most, lanes), np.uint64)
    predictors = np.zeros((most // 16 + 1, lanes), np.uint8)
    all_at = (8 * starts).astype(np.uint64)
    all_means = np.array([column.mean for column in columns], np.int64)
    all_paces = np.array([column.pace for column in columns], np.int64)
    scratch = [np.empty(lanes, np.uint64) for _ in range(4)]
    floats = np.empty(lanes)
    latest = np.full(lanes, 3, np.uint64)
    one, five, low, top, exponent, most_bits = (np.uint64(n) for n in (1, 5, 31, 53, 52, 64))
    offset, eight, least = np.int64(1031), np.int64(8), np.int64(0)
    live = lanes
    for index in range(1, most):
        if index == 1 or counts[live - 1] <= index:
            live = int(np.searchsorted(-counts, -index, "left"))
            at, mean, pace = all_at[:live], all_means[:live], all_paces[:live]
            word, window, bits, added = (array[:live] for array in scratch)
            places, step, scale = word.view(np.int64), bits.view(np.int64), floats[:live]
            exponents = scale.view(np.uint64)
        if index % 16 == 1:
            np.right_shift(at, five, out=word)
            windows.take(places, out=window, mode="clip")
            np.left_shift(window, at & low, out=window)
            new = window >> np.uint64(60)
            repeats = new > 7
            latest[:live] = np.where(repeats, latest[:live], new)
            predictors[index // 16, :live] = latest[:live]
            at += np.where(repeats, one, np.uint64(4))
        row = codes[index, :live]
        np.right_shift(at, five, out=word)
        windows.take(places, out=window, mode="clip")
        np.bitwise_and(at, low, out=bits)
        np.left_shift(window, bits, out=window)
        np.right_shift(window, top, out=word)
        PREFIXES.take(places, out=bits, mode="clip")
        ADDED.take(places, out=added, mode="clip")
        # The bit length of the mean, from the exponent of a float: the number of low bits.
        np.copyto(scale, mean)
        np.right_shift(exponents, exponent, out=word)
        np.subtract(places, offset, out=places)
        np.maximum(places, least, out=places)
        np.add(bits, word, out=bits)
        long = None
        if np.maximum.reduce(bits) > WINDOW_BITS:
            long = (bits > WINDOW_BITS).nonzero()[0]
            read = [_long_code(joined, int(at[lane]), int(mean[lane]), width) for lane in long]
        np.add(at, bits, out=at)
        np.subtract(most_bits, bits, out=bits)
        np.right_shift(window, bits, out=row)
        np.left_shift(added, word, out=added)
        np.add(row, added, out=row)
        if long is not None:
            for lane, (code, end) in zip(long, read):
                row[lane], at[lane] = min(code, 1 << 48), end
        np.left_shift(row.view(np.int64), eight, out=step)
        np.subtract(step, mean, out=step)
        np.right_shift(step, pace, out=step)
        np.add(mean, step, out=mean)
        if long is not None:
            for lane, (code, _) in zip(long, read):
                row[lane] = code
    return codes, predictors, all_at.astype(np.int64)


def _long_code(joined: bytes, at: int, mean: int, width: int) -> tuple[int, int]:
    """A code in any of the three forms, and the bit behind it."""
    # A code that no writer makes ends behind all columns, so its column is rejected.
    invalid = 0, 8 * len(joined) + 8
    total = 128 - at % 8
    window = int.from_bytes(joined[at // 8:at // 8 + 16].ljust(16, b"\0"), "big") & (1 << total) - 1
    zeros, plain = total - window.bit_length(), (mean >> 9).bit_length()
    if zeros < 5:
        used, high = zeros + 1, zeros
    elif zeros < 25:
        used = 2 * zeros - 4
        high = (window >> total - used) + 4
    elif zeros == 25:
        used = 26 + width
        return window >> total - used & (1 << width) - 1, at + used
    else:
        return invalid
    code = high << plain | window >> total - used - plain & (1 << plain) - 1
    return invalid if code >> 64 else (code, at + used + plain)


def _values(columns: list[Blocks], counts: Ints, codes: Ints, predictors: Ints, width: int) -> Ints:
    """The values of each column as a row."""
    unsigned, signed = f"u{width // 8}", f"i{width // 8}"
    narrow = codes.astype(unsigned)
    residuals = (narrow >> 1 ^ (0 - (narrow & 1))).view(signed)
    most, lanes = codes.shape
    table = PREDICTORS.astype(signed)
    values = residuals
    first = np.array([column.first for column in columns], np.int64)
    start = np.array([column.base % 2**64 for column in columns], np.uint64).view(np.int64) + first
    rise = np.array([column.rise for column in columns], np.int64)
    values[0] = first.astype(signed)
    steps = [np.zeros(lanes, signed) for _ in range(3)]
    total, part = np.empty(lanes, signed), np.empty(lanes, signed)
    for index in range(1, most):
        if index % 16 == 1:
            block = predictors[index // 16]
            weights = [np.ascontiguousarray(column) for column in table[np.minimum(block, 5)].T]
            lines = np.flatnonzero(block == 0)
        last, row = values[index - 1], values[index]
        np.multiply(steps[0], weights[0], out=total)
        np.multiply(steps[1], weights[1], out=part)
        np.add(total, part, out=total)
        np.multiply(steps[2], weights[2], out=part)
        np.add(total, part, out=total)
        np.add(total, weights[3], out=total)
        np.right_shift(total, weights[4], out=total)
        np.add(total, last, out=total)
        if len(lines):
            total[lines] = start[lines] + (index * rise[lines] >> 16)
        np.add(row, total, out=row)
        steps = [steps[2], steps[0], steps[1]]
        np.subtract(row, last, out=steps[0])
    return np.ascontiguousarray(values.T)
