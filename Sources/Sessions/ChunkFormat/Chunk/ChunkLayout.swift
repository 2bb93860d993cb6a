public import Recording
internal import Values

/// The frame of a chunk's bytes. `docs/data-format.md` is the full description.
enum ChunkLayout {
  /// A byte that no text contains, the name, both line endings and an end-of-file character. A
  /// transfer in text mode destroys one of them.
  static let magic: [UInt8] = [0x89, 0x46, 0x42, 0x43, 0x48, 0x0d, 0x0a, 0x1a]
  /// The version written.
  static let version: UInt16 = 1
  /// Magic, version, number of sections and total length.
  static let prologueSize = 16
  /// The hash of everything before it.
  static let footerSize = BLAKE2b.size
  /// The most samples, and the most gaps, of a chunk. The limit is far above `Chunk.capacity`, and
  /// bounds the memory that a reader allocates for an invalid count.
  static let maximumCount = 1 << 16
  /// The most fixes of a chunk. Each takes some 150 bytes of memory and, in constant columns, none
  /// in the chunk. The limit is above `Chunk.mostFixes`, which recorders have not always observed.
  static let maximumFixCount = 1 << 17
  /// The most bytes of a text in a header.
  static let maximumTextLength = 1 << 12
}

/// Place of one section's bytes.
struct Section {
  var tag: SectionTag
  /// The bytes of its content.
  var range: Range<Int>

  var name: ChunkError.Section { ChunkError.Section(tag) }
}

extension Chunk {
  /// Whether the chunk can be encoded: its columns fit its description, and its clock is a line
  /// that can be computed. Chunks that a chunker sealed always can.
  public var isSound: Bool { contradiction == nil }

  /// The section whose content is impossible, in a chunk to be written or just read.
  ///
  /// In a chunk without contradiction, every sample's time can be computed without overflow.
  var contradiction: ChunkError.Section? {
    guard (1...StreamDescription.maximumAxisCount).contains(stream.axisCount),
      stream.range.map(StreamDescription.isRange) ?? true,
      count <= ChunkLayout.maximumCount, clock.period.isFinite, clock.period >= 0,
      // The board sends its tick in the place of a fourth axis.
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
