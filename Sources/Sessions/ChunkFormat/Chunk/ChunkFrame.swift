/// The sections of a chunk whose frame, checksums and hash hold, whatever its version.
struct ChunkFrame {
  let version: UInt16
  private(set) var sections: [Section] = []

  /// The sections of the chunk in these bytes.
  ///
  /// - Parameter tag: the only section that is going to be read: no checksum but its own is looked
  ///   at.
  init(_ bytes: Span<UInt8>, only tag: SectionTag? = nil) throws(ChunkError) {
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
      let footerSize = ChunkLayout.footerSize(version: version)
      guard length >= ChunkLayout.prologueSize + footerSize else { throw ChunkError.damaged }
      guard bytes.count >= length else {
        throw ChunkError.truncated(expected: length, found: bytes.count)
      }
      guard bytes.count == length else {
        throw ChunkError.overlong(expected: length, found: bytes.count)
      }
      let content = bytes.extracting(0..<length - footerSize)
      for _ in 0..<sectionCount {
        sections.append(
          version < 3
            ? try Self.packedSection(&cursor, in: content)
            : try Self.section(&cursor, in: content, only: tag))
      }
      guard cursor.offset == content.count else { throw ChunkError.damaged }
      guard tag == nil else { return }
      let footer = try cursor.nextBytes(footerSize, in: bytes)
      guard Self.footer(of: content, version: version) == footer else { throw ChunkError.damaged }
    } catch let error as ChunkError {
      throw error
    } catch {
      throw .truncated(
        expected: ChunkLayout.prologueSize + ChunkLayout.footerSize(version: ChunkLayout.version),
        found: bytes.count)
    }
  }

  /// What stands after the content.
  static func footer(of content: Span<UInt8>, version: UInt16) -> [UInt8] {
    guard version < 3 else { return BLAKE2b.hash(of: content) }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: CRC64.of(content))
    return bytes
  }

  private static func section(
    _ cursor: inout ByteCursor, in bytes: Span<UInt8>, only wanted: SectionTag?
  ) throws -> Section {
    let tag = SectionTag(value: try cursor.next(UInt32.self, in: bytes))
    let length = Int(try cursor.next(UInt32.self, in: bytes))
    let checksum = try cursor.next(UInt32.self, in: bytes)
    let section = Section(tag: tag, range: cursor.offset..<cursor.offset + length)
    // The length of the whole is known to be right here, so a section that leaves it is damage.
    guard section.range.upperBound <= bytes.count,
      wanted.map({ $0 != tag }) ?? false || CRC32.of(bytes.extracting(section.range)) == checksum
    else { throw ChunkError.damagedSection(section.name) }
    cursor.offset = section.range.upperBound
    return section
  }

  /// A section of version 1 or 2.
  private static func packedSection(
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
    let section = Section(
      tag: tag, index: index, range: cursor.offset..<cursor.offset + storedLength,
      packing: Section.Packing(layout: layout, compression: compression, rawLength: rawLength))
    guard section.range.upperBound <= bytes.count,
      CRC32C.of(bytes.extracting(section.range)) == checksum
    else { throw ChunkError.damagedSection(section.name) }
    cursor.offset = section.range.upperBound
    return section
  }

  /// The only section with this tag and index; `nil` if there is none.
  func section(_ tag: SectionTag, index: UInt8 = 0) throws(ChunkError) -> Section? {
    let found = sections.filter { $0.tag == tag && $0.index == index }
    guard found.count <= 1 else { throw .contradiction(ChunkError.Section(tag, index)) }
    return found.first
  }

  /// The same for a section that every chunk has.
  func required(_ tag: SectionTag, index: UInt8 = 0) throws(ChunkError) -> Section {
    guard let section = try section(tag, index: index) else {
      throw .missing(ChunkError.Section(tag, index))
    }
    return section
  }
}
