public import Recording

/// What a recorder writes into the tail beside its store: everything it has taken and not yet committed.
public enum TailRecord: Hashable, Sendable {
  /// A stream, known by a number from here on, as a chunk of it without samples.
  case stream(UInt16, Chunk)
  /// Samples of the stream with that number.
  case samples(UInt16, ChunkPiece)
  /// A fix of the session.
  case fix(Fix)
  /// A clock entry of the session.
  case clock(ClockTable.Entry)
}

/// Some records that were written with one call, so that they are there together or not at all.
///
/// `docs/data-format.md` is the full description.
public enum TailFrame {
  /// Begins each frame; a reader that lost its place looks for it.
  static let magic: [UInt8] = [0xf7, 0x46, 0x42, 0x54]
  /// Magic, length and checksum.
  static let headerSize = 12
  /// No frame is longer; what claims to be is none.
  static let maximumLength = 1 << 24

  /// Kinds of records.
  enum Kind: UInt8 {
    case stream = 1
    case samples = 2
    case fix = 3
    case clock = 4
  }

  /// The frame of these records. `tail` is the number of the file it goes into, by which a frame is told
  /// from one that an earlier file left on the disk.
  public static func encode(_ records: [TailRecord], tail: UInt64) -> [UInt8] {
    var bytes = magic + [0, 0, 0, 0, 0, 0, 0, 0]
    // Times are written as distances from one of them, which takes half the bytes.
    let base = records.lazy.compactMap(\.time).first ?? BootTime(nanoseconds: 0)
    bytes.append(littleEndian: base.nanoseconds)
    for record in records { record.append(to: &bytes, base: base) }
    var header: [UInt8] = []
    header.append(littleEndian: UInt32(bytes.count - headerSize))
    header.append(littleEndian: checksum(bytes.span.extracting(headerSize...), tail: tail))
    bytes.replaceSubrange(magic.count..<headerSize, with: header)
    return bytes
  }

  static func checksum(_ payload: Span<UInt8>, tail: UInt64) -> UInt32 {
    var number: [UInt8] = []
    number.append(littleEndian: tail)
    return CRC32C.of(payload) ^ CRC32C.of(number.span)
  }
}

/// Reads the frames of a file, whatever became of it.
public struct TailScanner: Sendable {
  private var cursor = ByteCursor()
  private let tail: UInt64
  /// Bytes that belong to no whole frame.
  public private(set) var damaged = 0

  /// Reads from `offset` on.
  public init(tail: UInt64, offset: Int) {
    self.tail = tail
    cursor.offset = offset
  }

  /// The records of the next whole frame; `nil` at the end of the bytes.
  ///
  /// What a power cut tore is passed over: a frame behind it is found by how it begins.
  public mutating func next(in bytes: Span<UInt8>) -> [TailRecord]? {
    while cursor.offset < bytes.count {
      if let records = frame(in: bytes) { return records }
      cursor.offset += 1
      damaged += 1
    }
    return nil
  }

  private mutating func frame(in bytes: Span<UInt8>) -> [TailRecord]? {
    guard bytes.count - cursor.offset >= TailFrame.headerSize,
      TailFrame.magic.indices.allSatisfy({ bytes[cursor.offset + $0] == TailFrame.magic[$0] })
    else { return nil }
    var header = ByteCursor(offset: cursor.offset + TailFrame.magic.count)
    guard let length = (try? header.next(UInt32.self, in: bytes)).map({ Int($0) }),
      let checksum = try? header.next(UInt32.self, in: bytes), length <= TailFrame.maximumLength,
      length <= bytes.count - header.offset
    else { return nil }
    let payload = bytes.extracting(header.offset..<header.offset + length)
    guard TailFrame.checksum(payload, tail: tail) == checksum,
      let records = try? Self.records(payload)
    else { return nil }
    cursor.offset = header.offset + length
    return records
  }

  private static func records(_ payload: Span<UInt8>) throws -> [TailRecord] {
    var cursor = ByteCursor()
    let base = BootTime(nanoseconds: try cursor.next(Int64.self, in: payload))
    var records: [TailRecord] = []
    while cursor.offset < payload.count {
      records.append(try TailRecord(&cursor, in: payload, base: base))
    }
    return records
  }
}
