/// The coloured LEDs of a board (module 02).
public enum LED {
  /// One of its three lights.
  public enum Colour: UInt8, Hashable, Sendable, CaseIterable {
    /// Green.
    case green = 0
    /// Red.
    case red = 1
    /// Blue.
    case blue = 2
  }

  /// Repetitions of a pattern that never ends.
  public static let endless: UInt8 = 0xff

  /// Stops and forgets all patterns; they survive a disconnect, so this comes before any other.
  public static let stopAndClear = Command(.led, 0x02, [1])

  /// Plays the patterns stored.
  public static let play = Command(.led, 0x01, [1])

  /// Stores the pattern of short flashes, two a second; `play` starts it.
  public static func blink(_ colour: Colour, repetitions: UInt8) -> Command {
    precondition(repetitions > 0, "a pattern that repeats zero times is not allowed by the board")
    // High and low intensity; milliseconds of rise, on, fall, period and delay.
    let times: [UInt16] = [0, 50, 0, 500, 0]
    return Command(
      .led, 0x03,
      [colour.rawValue, 2, 31, 0] + times.flatMap(\.littleEndianBytes) + [repetitions])
  }
}
