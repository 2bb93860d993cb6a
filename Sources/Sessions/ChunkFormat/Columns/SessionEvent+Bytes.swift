internal import Recording
internal import Values

/// The encoding of an event in the tail.
extension SessionEvent {
  /// Flags that indicate which optional fields follow the time, the kind and the text.
  private enum Flag {
    static let board: UInt8 = 1
    static let utc: UInt8 = 2
    static let value: UInt8 = 4
    static let all: UInt8 = 7
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: time.nanoseconds)
    for text in [kind.rawValue, text] {
      bytes.append(variableLength: UInt64(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }
    let flags =
      (board == nil ? 0 : Flag.board) | (utc == nil ? 0 : Flag.utc)
      | (value == nil ? 0 : Flag.value)
    bytes.append(flags)
    if let board { bytes.append(littleEndian: board.value) }
    if let utc { bytes.append(littleEndian: utc.nanoseconds) }
    if let value { bytes.append(littleEndian: value) }
  }

  /// Reads the next event; `nil` if the bytes are invalid.
  init?(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(ByteCursor.EndOfBytes) {
    let time = BootTime(nanoseconds: try cursor.next(Int64.self, in: bytes))
    var texts: [String] = []
    for _ in 0..<2 {
      let length = Int(clamping: try cursor.nextCount(in: bytes))
      let text = String(validating: try cursor.nextBytes(length, in: bytes), as: UTF8.self)
      guard let text else { return nil }
      texts.append(text)
    }
    let flags = try cursor.next(UInt8.self, in: bytes)
    guard let kind = Kind(rawValue: texts[0]), flags & ~Flag.all == 0 else { return nil }
    self.init(kind, at: time, text: texts[1])
    if flags & Flag.board != 0 {
      let number = try cursor.next(UInt64.self, in: bytes)
      board = BoardAddress(value: number)
      guard board?.value == number else { return nil }
    }
    if flags & Flag.utc != 0 {
      utc = UTCTime(nanoseconds: try cursor.next(Int64.self, in: bytes))
    }
    if flags & Flag.value != 0 { value = try cursor.nextDouble(in: bytes) }
  }
}
