public import Recording
public import Values
internal import Coding

/// A record in the tail of a store, which contains all data not yet committed.
public enum TailRecord: Hashable, Sendable {
  /// A stream, in the form of its chunk without samples, and its number in the records that follow.
  case stream(UInt16, Chunk)
  /// Samples of the stream with that number.
  case samples(UInt16, ChunkPiece)
  /// A fix of the session.
  case fix(Fix)
  /// A clock entry of the session.
  case clock(ClockTable.Entry)
  case event(SessionEvent)
  /// The recorder was alive at this time and had nothing else to write.
  case alive(BootTime)
}

/// A block of the disk. A sync writes every block that a frame touches, however short the frame is.
public enum TailBlock {
  /// Bytes of a block on ext4 and most flash.
  static let size = 4_096

  /// The first beginning of a block at or after an offset.
  public static func beginning(from offset: Int) -> Int {
    (offset + size - 1) / size * size
  }

  /// Whether bytes that begin at an offset touch more blocks than if they began at a block
  /// boundary.
  public static func isStraddled(by count: Int, at offset: Int) -> Bool {
    beginning(from: offset % size + count) > beginning(from: count)
  }
}

/// Records that are written with one call: the file contains either all of them or none.
///
/// Frames form groups. The first frame of a group can be read by itself. In the others samples
/// continue those of the frame before, as in a chunk, and can be read only after it.
/// `docs/data-format.md` is the full description.
enum TailFrame {
  /// First byte of the first frame of a group; a reader that lost its place searches for it.
  static let groupMark: UInt8 = 0xf7
  /// First byte of the other frames.
  static let followerMark: UInt8 = 0xf6
  /// The most bytes before the payload: mark, length and checksum.
  static let longestHead = 9
  /// The largest length of a frame; a greater length is invalid.
  static let maximumLength = 1 << 24

  /// Kinds of records.
  enum Kind: UInt8 {
    case stream = 0
    case samples = 1
    case fix = 2
    case clock = 3
    case event = 4
    case alive = 5
    /// A stream whose packets carry no number, which matters after an interruption.
    case unnumbered = 6

    /// Bits for the kind; the bits above them are the number of a stream.
    static let bits: UInt64 = 3
  }

  /// The first frame of a group contains this value in place of the previous frame's checksum. It
  /// distinguishes the frames of this file from the remains of an earlier file on the disk.
  static func checksum(ofTail tail: UInt64) -> UInt32 {
    var number: [UInt8] = []
    number.append(littleEndian: tail)
    return CRC32.of(number.span)
  }

  /// The checksum field of a frame. It covers the checksum of the previous frame, so that a
  /// following frame is valid only after that one.
  static func checksum(_ payload: Span<UInt8>, behind former: UInt32) -> UInt32 {
    CRC32.of(payload) ^ former
  }
}
