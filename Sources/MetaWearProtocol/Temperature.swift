/// The thermometers of a board (module 04), by channel; the module info lists what each one is.
public enum Temperature {
  /// Asks for the value of one channel; nothing streams here.
  public static func read(channel: UInt8) -> Command {
    .read(.temperature, 0x01, [channel])
  }

  /// Counts per degree Celsius of a reading.
  public static let countsPerDegree = 8.0
}
