internal import Recording
internal import Values

extension TailRecord {
  /// Thrown when the bytes are not a valid record.
  struct Unreadable: Error {}

  /// The time of the record, or of its first sample; `nil` for a stream's description.
  var time: BootTime? {
    switch self {
    case .stream: nil
    case .samples(_, let piece): piece.arrivals.first
    case .fix(let fix): fix.arrival
    case .clock(let entry): entry.boot
    case .event(let event): event.time
    case .alive(let time): time
    }
  }

  /// Appends a self-contained record: any record except samples, which `TailRun` encodes.
  func append(to bytes: inout [UInt8]) {
    switch self {
    case .stream(let number, let chunk):
      let encoded = chunk.encoded()
      bytes.append(kind: chunk.stream.isTallied ? .unnumbered : .stream, number)
      bytes.append(variableLength: UInt64(encoded.count))
      bytes += encoded
    case .samples:
      preconditionFailure("samples must be encoded by a TailRun")
    case .fix(let fix):
      bytes.append(kind: .fix)
      fix.append(to: &bytes)
    case .clock(let entry):
      bytes.append(kind: .clock)
      bytes.append(littleEndian: entry.boot.nanoseconds)
      bytes.append(littleEndian: entry.utc.nanoseconds)
      bytes.append(entry.source.rawValue)
    case .event(let event):
      bytes.append(kind: .event)
      event.append(to: &bytes)
    case .alive(let time):
      bytes.append(kind: .alive)
      bytes.append(littleEndian: time.nanoseconds)
    }
  }

  /// Reads a self-contained record.
  init(
    _ kind: TailFrame.Kind, _ number: UInt16, _ cursor: inout ByteCursor, in bytes: Span<UInt8>
  ) throws {
    switch kind {
    case .stream, .unnumbered:
      let length = Int(clamping: try cursor.nextCount(in: bytes))
      let encoded = try cursor.nextBytes(length, in: bytes)
      var chunk = try Chunk(decoding: encoded.span)
      chunk.stream.isTallied = kind == .unnumbered
      self = .stream(number, chunk)
    case .samples:
      throw Unreadable()
    case .fix:
      guard let fix = try Fix(&cursor, in: bytes) else { throw Unreadable() }
      self = .fix(fix)
    case .clock:
      let boot = try cursor.next(Int64.self, in: bytes)
      let utc = try cursor.next(Int64.self, in: bytes)
      let source = ClockTable.Source(rawValue: try cursor.next(UInt8.self, in: bytes))
      guard let source else { throw Unreadable() }
      self = .clock(
        ClockTable.Entry(
          boot: BootTime(nanoseconds: boot), utc: UTCTime(nanoseconds: utc), source: source))
    case .event:
      guard let event = try SessionEvent(&cursor, in: bytes) else { throw Unreadable() }
      self = .event(event)
    case .alive:
      self = .alive(BootTime(nanoseconds: try cursor.next(Int64.self, in: bytes)))
    }
  }
}

extension [UInt8] {
  /// Appends a record's kind and its stream number.
  mutating func append(kind: TailFrame.Kind, _ number: UInt16 = 0) {
    append(variableLength: UInt64(number) << TailFrame.Kind.bits | UInt64(kind.rawValue))
  }
}

extension ByteCursor {
  /// Reads the next unsigned number. Throws an error if the number has more than 64 bits.
  mutating func nextCount(in bytes: Span<UInt8>) throws(EndOfBytes) -> UInt64 {
    guard let number = try nextVariableLength(in: bytes) else { throw EndOfBytes() }
    return number
  }

  /// Reads the next signed number. Throws an error if the number has more than 64 bits.
  mutating func nextSignedCount(in bytes: Span<UInt8>) throws(EndOfBytes) -> Int64 {
    guard let number = try nextSignedVariableLength(in: bytes) else { throw EndOfBytes() }
    return number
  }
}
