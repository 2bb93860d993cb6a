public import Recording

extension Chunk {
  /// Reads a chunk back from its bytes, which must be all of it and nothing else.
  ///
  /// Whatever the bytes are, this either gives a chunk whose checksums hold or throws; it never
  /// traps, and no length is believed before it has been checked. Sections with unknown tags are
  /// passed over: later writers may add some.
  public init(decoding bytes: Span<UInt8>) throws(ChunkError) {
    let reader = try ChunkReader(bytes)
    let header = try reader.header(in: bytes)
    let counters = try reader.column(UInt32.self, .counters, count: header.count, in: bytes)
    let arrivals = try reader.column(Int64.self, .arrivals, count: header.count, in: bytes)
    let ticks =
      header.stream.hasBoardTicks
      ? try reader.column(UInt32.self, .ticks, count: header.count, in: bytes) : []
    var columns: [[Int32]] = []
    for axis in 0..<header.stream.axisCount {
      columns.append(
        try reader.column(
          Int32.self, .axis, index: UInt8(axis), count: header.count, in: bytes))
    }
    self.init(
      id: header.ids[0], session: header.ids[1], bootID: header.ids[2], board: header.board,
      stream: header.stream, sequence: header.sequence, clock: header.clock, counters: counters,
      arrivals: arrivals.map { BootTime(nanoseconds: $0) }, ticks: ticks, columns: columns,
      gaps: try reader.records(.gaps, size: Gap.recordSize, in: bytes, Gap.init),
      fixes: try reader.records(.fixes, size: Fix.recordSize, in: bytes, Fix.init))
    if let section = contradiction { throw .contradiction(section) }
  }
}

/// The fields of the header section.
private struct ChunkHeader {
  var ids: [UniqueID] = []
  var sequence: UInt32
  var count: Int
  var clock: Chunk.Clock
  var stream: StreamDescription
  var board: BoardIdentity

  /// `nil` where a field holds what it cannot.
  init?(_ bytes: Span<UInt8>, version: UInt16) throws(ByteCursor.EndOfBytes) {
    var cursor = ByteCursor()
    for _ in 0..<3 {
      let high = try cursor.next(UInt64.self, in: bytes).byteSwapped
      let low = try cursor.next(UInt64.self, in: bytes).byteSwapped
      ids.append(UniqueID(high: high, low: low))
    }
    sequence = try cursor.next(UInt32.self, in: bytes)
    count = Int(try cursor.next(UInt32.self, in: bytes))
    clock = Chunk.Clock(
      first: BootTime(nanoseconds: try cursor.next(Int64.self, in: bytes)),
      period: try cursor.nextDouble(in: bytes))
    let countsPerUnit = try cursor.nextDouble(in: bytes)
    let rate = try cursor.nextDouble(in: bytes)
    let axisCount = Int(try cursor.next(UInt8.self, in: bytes))
    let accounting = StreamDescription.LossAccounting(
      rawValue: try cursor.next(UInt8.self, in: bytes))
    let isFirstVersion = version == 1
    let form = StreamDescription.RawForm(
      rawValue: isFirstVersion ? 0 : try cursor.next(UInt8.self, in: bytes))
    let tickFlag = isFirstVersion ? 0 : try cursor.next(UInt8.self, in: bytes)
    let address = try cursor.next(UInt64.self, in: bytes)
    guard let accounting, let form, tickFlag <= 1, count <= ChunkLayout.maximumCount,
      (1...StreamDescription.maximumAxisCount).contains(axisCount),
      BoardAddress(value: address).value == address
    else { return nil }
    var texts: [String] = []
    for _ in 0..<(isFirstVersion ? 5 : 5 + axisCount) {
      let length = Int(try cursor.next(UInt32.self, in: bytes))
      let text = try cursor.nextBytes(length, in: bytes)
      guard let text = String(validating: text, as: UTF8.self) else { return nil }
      texts.append(text)
    }
    guard cursor.offset == bytes.count else { return nil }
    stream = StreamDescription(
      signal: texts[0], unit: texts[1],
      axes: isFirstVersion ? StreamDescription.unnamedAxes(axisCount) : Array(texts[5...]),
      rawForm: form, countsPerUnit: countsPerUnit, rate: rate, lossAccounting: accounting,
      hasBoardTicks: tickFlag == 1)
    board = BoardIdentity(
      address: BoardAddress(value: address), name: texts[2], model: texts[3], firmware: texts[4])
  }
}

/// The sections of a chunk whose frame and checksums hold.
private struct ChunkReader {
  private let version: UInt16
  private var sections: [Section] = []

  init(_ bytes: Span<UInt8>) throws(ChunkError) {
    let smallest = ChunkLayout.prologueSize + ChunkLayout.footerSize
    for (position, byte) in ChunkLayout.magic.enumerated() where position < bytes.count {
      guard bytes[position] == byte else { throw .notAChunk }
    }
    do {
      var cursor = ByteCursor(offset: ChunkLayout.magic.count)
      version = try cursor.next(UInt16.self, in: bytes)
      guard ChunkLayout.knownVersions.contains(version) else {
        throw ChunkError.unknownVersion(version)
      }
      let sectionCount = try cursor.next(UInt16.self, in: bytes)
      let length = Int(try cursor.next(UInt32.self, in: bytes))
      guard length >= smallest else { throw ChunkError.damaged }
      guard bytes.count >= length else {
        throw ChunkError.truncated(expected: length, found: bytes.count)
      }
      guard bytes.count == length else {
        throw ChunkError.overlong(expected: length, found: bytes.count)
      }
      for _ in 0..<sectionCount {
        sections.append(try Self.section(&cursor, in: bytes))
      }
      let end = cursor.offset
      guard end == length - ChunkLayout.footerSize,
        try cursor.next(UInt64.self, in: bytes) == CRC64.of(bytes.extracting(0..<end))
      else { throw ChunkError.damaged }
    } catch let error as ChunkError {
      throw error
    } catch {
      throw .truncated(expected: smallest, found: bytes.count)
    }
  }

  private static func section(
    _ cursor: inout ByteCursor, in bytes: Span<UInt8>
  ) throws -> Section {
    let tag = SectionTag(value: try cursor.next(UInt32.self, in: bytes))
    let index = try cursor.next(UInt8.self, in: bytes)
    let layout = try cursor.next(UInt8.self, in: bytes)
    let compression = try cursor.next(UInt8.self, in: bytes)
    _ = try cursor.next(UInt8.self, in: bytes)
    let rawLength = Int(try cursor.next(UInt32.self, in: bytes))
    let storedLength = Int(try cursor.next(UInt32.self, in: bytes))
    let checksum = try cursor.next(UInt32.self, in: bytes)
    let range = cursor.offset..<cursor.offset + storedLength
    let section = Section(
      tag: tag, index: index, layout: layout, compression: compression, rawLength: rawLength,
      range: range)
    // The length of the whole is known to be right here, so a section that leaves it is damage.
    guard range.upperBound <= bytes.count,
      CRC32C.of(bytes.extracting(range)) == checksum
    else { throw ChunkError.damagedSection(section.name) }
    cursor.offset = range.upperBound
    return section
  }

  func header(in bytes: Span<UInt8>) throws(ChunkError) -> ChunkHeader {
    let raw = try raw(.header, .records, in: bytes)
    guard let header = try? ChunkHeader(raw.span, version: version) else {
      throw .contradiction(ChunkError.Section(.header))
    }
    return header
  }

  func column<T: FixedWidthInteger>(
    _ type: T.Type, _ tag: SectionTag, index: UInt8 = 0, count: Int, in bytes: Span<UInt8>
  ) throws(ChunkError) -> [T] {
    let raw = try raw(tag, index: index, .planes, in: bytes)
    guard let values = IntegerColumn.decode(type, count: count, from: raw.span) else {
      throw .contradiction(ChunkError.Section(tag, index))
    }
    return values
  }

  func records<Record>(
    _ tag: SectionTag, size: Int, in bytes: Span<UInt8>,
    _ read: (inout ByteCursor, Span<UInt8>) throws(ByteCursor.EndOfBytes) -> Record?
  ) throws(ChunkError) -> [Record] {
    let raw = try raw(tag, .records, in: bytes)
    guard raw.count.isMultiple(of: size) else { throw .contradiction(ChunkError.Section(tag)) }
    var records: [Record] = []
    records.reserveCapacity(raw.count / size)
    var cursor = ByteCursor()
    while cursor.offset < raw.count {
      guard let record = try? read(&cursor, raw.span) else {
        throw .contradiction(ChunkError.Section(tag))
      }
      records.append(record)
    }
    return records
  }

  /// The bytes of a section as they were before compression.
  private func raw(
    _ tag: SectionTag, index: UInt8 = 0, _ layout: SectionLayout, in bytes: Span<UInt8>
  ) throws(ChunkError) -> [UInt8] {
    let name = ChunkError.Section(tag, index)
    let matching = sections.filter { $0.tag == tag && $0.index == index }
    guard let section = matching.first else { throw .missing(name) }
    guard matching.count == 1, section.rawLength <= ChunkLayout.maximumRawLength else {
      throw .contradiction(name)
    }
    guard section.layout == layout.rawValue,
      let compression = SectionCompression(rawValue: section.compression)
    else { throw .unknownEncoding(name) }
    let stored = bytes.extracting(section.range)
    switch compression {
    case .none:
      guard stored.count == section.rawLength else { throw .contradiction(name) }
      var cursor = ByteCursor()
      guard let raw = try? cursor.nextBytes(stored.count, in: stored) else {
        throw .contradiction(name)
      }
      return raw
    case .zstd:
      guard let raw = Zstd.decompress(stored, count: section.rawLength) else {
        throw .contradiction(name)
      }
      return raw
    }
  }
}
