/// An entry that a trigger recorded in the board's log. Contains up to four bytes and the tick.
public struct LogEntry: Hashable, Sendable, BitwiseCopyable {
  /// Number of bytes that an entry occupies in a packet.
  static let encodedLength = 9
  /// Number of data bytes in an entry. They contain a value or a piece of a value.
  static let dataLength = 4

  /// Id of the trigger that recorded the entry, 0 to 31.
  public let trigger: UInt8
  /// Number of times the board had been reset, modulo 8, when the entry was recorded.
  public let resetUID: UInt8
  /// The board's clock in ticks when the entry was recorded.
  public let tick: UInt32
  /// Four bytes of data. Only the bytes that the trigger records are valid.
  public let data: UInt32

  public init(trigger: UInt8, resetUID: UInt8, tick: UInt32, data: UInt32) {
    self.trigger = trigger
    self.resetUID = resetUID
    self.tick = tick
    self.data = data
  }

  /// The caller must have checked the length.
  init(decoding packet: Span<UInt8>, at offset: Int) {
    trigger = packet[offset] & 0x1f
    resetUID = packet[offset] >> 5
    tick = packet.uint32(at: offset + 1)
    data = packet.uint32(at: offset + 5)
  }

  /// Returns whether this entry was recorded after another. Compares the numbers of resets first,
  /// then the clocks, allowing for wrap-around.
  public func isNewer(than other: LogEntry) -> Bool {
    guard resetUID == other.resetUID else { return (resetUID &- other.resetUID) & 7 < 4 }
    return Int32(bitPattern: tick &- other.tick) > 0
  }

  /// Whether both entries were recorded within the same tick.
  func isSimultaneous(with other: LogEntry) -> Bool {
    resetUID == other.resetUID && tick == other.tick
  }
}

/// A trigger on the board and the signal that this trigger records in the log.
public struct LogTrigger: Hashable, Sendable, BitwiseCopyable {
  public let id: UInt8
  /// The value that the trigger records, or a piece of a value.
  public let source: SignalSource

  public init(id: UInt8, source: SignalSource) {
    self.id = id
    self.source = source
  }
}
