internal import Recording

/// Reads the frames of a tail file, even if it is damaged.
public struct TailScanner: Sendable {
  private var offset: Int
  private let end: Int
  private let tail: UInt64
  /// Checksum of the previous frame; `nil` if the next frame must begin a group.
  private var former: UInt32?
  private var base: Int64 = 0
  private var runs: [UInt16: TailRun] = [:]
  /// Number of bytes that belong to no readable frame.
  public private(set) var damaged = 0

  /// Creates a scanner that reads from `offset` to `end`. Only zeros follow `end`, and the first
  /// few zeros may belong to the last frame.
  public init(tail: UInt64, offset: Int, end: Int) {
    self.tail = tail
    self.offset = offset
    self.end = end
  }

  /// Returns the next frame's records; `nil` if no frame follows.
  ///
  /// A frame torn by a power cut is skipped, along with the frames that continue it. The scanner
  /// finds the next group by its first byte.
  public mutating func next(in bytes: Span<UInt8>) -> [TailRecord]? {
    while offset < end {
      if let records = frame(in: bytes) { return records }
      if former != nil, let records = frameOfNextBlock(in: bytes) { return records }
      former = nil
      offset += 1
      damaged += 1
    }
    return nil
  }

  /// Reads the records of the frame at the next block boundary, provided that only zeros precede
  /// it.
  private mutating func frameOfNextBlock(in bytes: Span<UInt8>) -> [TailRecord]? {
    let (place, block) = (offset, TailBlock.beginning(from: offset))
    guard block < end, (place..<block).allSatisfy({ bytes[$0] == 0 }) else { return nil }
    offset = block
    if let records = frame(in: bytes) { return records }
    offset = place
    return nil
  }

  private mutating func frame(in bytes: Span<UInt8>) -> [TailRecord]? {
    let isFirst = bytes[offset] == TailFrame.groupMark
    guard isFirst || bytes[offset] == TailFrame.followerMark && former != nil else { return nil }
    var cursor = ByteCursor(offset: offset + 1)
    guard let number = try? cursor.nextVariableLength(in: bytes),
      let checksum = try? cursor.next(UInt32.self, in: bytes),
      number <= TailFrame.maximumLength, Int(number) <= bytes.count - cursor.offset
    else { return nil }
    let end = cursor.offset + Int(number)
    let before = isFirst ? TailFrame.checksum(ofTail: tail) : former ?? 0
    let payload = bytes.extracting(cursor.offset..<end)
    guard TailFrame.checksum(payload, behind: before) == checksum else { return nil }
    guard let records = try? records(of: payload, isFirst: isFirst) else { return nil }
    former = checksum
    offset = end
    return records
  }

  private mutating func records(
    of payload: Span<UInt8>, isFirst: Bool
  ) throws -> [TailRecord] {
    // The reader loads whole words, which may extend beyond the last byte.
    var padded: [UInt8] = []
    padded.reserveCapacity(payload.count + BitCursor.reach)
    for index in payload.indices { padded.append(payload[index]) }
    padded.append(contentsOf: repeatElement(0, count: BitCursor.reach))
    let bytes = padded.span
    var cursor = ByteCursor()
    if isFirst {
      runs.removeAll(keepingCapacity: true)
      let milliseconds = try cursor.nextSignedCount(in: bytes)
      base = milliseconds &* TailRun.baseUnit
    }
    var records: [TailRecord] = []
    while cursor.offset < payload.count {
      records.append(try record(&cursor, end: payload.count, in: bytes))
    }
    guard cursor.offset == payload.count else { throw TailRecord.Unreadable() }
    return records
  }

  private mutating func record(
    _ cursor: inout ByteCursor, end: Int, in bytes: Span<UInt8>
  ) throws -> TailRecord {
    let head = try cursor.nextCount(in: bytes)
    guard let kind = TailFrame.Kind(rawValue: UInt8(head & (1 << TailFrame.Kind.bits - 1))),
      let number = UInt16(exactly: head >> TailFrame.Kind.bits)
    else { throw TailRecord.Unreadable() }
    guard kind == .samples else {
      return try TailRecord(kind, number, &cursor, in: bytes)
    }
    let (piece, run) = try TailRun.next(
      behind: runs[number], base: base, &cursor, end: end, in: bytes)
    runs[number] = run
    return .samples(number, piece)
  }
}
