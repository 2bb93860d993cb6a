public import Recording

extension Chunk {
  /// The chunk in the form in which it is stored and sent. Who has many asks a `ChunkEncoder`.
  public func encoded() -> [UInt8] {
    ChunkEncoder().encode(self)
  }

  fileprivate var headerRecord: [UInt8] {
    var bytes: [UInt8] = []
    for id in [id, session, bootID] {
      // As they are written: most significant byte first.
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
      bytes.append(littleEndian: UInt32(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }
    return bytes
  }
}

/// Brings chunks into the form in which they are stored and sent. One thread uses it.
public struct ChunkEncoder: ~Copyable {
  private let compressor = Compressor()

  /// An encoder, which keeps its memory from chunk to chunk.
  public init() {}

  /// A chunk as bytes.
  ///
  /// The same chunk gives the same bytes as long as the version of zstd stays the same; what is
  /// read from them is the same always. Takes well below a millisecond for a full chunk.
  ///
  /// - Precondition: the columns fit the description, and the clock is a line that can be computed.
  public func encode(_ chunk: Chunk) -> [UInt8] {
    precondition(
      chunk.contradiction == nil, "a chunk's columns and clock must fit its description")
    var writer = ChunkWriter()
    writer.add(.header, .records, chunk.headerRecord)
    add(.counters, .planes, IntegerColumn.encode(chunk.counters), to: &writer)
    add(.arrivals, .planes, IntegerColumn.encode(chunk.arrivals.map(\.nanoseconds)), to: &writer)
    if chunk.stream.hasBoardTicks {
      add(.ticks, .planes, IntegerColumn.encode(chunk.ticks), to: &writer)
    }
    for (axis, column) in chunk.columns.enumerated() {
      add(.axis, index: UInt8(axis), .planes, IntegerColumn.encode(column), to: &writer)
    }
    var records: [UInt8] = []
    for gap in chunk.gaps { gap.append(to: &records) }
    add(.gaps, .records, records, to: &writer)
    records = []
    for fix in chunk.fixes { fix.append(to: &records) }
    add(.fixes, .records, records, to: &writer)
    return writer.finish()
  }

  /// Adds a section, compressed if that makes it smaller.
  private func add(
    _ tag: SectionTag, index: UInt8 = 0, _ layout: SectionLayout, _ raw: [UInt8],
    to writer: inout ChunkWriter
  ) {
    let frame = compressor.compress(raw).flatMap { $0.count < raw.count ? $0 : nil }
    writer.add(tag, index: index, layout, raw, frame: frame)
  }
}

/// Puts sections behind one another and frames them.
private struct ChunkWriter {
  private var bytes: [UInt8]
  private var sectionCount: UInt16 = 0

  init() {
    bytes = ChunkLayout.magic
    bytes.append(littleEndian: ChunkLayout.version)
    // Number of sections and total length, known at the end.
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0])
  }

  mutating func add(
    _ tag: SectionTag, index: UInt8 = 0, _ layout: SectionLayout, _ raw: [UInt8],
    frame: [UInt8]? = nil
  ) {
    precondition(raw.count <= ChunkLayout.maximumRawLength, "a section must stay below 16 MiB")
    let stored = frame ?? raw
    let compression = frame == nil ? SectionCompression.none : .zstd
    bytes.append(littleEndian: tag.value)
    bytes.append(index)
    bytes.append(layout.rawValue)
    bytes.append(compression.rawValue)
    bytes.append(0)
    bytes.append(littleEndian: UInt32(raw.count))
    bytes.append(littleEndian: UInt32(stored.count))
    bytes.append(littleEndian: CRC32C.of(stored.span))
    bytes.append(contentsOf: stored)
    sectionCount += 1
  }

  consuming func finish() -> [UInt8] {
    var late: [UInt8] = []
    late.append(littleEndian: sectionCount)
    late.append(littleEndian: UInt32(bytes.count + ChunkLayout.footerSize))
    bytes.replaceSubrange(
      ChunkLayout.prologueSize - late.count..<ChunkLayout.prologueSize, with: late)
    bytes.append(littleEndian: CRC64.of(bytes.span))
    return bytes
  }
}
