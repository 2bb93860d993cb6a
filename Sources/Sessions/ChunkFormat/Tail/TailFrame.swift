public import Recording
public import Values
internal import Coding

/// A record in a store's tail. The tail contains all data that has not been committed yet.
public enum TailRecord: Hashable, Sendable {
  /// Describes a stream as a chunk without samples, and assigns the number that identifies it in
  /// later records.
  case stream(UInt16, Chunk)
  /// Contains samples of the stream with this number.
  case samples(UInt16, ChunkPiece)
  case fix(Fix)
  case clock(ClockTable.Entry)
  case event(SessionEvent)
  /// Shows that the recorder was alive at this time and had nothing else to write.
  case alive(BootTime)
}

/// Computes the boundaries of disk blocks. A sync writes every block that a frame touches, however
/// short the frame is.
public enum TailBlock {
  /// Bytes per block on ext4 and on most flash storage.
  static let size = 4_096

  /// Returns the first block boundary at or after an offset.
  public static func beginning(from offset: Int) -> Int {
    (offset + size - 1) / size * size
  }

  /// Whether `count` bytes at this offset touch more blocks than they would at a block boundary.
  public static func isStraddled(by count: Int, at offset: Int) -> Bool {
    beginning(from: offset % size + count) > beginning(from: count)
  }
}

/// Several records written in one call, so that the file contains either all of them or none.
///
/// Frames form groups. The first frame of a group can be read independently. All other frames
/// continue the samples of the previous frame, so that frame must be read first.
/// `docs/data-format.md` contains the full description.
enum TailFrame {
  /// First byte of the first frame of a group. After a damaged frame, a reader searches for this
  /// byte.
  static let groupMark: UInt8 = 0xf7
  /// First byte of every other frame.
  static let followerMark: UInt8 = 0xf6
  /// The maximum number of bytes before the payload: mark, length and checksum.
  static let longestHead = 9
  /// The maximum length of a payload in bytes; any greater length is invalid.
  static let maximumLength = 1 << 24

  enum Kind: UInt8 {
    case stream = 0
    case samples = 1
    case fix = 2
    case clock = 3
    case event = 4
    case alive = 5
    /// Describes a stream whose packets are not numbered. Recovery after an interruption treats
    /// such streams differently.
    case unnumbered = 6

    /// Number of bits that encode a record's kind. The higher bits contain the stream's number.
    static let bits: UInt64 = 3
  }

  /// Returns the value that the first frame of a group uses in place of the previous frame's
  /// checksum. It distinguishes the frames of this file from remnants of an earlier file on the
  /// disk.
  static func checksum(ofTail tail: UInt64) -> UInt32 {
    var number: [UInt8] = []
    number.append(littleEndian: tail)
    return CRC32.of(number.span)
  }

  /// Computes a frame's checksum field. The field also covers the previous frame's checksum, so a
  /// frame is valid only directly after that frame.
  static func checksum(_ payload: Span<UInt8>, behind former: UInt32) -> UInt32 {
    CRC32.of(payload) ^ former
  }
}
