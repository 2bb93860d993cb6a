internal import LinuxSystem
internal import Values
internal import Web

/// Pages specify times on this computer's boot clock. Pages learn the current time on that clock
/// from events.
extension PageQuestion.Instant {
  /// Returns the current time, in the form used in events.
  static func now() throws -> JSONValue {
    [
      "boot": .string("\(try BootClock.bootID())"),
      "seconds": .number(Double(BootClock.now().nanoseconds / 1_000) / 1e6),
    ]
  }

  /// Returns the time on the boot clock; `nil` if it predates the computer's last start.
  func time() throws -> BootTime? {
    guard try BootClock.bootID() == boot else { return nil }
    return BootTime(nanoseconds: Int64(seconds * 1e9))
  }
}
