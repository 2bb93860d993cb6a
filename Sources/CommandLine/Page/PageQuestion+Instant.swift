internal import LinuxSystem
internal import Values
internal import Web

/// Pages state instants on the boot clock of this computer. Events include the current time of that
/// clock.
extension PageQuestion.Instant {
  /// Returns the current instant, in the form used in events.
  static func now() throws -> JSONValue {
    [
      "boot": .string("\(try BootClock.bootID())"),
      "seconds": .number(Double(BootClock.now().nanoseconds / 1_000) / 1e6),
    ]
  }

  /// Returns the instant on the boot clock; `nil` if it is from before the last start of the
  /// computer.
  func time() throws -> BootTime? {
    guard try BootClock.bootID() == boot else { return nil }
    return BootTime(nanoseconds: Int64(seconds * 1e9))
  }
}
