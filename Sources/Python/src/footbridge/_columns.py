"""Columns of chunks, decoded in lockstep: step *i* computes value *i* of every column at once.

Each value of a column depends on the previous value, so NumPy cannot decode a single column fast. The functions that
read a section are therefore generators: they yield the columns that they need, and `run` decodes the columns of all
generators together. docs/data-format.md specifies the coding.
"""
from __future__ import annotations

from typing import Any, Generator, NamedTuple, Sequence, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]
Result = TypeVar("Result")


class Blocks(NamedTuple):
    """A column that is coded in blocks. Its bits begin at `offset`."""
    data: bytes
    offset: int
    width: int
    length: int
    first: int
    mean: int
    pace: int
    base: int
    rise: int


# The values of a column, and the offset of the first byte after it.
Answer = tuple[Ints, int]
Task = Generator[Blocks, Union[Answer, ValueError], Result]

# A window of 64 bits begins at a multiple of 32 bits, so at least 33 bits follow any start in its first half. Longer
# codes are read one by one.
WINDOW_BITS = 33
# A column's scale treats larger codes as this value.
MOST_CODE = np.uint64(1 << 48)
# For each value of a code's first 11 bits: the number of bits before the low bits, and the number to add to these bits
# to get the high bits. `_long_code` reads codes that begin with eleven zeros.
LEADING_ZEROS = [11 - head.bit_length() for head in range(2048)]
PREFIXES = np.array([64] + [zeros + 1 if zeros < 5 else 2 * zeros - 4 for zeros in LEADING_ZEROS[1:]], np.uint64)
ADDED = np.array([zeros - 1 if zeros < 5 else 4 for zeros in LEADING_ZEROS]).astype(np.uint64)
# The factors by which a predictor multiplies the last three steps, the number that it adds to the sum, and the bits by
# which it shifts the sum to the right. Predictor 0 is the line, which uses no steps.
PREDICTORS = np.array([(0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (2, -1, 0, 0, 0), (0, 1, 1, 1, 1),
                       (5, 2, -3, 2, 2)])


class Cursor:
    """Reads the fields of a section, one after another."""

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
            raise ValueError("a section has bytes after its last field")

    def column(self, count: int, width: int = 32) -> Task[Ints]:
        """Reads a column of signed integers of `width` bits."""
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
        answer = yield Blocks(self.data, self.offset, width, count, first, 128 << start, pace, base, rise)
        if isinstance(answer, ValueError):
            raise answer
        values, self.offset = answer
        return values

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
    """Runs tasks together. Returns the result of each task, or the error that the task raised."""
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
            # The longest columns come first, so the unfinished columns are always at the beginning.
            own = sorted((item for item in round_ if item[1].width == width), key=lambda item: -item[1].length)
            if own:
                for (index, _), answer in zip(own, _decode([column for _, column in own], width)):
                    resume(index, answer)
    return results


def _decode(columns: list[Blocks], width: int) -> list[Union[Answer, ValueError]]:
    """Decodes columns of the same width, of which the longest comes first."""
    parts = [column.data[column.offset:] for column in columns]
    ends = np.cumsum([len(part) for part in parts])
    starts = ends - [len(part) for part in parts]
    numbers = np.ascontiguousarray(np.array([column[3:] for column in columns], np.int64).T)
    codes, predictors, at = _codes(numbers, b"".join(parts) + bytes(24), starts, width)
    values, used = _values(numbers, codes, predictors, width), (at + 7) // 8 - starts
    faults = (used > ends - starts) | (predictors > 5).any(axis=0)
    return [ValueError("a column is truncated or has an unknown predictor") if fault else
            (row[:column.length], column.offset + int(length))
            for column, row, length, fault in zip(columns, values, used, faults)]


def _codes(numbers: Ints, joined: bytes, starts: Ints, width: int) -> tuple[Ints, Ints, Ints]:
    """Reads the code of each residual, the predictor of each block, and the offset of the bit after each column."""
    words = np.frombuffer(joined[:len(joined) // 4 * 4], ">u4").astype(np.uint64)
    windows = words[:-1] << np.uint64(32) | words[1:]
    counts, _, all_means, all_paces, *_ = numbers
    live = lanes = len(counts)
    codes = np.zeros((int(counts[0]), lanes), np.uint64)
    predictors = np.full((len(codes) // 16 + 1, lanes), 3, np.uint8)
    all_at = (8 * starts).astype(np.uint64)
    five, low_bits, top, most_bits = (np.uint64(n) for n in (5, 31, 53, 64))
    for index in range(1, len(codes)):
        if index == 1 or counts[live - 1] <= index:
            live = int(np.searchsorted(-counts, -index, "left"))
            at, mean, pace = all_at[:live], all_means[:live], all_paces[:live]
        if index % 16 == 1:
            block = index // 16
            new = windows.take((at >> five).view(np.int64), mode="clip") << (at & low_bits) >> np.uint64(60)
            repeats = new > 7
            predictors[block, :live] = np.where(repeats, predictors[max(block - 1, 0), :live], new)
            at += np.where(repeats, np.uint64(1), np.uint64(4))
        row = codes[index, :live]
        window = windows.take((at >> five).view(np.int64), mode="clip") << (at & low_bits)
        head = (window >> top).view(np.int64)
        # The number of low bits is the bit length of the mean >> 9, which can be read from the exponent of a float.
        low = np.maximum((mean.astype(np.float64).view(np.int64) >> 52) - 1031, 0).view(np.uint64)
        bits = PREFIXES.take(head) + low
        np.add(window >> most_bits - bits, ADDED.take(head) << low, out=row)
        growth = row.view(np.int64)
        if np.maximum.reduce(bits) > WINDOW_BITS:
            for lane in (bits > WINDOW_BITS).nonzero()[0]:
                row[lane], bits[lane] = _long_code(joined, int(at[lane]), int(mean[lane]), width)
            growth = np.minimum(row, MOST_CODE).view(np.int64)
        at += bits
        mean += (growth * 256 - mean) >> pace
    return codes, predictors, all_at.astype(np.int64)


def _long_code(joined: bytes, at: int, mean: int, width: int) -> tuple[int, int]:
    """Reads a code in any of the three forms. Returns the code and its length in bits."""
    # An invalid code gets more bits than the section has, so its column is rejected.
    invalid = 0, 8 * len(joined)
    total = 128 - at % 8
    window = int.from_bytes(joined[at // 8:at // 8 + 16].ljust(16, b"\0"), "big") & (1 << total) - 1
    zeros, low = total - window.bit_length(), (mean >> 9).bit_length()
    used, high = zeros + 1, zeros
    if zeros == 25:
        return window >> total - 26 - width & (1 << width) - 1, 26 + width
    if zeros > 25:
        return invalid
    if zeros >= 5:
        used = 2 * zeros - 4
        high = (window >> total - used) + 4
    code = high << low | window >> total - used - low & (1 << low) - 1
    return invalid if code >> 64 else (code, used + low)


def _values(numbers: Ints, codes: Ints, predictors: Ints, width: int) -> Ints:
    """Computes the values of each column, as a row."""
    unsigned, signed = f"u{width // 8}", f"i{width // 8}"
    narrow = codes.astype(unsigned)
    values = (narrow >> 1 ^ (0 - (narrow & 1))).view(signed)
    _, first, _, _, base, rise = numbers
    values[0] = first.astype(signed)
    table = PREDICTORS.astype(signed)
    step1 = step2 = step3 = np.zeros(len(first), signed)
    for index in range(1, len(values)):
        if index % 16 == 1:
            block = predictors[index // 16]
            factor1, factor2, factor3, added, shift = np.ascontiguousarray(table[np.minimum(block, 5)].T)
            lines = np.flatnonzero(block == 0)
        last, row = values[index - 1], values[index]
        predicted = step1 * factor1
        predicted += step2 * factor2
        predicted += step3 * factor3
        predicted += added
        predicted >>= shift
        predicted += last
        if len(lines):
            predicted[lines] = first[lines] + base[lines] + (index * rise[lines] >> 16)
        row += predicted
        step1, step2, step3 = row - last, step1, step2
    return np.ascontiguousarray(values.T)
