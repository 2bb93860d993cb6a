public import Recording
public import Values

extension Chunk {
  /// Decodes a chunk from bytes that contain exactly one chunk.
  ///
  /// Invalid input always causes an error, never a trap: lengths and checksums are verified before
  /// use. Sections with unknown tags are skipped, since later versions may add new ones.
  public init(decoding bytes: Span<UInt8>) throws(ChunkError) {
    let content = try ChunkSections(frame: ChunkFrame(bytes)).content(in: bytes)
    let header = content.header
    self.init(
      id: header.ids[0], session: header.ids[1], bootID: header.ids[2], board: header.board,
      stream: header.stream, sequence: header.sequence, clock: header.clock,
      counters: content.counters, arrivals: content.arrivals, ticks: content.ticks,
      columns: content.columns, gaps: content.gaps, fixes: content.fixes)
    if let section = contradiction { throw .contradiction(section) }
  }

  /// Returns the reason why the bytes are not an intact chunk with this identity; `nil` if they
  /// are. Verifies the checksums and the header, but does not decode the samples.
  public static func damage(
    in bytes: Span<UInt8>, id: UniqueID, session: UniqueID, sequence: UInt32
  ) -> ChunkError? {
    do throws(ChunkError) {
      let header = try ChunkSections(frame: ChunkFrame(bytes)).header(in: bytes)
      let isItself = header.ids.prefix(2) == [id, session] && header.sequence == sequence
      return isItself ? nil : .anotherChunk
    } catch {
      return error
    }
  }

  /// Reads only the gaps of an encoded chunk. The samples are not read or verified.
  public static func gaps(in bytes: Span<UInt8>) throws(ChunkError) -> [Gap] {
    let frame = try ChunkFrame(bytes, only: .gaps)
    guard let section = try frame.section(.gaps) else { return [] }
    return try Gap.gaps(in: bytes.extracting(section.range), name: section.name)
  }
}

/// The decoded contents of a chunk's sections.
private struct ChunkContent {
  var header: ChunkHeader
  var counters: [UInt32]
  var arrivals: [BootTime]
  var ticks: [UInt32] = []
  var columns: [[Int32]] = []
  var gaps: [Gap] = []
  var fixes: [Fix] = []
}

/// Reads a chunk's sections and checks their content.
private struct ChunkSections {
  let frame: ChunkFrame

  func content(in bytes: Span<UInt8>) throws(ChunkError) -> ChunkContent {
    var header = try header(in: bytes)
    header.stream.range = try range(in: bytes)
    let count = header.count
    let axisCount = header.stream.axisCount
    var content = ChunkContent(
      header: header, counters: try numbers(.counters, count, in: bytes),
      arrivals: try read(.arrivals, in: bytes) { $0.arrivals(count: count, in: $1) })
    if header.stream.hasBoardTicks { content.ticks = try numbers(.ticks, count, in: bytes) }
    content.columns = try read(.axes, in: bytes) { reader, bytes in
      var columns: [[Int32]] = []
      for _ in 0..<axisCount {
        guard let column = reader.column(Int32.self, count: count, in: bytes) else { return nil }
        columns.append(column)
      }
      return columns
    }
    if let section = try frame.section(.gaps) {
      content.gaps = try Gap.gaps(in: bytes.extracting(section.range), name: section.name)
    }
    if try frame.section(.fixes) != nil {
      content.fixes = try read(.fixes, in: bytes) { Fix.fixes(&$0, in: $1) }
    }
    return content
  }

  func header(in bytes: Span<UInt8>) throws(ChunkError) -> ChunkHeader {
    let section = try frame.required(.header)
    guard
      let header = try? ChunkHeader(bytes.extracting(section.range))
    else { throw .contradiction(section.name) }
    return header
  }

  /// Returns `nil` if the range is unknown.
  private func range(in bytes: Span<UInt8>) throws(ChunkError) -> Double? {
    guard let section = try frame.section(.range) else { return nil }
    let content = bytes.extracting(section.range)
    var cursor = ByteCursor()
    guard content.count == 8, let range = try? cursor.nextDouble(in: content),
      StreamDescription.isRange(range)
    else { throw .contradiction(section.name) }
    return range
  }

  /// Reads a list of unsigned 32-bit numbers. The file stores them as a column of signed numbers.
  private func numbers(
    _ tag: SectionTag, _ count: Int, in bytes: Span<UInt8>
  ) throws(ChunkError) -> [UInt32] {
    try read(tag, in: bytes) { reader, bytes in
      reader.column(Int32.self, count: count, in: bytes)?.map { UInt32(bitPattern: $0) }
    }
  }

  /// Decodes a section, and checks that no bytes are left over.
  private func read<Value>(
    _ tag: SectionTag, in bytes: Span<UInt8>,
    _ read: (inout ColumnReader, Span<UInt8>) -> Value?
  ) throws(ChunkError) -> Value {
    let section = try frame.required(tag)
    var reader = ColumnReader(section.range)
    guard let value = read(&reader, bytes), reader.isAtEnd else {
      throw .contradiction(section.name)
    }
    return value
  }
}
