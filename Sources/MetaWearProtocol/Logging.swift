/// The board's own recording and its clock (module 0b).
public enum Logging {
  /// Seconds per tick of the board's clock: 48 periods of its 32,768 Hz crystal.
  public static let tickSeconds = 48.0 / 32_768.0

  /// Asks for the board's clock; the answer also tells whether it was reset since.
  public static let readTime = Command.read(.logging, 0x04)

  /// Stops recording to flash.
  public static let stop = Command(.logging, 0x01, [0])

  /// Forgets what was to be recorded; ignored while recording.
  public static let removeAllTriggers = Command(.logging, 0x0a)
}

/// The board's clock as read once.
public struct TimeReference: Hashable, Sendable, BitwiseCopyable {
  /// Ticks since the board's reset, modulo 2³² (72.8 days).
  public let tick: UInt32
  /// Number of resets modulo 8: another one than before means that the board forgot its setup.
  public let resetUID: UInt8

  /// A clock reading.
  public init(tick: UInt32, resetUID: UInt8) {
    self.tick = tick
    self.resetUID = resetUID
  }

  /// Reads `0b 84 tick:u32 uid`.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(7)
    tick = packet.uint32(at: 2)
    // The upper five bits are not specified.
    resetUID = packet[6] & 0x07
  }
}
