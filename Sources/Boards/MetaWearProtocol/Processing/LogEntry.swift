/// One record of a trigger: at most four bytes and the tick.
public struct LogEntry: Hashable, Sendable, BitwiseCopyable {
  /// Bytes of an entry in a packet.
  static let encodedLength = 9
  /// Bytes of the value, or of its piece, in an entry.
  static let dataLength = 4

  /// The trigger, 0 to 31.
  public let trigger: UInt8
  /// Number of resets modulo 8 at the time of the record.
  public let resetUID: UInt8
  /// The board's clock at the time of the record.
  public let tick: UInt32
  /// Four bytes, of which only as many are valid as the trigger records.
  public let data: UInt32

  public init(trigger: UInt8, resetUID: UInt8, tick: UInt32, data: UInt32) {
    self.trigger = trigger
    self.resetUID = resetUID
    self.tick = tick
    self.data = data
  }

  /// Reads nine bytes; the caller has checked the length.
  init(decoding packet: Span<UInt8>, at offset: Int) {
    trigger = packet[offset] & 0x1f
    resetUID = packet[offset] >> 5
    tick = packet.uint32(at: offset + 1)
    data = packet.uint32(at: offset + 5)
  }

  /// Whether this entry was recorded after another: by resets first, then by the wrapping clock.
  public func isNewer(than other: LogEntry) -> Bool {
    guard resetUID == other.resetUID else { return (resetUID &- other.resetUID) & 7 < 4 }
    return Int32(bitPattern: tick &- other.tick) > 0
  }

  /// Whether both were recorded within one tick.
  func isSimultaneous(with other: LogEntry) -> Bool {
    resetUID == other.resetUID && tick == other.tick
  }
}

/// A trigger of the board and the signal it records.
public struct LogTrigger: Hashable, Sendable, BitwiseCopyable {
  /// Its number.
  public let id: UInt8
  /// The value, or the piece of a value.
  public let source: SignalSource

  public init(id: UInt8, source: SignalSource) {
    self.id = id
    self.source = source
  }
}
