public import Recording
public import Values
internal import Zlib

/// What a recorder writes into the tail beside its store: everything it has taken and not yet
/// committed.
public enum TailRecord: Hashable, Sendable {
  /// A stream, known by a number from here on, as a chunk of it without samples.
  case stream(UInt16, Chunk)
  /// Samples of the stream with that number.
  case samples(UInt16, ChunkPiece)
  /// A fix of the session.
  case fix(Fix)
  /// A clock entry of the session.
  case clock(ClockTable.Entry)
  /// Something that happened to the session.
  case event(SessionEvent)
  /// The recorder was there at this time, and had nothing to write.
  case alive(BootTime)
}

/// Some records that were written with one call, so that they are there together or not at all.
///
/// Frames form groups. The first of a group can be read by itself; in the others samples go on
/// where the frame before them ended, as they do in a chunk, and can be read only after it.
/// `docs/data-format.md` is the full description.
enum TailFrame {
  /// Begins the first frame of a group; a reader that lost its place looks for it.
  static let groupMark: UInt8 = 0xf7
  /// Begins the others.
  static let followerMark: UInt8 = 0xf6
  /// Bytes before the payload: mark, length and checksum.
  static let longestHead = 9
  /// No frame is longer; what claims to be is none.
  static let maximumLength = 1 << 24

  /// Kinds of records.
  enum Kind: UInt8 {
    case stream = 0
    case samples = 1
    case fix = 2
    case clock = 3
    case event = 4
    case alive = 5

    /// The bits that a kind takes; the number of a stream stands above them.
    static let bits: UInt64 = 3
  }

  /// Takes the place of the checksum of the frame before in the first frame of a group: it tells
  /// the frames of a file from those that an earlier one left on the disk.
  static func checksum(ofTail tail: UInt64) -> UInt32 {
    var number: [UInt8] = []
    number.append(littleEndian: tail)
    return CRC32.of(number.span)
  }

  /// The checksum field of a frame. It includes the checksum of the frame before, so a reader can
  /// check a following frame only after that one.
  static func checksum(_ payload: Span<UInt8>, behind former: UInt32) -> UInt32 {
    CRC32.of(payload) ^ former
  }
}
