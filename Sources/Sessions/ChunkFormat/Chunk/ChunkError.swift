/// The reason why bytes are not a valid chunk.
public enum ChunkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A part of a chunk's bytes, identified by its tag in the file.
  public struct Section: Hashable, Sendable, CustomStringConvertible {
    /// The tag's four characters.
    public let tag: String

    init(_ tag: SectionTag) { self.tag = tag.description }

    public var description: String { tag }
  }

  /// The bytes do not begin like a chunk.
  case notAChunk
  /// This program cannot read the version of the format.
  case unknownVersion(UInt16)
  /// The bytes end before the chunk is complete.
  case truncated(expected: Int, found: Int)
  /// Bytes follow the end of the chunk.
  case overlong(expected: Int, found: Int)
  /// The stored bytes of one section do not match their checksum.
  case damagedSection(Section)
  /// The bytes as a whole do not match their checksum.
  case damaged
  /// A required section is absent.
  case missing(Section)
  /// A section is undamaged, but its content cannot be true.
  case contradiction(Section)

  /// The error as half a sentence.
  public var description: String {
    switch self {
    case .notAChunk: "not a chunk"
    case .unknownVersion(let version): "chunk format version \(version) is unknown"
    case .truncated(let expected, let found):
      "cut off: \(found) of at least \(expected) bytes"
    case .overlong(let expected, let found): "too long: \(found) bytes instead of \(expected)"
    case .damagedSection(let section): "section \(section) does not match its checksum"
    case .damaged: "the chunk does not match its checksum"
    case .missing(let section): "section \(section) is missing"
    case .contradiction(let section): "section \(section) contradicts itself"
    }
  }
}
