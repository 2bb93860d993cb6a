public import Recording
internal import Values

/// The layout of a chunk's bytes, fully described in `docs/data-format.md`.
enum ChunkLayout {
  /// The magic number: a byte that never occurs in text, the letters `FBCH`, both line endings and
  /// an end-of-file character. A transfer in text mode corrupts at least one of these bytes.
  static let magic: [UInt8] = [0x89, 0x46, 0x42, 0x43, 0x48, 0x0d, 0x0a, 0x1a]
  /// The format version that this program writes.
  static let version: UInt16 = 1
  /// Size in bytes of the magic number, the version, the number of sections and the total length
  /// together.
  static let prologueSize = 16
  /// Size in bytes of the hash, which covers everything before it.
  static let footerSize = BLAKE2b.size
  /// The maximum number of samples, and also of gaps, in a chunk. The limit is far above
  /// `Chunk.capacity`, and bounds the memory that a reader allocates for an invalid count.
  static let maximumCount = 1 << 16
  /// The maximum number of fixes in a chunk. A fix uses about 150 bytes of memory, but no bytes in
  /// the chunk if its columns are constant. The limit is above `Chunk.mostFixes`, which older
  /// recorders sometimes exceeded.
  static let maximumFixCount = 1 << 17
  /// The maximum length of a string in a header, in bytes.
  static let maximumTextLength = 1 << 12
}

/// The position of a section within a chunk's bytes.
struct Section {
  var tag: SectionTag
  /// The range of the section's content, without its tag, length and checksum.
  var range: Range<Int>

  var name: ChunkError.Section { ChunkError.Section(tag) }
}

extension Chunk {
  /// Whether the chunk can be encoded: its columns match its description, and no sample time
  /// computed from its clock overflows. Always true for chunks that a chunker sealed.
  public var isSound: Bool { contradiction == nil }

  /// The section with invalid content; `nil` if the chunk is sound. Checked after reading a chunk
  /// and before writing one.
  ///
  /// In a sound chunk, every sample's time can be computed without overflow.
  var contradiction: ChunkError.Section? {
    guard (1...StreamDescription.maximumAxisCount).contains(stream.axisCount),
      stream.range.map(StreamDescription.isRange) ?? true,
      count <= ChunkLayout.maximumCount, clock.period.isFinite, clock.period >= 0,
      // In the packet, the tick of the board's clock occupies the field of the fourth axis.
      !stream.hasBoardTicks || stream.axisCount < StreamDescription.maximumAxisCount
    else { return ChunkError.Section(.header) }
    let limit: Int64 = 1 << 62
    guard (-limit...limit).contains(clock.first.nanoseconds) else {
      return ChunkError.Section(.header)
    }
    let origin = counters.first ?? 0
    let longest = counters.reduce(0) { max($0, $1 &- origin) }
    guard Double(longest) * clock.period < Double(limit) else {
      return ChunkError.Section(.counters)
    }
    guard arrivals.count == count else { return ChunkError.Section(.arrivals) }
    guard ticks.count == (stream.hasBoardTicks ? count : 0) else {
      return ChunkError.Section(.ticks)
    }
    guard columns.count == stream.axisCount else { return ChunkError.Section(.header) }
    return columns.allSatisfy { $0.count == count } ? nil : ChunkError.Section(.axes)
  }
}
