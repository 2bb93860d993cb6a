/// The reason why bytes are not a valid chunk.
public enum ChunkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A section of a chunk, identified by its tag in the file.
  public struct Section: Hashable, Sendable, CustomStringConvertible {
    /// The tag's four characters.
    public let tag: String

    init(_ tag: SectionTag) { self.tag = tag.description }

    public var description: String { tag }
  }

  /// The bytes do not begin with a chunk's magic number.
  case notAChunk
  /// This program cannot read this version of the format.
  case unknownVersion(UInt16)
  /// The bytes end before the chunk is complete.
  case truncated(expected: Int, found: Int)
  /// More bytes follow the end of the chunk.
  case overlong(expected: Int, found: Int)
  /// A section's bytes do not match their checksum, or the section extends beyond the chunk.
  case damagedSection(Section)
  /// The hash at the end does not match the chunk's bytes, or the sections do not fill the chunk.
  case damaged
  /// A required section is missing.
  case missing(Section)
  /// The section matches its checksum, but its content is invalid.
  case contradiction(Section)
  /// The chunk is valid, but the database describes a different chunk at this position.
  case anotherChunk

  /// The error as a phrase that can end a message.
  public var description: String {
    switch self {
    case .notAChunk: "not a chunk"
    case .unknownVersion(let version): "chunk format version \(version) is unknown"
    case .truncated(let expected, let found):
      "truncated: \(found) of at least \(expected) bytes"
    case .overlong(let expected, let found): "too long: \(found) bytes instead of \(expected)"
    case .damagedSection(let section): "section \(section) does not match its checksum"
    case .damaged: "the chunk does not match its checksum"
    case .missing(let section): "section \(section) is missing"
    case .contradiction(let section): "section \(section) contradicts itself"
    case .anotherChunk: "its row describes another chunk"
    }
  }
}
