/// Commands for a board's three LEDs, each of a different colour (module 02).
public enum LED: ModuleCommand {
  public enum Colour: UInt8, Hashable, Sendable, CaseIterable {
    case green = 0
    case red = 1
    case blue = 2
  }

  /// An action performed on all stored patterns. The raw value is the board's code.
  public enum Playback: UInt8, Hashable, Sendable, CaseIterable {
    case pause = 0
    case play = 1
    /// Start the patterns, and automatically start every pattern that is stored later.
    case autoplay = 2
  }

  /// A light pattern that repeats periodically. Times are in milliseconds, and intensities range
  /// from 0 to 31.
  public struct Pattern: Hashable, Sendable, BitwiseCopyable {
    /// Maximum intensity of the light.
    public var high: UInt8
    /// Minimum intensity of the light.
    public var low: UInt8
    /// Duration of the rise from `low` to `high`.
    public var riseMilliseconds: UInt16
    /// Time at `high`.
    public var highMilliseconds: UInt16
    /// Duration of the fall from `high` to `low`.
    public var fallMilliseconds: UInt16
    /// Duration of one complete period, including the time at `low`.
    public var periodMilliseconds: UInt16
    /// Delay before the first period. Modules with revision 0 do not support it.
    public var delayMilliseconds: UInt16
    /// Number of periods. The pattern repeats forever if this is `endless` or 0. The vendor's
    /// programs send 0.
    public var repetitions: UInt8

    public init(
      high: UInt8, low: UInt8, riseMilliseconds: UInt16 = 0, highMilliseconds: UInt16,
      fallMilliseconds: UInt16 = 0, periodMilliseconds: UInt16, delayMilliseconds: UInt16 = 0,
      repetitions: UInt8 = endless
    ) {
      self.high = high
      self.low = low
      self.riseMilliseconds = riseMilliseconds
      self.highMilliseconds = highMilliseconds
      self.fallMilliseconds = fallMilliseconds
      self.periodMilliseconds = periodMilliseconds
      self.delayMilliseconds = delayMilliseconds
      self.repetitions = repetitions
    }

    /// A pattern of two short flashes per second.
    public static let blink = Pattern(
      high: 31, low: 0, highMilliseconds: 50, periodMilliseconds: 500)
    /// A pattern that alternates slowly between bright and dark.
    public static let pulse = Pattern(
      high: 31, low: 0, riseMilliseconds: 725, highMilliseconds: 500, fallMilliseconds: 725,
      periodMilliseconds: 2000)
    /// A pattern that keeps the light constant.
    public static let solid = Pattern(
      high: 31, low: 31, highMilliseconds: 500, periodMilliseconds: 1000)
  }

  /// Number of repetitions that makes a pattern run forever.
  public static let endless: UInt8 = 0xff

  case playback(Playback)
  /// Stops the stored patterns. With `isClearing`, also deletes them.
  case stop(isClearing: Bool)
  case store(Pattern, Colour)

  /// Stops and deletes all patterns. Patterns persist after a disconnect, so send this command
  /// before any other LED command.
  public static let stopAndClear = LED.stop(isClearing: true).command

  public static let play = LED.playback(.play).command

  /// Returns a command that stores a pattern of two short flashes per second. `play` starts the
  /// pattern.
  public static func blink(_ colour: Colour, repetitions: UInt8) -> Command {
    var pattern = Pattern.blink
    pattern.repetitions = repetitions
    return LED.store(pattern, colour).command
  }

  public init?(_ command: Command) {
    guard command.header.module == .led else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 1):
      guard let playback = Playback(rawValue: payload[0]) else { return nil }
      self = .playback(playback)
    case (0x02, 1):
      guard let isClearing = Bool(wire: payload[0]) else { return nil }
      self = .stop(isClearing: isClearing)
    case (0x03, 15):
      guard let colour = Colour(rawValue: payload[0]), payload[1] == 2 else { return nil }
      let times = stride(from: 4, to: 14, by: 2).map { payload.span.uint16(at: $0) }
      self = .store(
        Pattern(
          high: payload[2], low: payload[3], riseMilliseconds: times[0],
          highMilliseconds: times[1], fallMilliseconds: times[2], periodMilliseconds: times[3],
          delayMilliseconds: times[4], repetitions: payload[14]), colour)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .playback(let playback): return Command(.led, 0x01, [playback.rawValue])
    case .stop(let isClearing): return Command(.led, 0x02, [isClearing.wire])
    case .store(let pattern, let colour):
      let times = [
        pattern.riseMilliseconds, pattern.highMilliseconds, pattern.fallMilliseconds,
        pattern.periodMilliseconds, pattern.delayMilliseconds,
      ]
      return Command(
        .led, 0x03,
        [colour.rawValue, 2, pattern.high, pattern.low] + times.flatMap(\.littleEndianBytes)
          + [pattern.repetitions])
    }
  }
}
