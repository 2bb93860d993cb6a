internal import LinuxSystem
internal import Values
internal import Web

/// The clock of pages is the boot clock of this computer, which the events carry.
extension PageQuestion.Instant {
  /// The present moment, in the form that events carry.
  static func now() throws -> JSONValue {
    [
      "boot": .string("\(try BootClock.bootID())"),
      "seconds": .number(Double(BootClock.now().nanoseconds / 1_000) / 1e6),
    ]
  }

  /// The instant; `nil` if it is from before the computer's last start.
  func time() throws -> BootTime? {
    guard try BootClock.bootID() == boot else { return nil }
    return BootTime(nanoseconds: Int64(seconds * 1e9))
  }
}
