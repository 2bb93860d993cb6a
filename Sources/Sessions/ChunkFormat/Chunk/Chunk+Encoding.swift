public import Recording
internal import Values
internal import Coding

extension Chunk {
  /// Returns the chunk in the format used for storage and upload. To encode many chunks, use a
  /// `ChunkEncoder`.
  public func encoded() -> [UInt8] {
    ChunkEncoder().encode(self)
  }

  fileprivate var headerRecord: [UInt8] {
    var bytes: [UInt8] = []
    for id in [id, session, bootID] {
      // Identifiers are written most significant byte first, unlike numbers.
      bytes.append(littleEndian: id.high.byteSwapped)
      bytes.append(littleEndian: id.low.byteSwapped)
    }
    bytes.append(littleEndian: sequence)
    bytes.append(littleEndian: UInt32(count))
    bytes.append(littleEndian: clock.first.nanoseconds)
    bytes.append(littleEndian: clock.period)
    bytes.append(littleEndian: stream.countsPerUnit)
    bytes.append(littleEndian: stream.rate)
    bytes.append(UInt8(stream.axisCount))
    bytes.append(stream.lossAccounting.rawValue)
    bytes.append(stream.rawForm.rawValue)
    bytes.append(stream.hasBoardTicks ? 1 : 0)
    bytes.append(littleEndian: board.address.value)
    let texts = [stream.signal, stream.unit, board.name, board.model, board.firmware]
    for text in texts + stream.axes {
      bytes.append(variableLength: UInt64(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }
    return bytes
  }
}

/// Encodes chunks in the format used for storage and upload. Not thread-safe.
///
/// Decoding an encoded chunk restores it exactly:
///
///     let encoder = ChunkEncoder()
///     let bytes = encoder.encode(chunk)
///     let decoded = try Chunk(decoding: bytes.span)
public struct ChunkEncoder: ~Copyable {
  public init() {}

  /// Encodes a chunk. Equal chunks always produce the same bytes.
  ///
  /// Encoding a full chunk takes a few tens of microseconds.
  ///
  /// - Precondition: The columns match the description, and no sample time computed from the clock
  ///   overflows.
  public func encode(_ chunk: Chunk) -> [UInt8] {
    precondition(
      chunk.contradiction == nil, "a chunk's columns and clock must match its description")
    var columns = ColumnEncoder()
    var writer = ChunkWriter()
    writer.add(.header) { $0 += chunk.headerRecord }
    if let range = chunk.stream.range { writer.add(.range) { $0.append(littleEndian: range) } }
    writer.add(.counters) { bytes in
      columns.append(chunk.counters.map { Int32(bitPattern: $0) }, to: &bytes)
    }
    writer.add(.arrivals) { columns.append(arrivals: chunk.arrivals, to: &$0) }
    if chunk.stream.hasBoardTicks {
      writer.add(.ticks) { bytes in
        columns.append(chunk.ticks.map { Int32(bitPattern: $0) }, to: &bytes)
      }
    }
    writer.add(.axes) { bytes in
      for column in chunk.columns { columns.append(column, to: &bytes) }
    }
    if !chunk.gaps.isEmpty {
      writer.add(.gaps) { bytes in
        for gap in chunk.gaps { gap.append(to: &bytes) }
      }
    }
    if !chunk.fixes.isEmpty {
      writer.add(.fixes) { Fix.append(chunk.fixes, to: &$0, with: &columns) }
    }
    return writer.finish()
  }
}

/// Writes the sections in sequence and frames each of them.
private struct ChunkWriter {
  private var bytes: [UInt8]
  private var sectionCount: UInt16 = 0

  init() {
    bytes = ChunkLayout.magic
    // Large enough for most chunks, so the buffer rarely grows.
    bytes.reserveCapacity(1 << 14)
    bytes.append(littleEndian: ChunkLayout.version)
    // Placeholders for the number of sections and the total length, which are not known until the
    // end.
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0])
  }

  mutating func add(_ tag: SectionTag, _ write: (inout [UInt8]) -> Void) {
    bytes.append(littleEndian: tag.value)
    let start = bytes.count + 8
    // Placeholders for the length and the checksum, which are not known until the section is
    // complete.
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
    write(&bytes)
    let length = bytes.count - start
    replace(at: start - 8, with: UInt32(length))
    replace(at: start - 4, with: CRC32.of(bytes.span.extracting(start..<start + length)))
    sectionCount += 1
  }

  consuming func finish() -> [UInt8] {
    let length = bytes.count + ChunkLayout.footerSize
    replace(at: ChunkLayout.prologueSize - 6, with: sectionCount)
    replace(at: ChunkLayout.prologueSize - 4, with: UInt32(length))
    bytes += BLAKE2b.hash(of: bytes.span)
    return bytes
  }

  private mutating func replace<T: FixedWidthInteger>(at offset: Int, with value: T) {
    for place in 0..<T.bitWidth / 8 {
      bytes[offset + place] = UInt8(truncatingIfNeeded: value >> T(8 * place))
    }
  }
}
