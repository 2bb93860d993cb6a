internal import Recording
internal import Values

/// Reads the sections of version 1 or 2.
struct PackedSections {
  let frame: ChunkFrame

  func content(in bytes: Span<UInt8>) throws(ChunkError) -> ChunkContent {
    let header = try header(in: bytes)
    let count = header.count
    let arrivals = try column(Int64.self, .arrivals, count: count, in: bytes)
    var columns: [[Int32]] = []
    for axis in 0..<header.stream.axisCount {
      columns.append(
        try column(Int32.self, .axis, index: UInt8(axis), count: count, in: bytes))
    }
    let gaps = try unpack(.gaps, .records, in: bytes)
    let fixes = try unpack(.fixes, .records, in: bytes)
    return ChunkContent(
      header: header, counters: try column(UInt32.self, .counters, count: count, in: bytes),
      arrivals: arrivals.map { BootTime(nanoseconds: $0) },
      ticks: header.stream.hasBoardTicks
        ? try column(UInt32.self, .ticks, count: count, in: bytes) : [],
      columns: columns, gaps: try Gap.gaps(in: gaps.span, name: ChunkError.Section(.gaps)),
      fixes: try Fix.fixes(in: fixes.span, name: ChunkError.Section(.fixes)))
  }

  private func header(in bytes: Span<UInt8>) throws(ChunkError) -> ChunkHeader {
    let raw = try unpack(.header, .records, in: bytes)
    guard let header = try? ChunkHeader(raw.span, version: frame.version) else {
      throw .contradiction(ChunkError.Section(.header))
    }
    return header
  }

  private func column<T: FixedWidthInteger>(
    _ type: T.Type, _ tag: SectionTag, index: UInt8 = 0, count: Int,
    in bytes: Span<UInt8>
  ) throws(ChunkError) -> [T] {
    let raw = try unpack(tag, index: index, .planes, in: bytes)
    guard let values = IntegerColumn.decode(type, count: count, from: raw.span) else {
      throw .contradiction(ChunkError.Section(tag, index))
    }
    return values
  }

  /// The bytes of a section as they were before compression.
  private func unpack(
    _ tag: SectionTag, index: UInt8 = 0, _ layout: SectionLayout, in bytes: Span<UInt8>
  ) throws(ChunkError) -> [UInt8] {
    let section = try frame.required(tag, index: index)
    guard let packing = section.packing, packing.rawLength <= ChunkLayout.maximumRawLength else {
      throw .contradiction(section.name)
    }
    guard packing.layout == layout.rawValue,
      let compression = SectionCompression(rawValue: packing.compression)
    else { throw .unknownEncoding(section.name) }
    let stored = bytes.extracting(section.range)
    switch compression {
    case .none:
      var cursor = ByteCursor()
      guard stored.count == packing.rawLength,
        let raw = try? cursor.nextBytes(stored.count, in: stored)
      else { throw .contradiction(section.name) }
      return raw
    case .zstd:
      guard let raw = Zstd.decompress(stored, count: packing.rawLength) else {
        throw .contradiction(section.name)
      }
      return raw
    }
  }
}
