internal import Values
internal import Coding

/// Finds the sections of a chunk, and verifies the prologue, the checksums and the hash.
struct ChunkFrame {
  private(set) var sections: [Section] = []

  /// If `tag` is given, verifies neither the hash nor the checksums of sections with other tags.
  init(_ bytes: Span<UInt8>, only tag: SectionTag? = nil) throws(ChunkError) {
    for (position, byte) in ChunkLayout.magic.enumerated() where position < bytes.count {
      guard bytes[position] == byte else { throw .notAChunk }
    }
    do {
      var cursor = ByteCursor(offset: ChunkLayout.magic.count)
      let version = try cursor.next(UInt16.self, in: bytes)
      guard version == ChunkLayout.version else { throw ChunkError.unknownVersion(version) }
      let sectionCount = try cursor.next(UInt16.self, in: bytes)
      let length = Int(try cursor.next(UInt32.self, in: bytes))
      guard length >= ChunkLayout.prologueSize + ChunkLayout.footerSize else {
        throw ChunkError.damaged
      }
      guard bytes.count >= length else {
        throw ChunkError.truncated(expected: length, found: bytes.count)
      }
      guard bytes.count == length else {
        throw ChunkError.overlong(expected: length, found: bytes.count)
      }
      let content = bytes.extracting(0..<length - ChunkLayout.footerSize)
      for _ in 0..<sectionCount {
        sections.append(try Self.section(&cursor, in: content, only: tag))
      }
      guard cursor.offset == content.count else { throw ChunkError.damaged }
      guard tag == nil else { return }
      let footer = try cursor.nextBytes(ChunkLayout.footerSize, in: bytes)
      guard BLAKE2b.hash(of: content) == footer else { throw ChunkError.damaged }
    } catch let error as ChunkError {
      throw error
    } catch {
      throw .truncated(
        expected: ChunkLayout.prologueSize + ChunkLayout.footerSize,
        found: bytes.count)
    }
  }

  private static func section(
    _ cursor: inout ByteCursor, in bytes: Span<UInt8>, only wanted: SectionTag?
  ) throws -> Section {
    let tag = SectionTag(value: try cursor.next(UInt32.self, in: bytes))
    let length = Int(try cursor.next(UInt32.self, in: bytes))
    let checksum = try cursor.next(UInt32.self, in: bytes)
    let section = Section(tag: tag, range: cursor.offset..<cursor.offset + length)
    // The total length has already been verified, so a section that extends beyond the end is
    // damaged.
    guard section.range.upperBound <= bytes.count,
      wanted.map({ $0 != tag }) ?? false || CRC32.of(bytes.extracting(section.range)) == checksum
    else { throw ChunkError.damagedSection(section.name) }
    cursor.offset = section.range.upperBound
    return section
  }

  /// Throws an error if several sections have this tag.
  func section(_ tag: SectionTag) throws(ChunkError) -> Section? {
    let found = sections.filter { $0.tag == tag }
    guard found.count <= 1 else { throw .contradiction(ChunkError.Section(tag)) }
    return found.first
  }

  func required(_ tag: SectionTag) throws(ChunkError) -> Section {
    guard let section = try section(tag) else { throw .missing(ChunkError.Section(tag)) }
    return section
  }
}
