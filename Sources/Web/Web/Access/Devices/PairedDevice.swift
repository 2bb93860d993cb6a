public import Values

/// A browser that was paired with the gateway.
public struct PairedDevice: Hashable, Sendable {
  public let mark: DeviceMark
  /// The name that the user gave the browser, on one line of at most 40 characters.
  public let name: String
  public let role: AccessRole
  /// The time of pairing; `nil` if the gateway's clock was not trusted then.
  public let paired: UTCTime?
  /// The last time that the device was seen while the gateway's clock was trusted; `nil` if this
  /// never happened.
  public internal(set) var seen: UTCTime?

  /// Creates a device that is being paired.
  ///
  /// - Parameter now: The current time; `nil` if the clock is not trusted.
  public init(_ mark: DeviceMark, name: String, role: AccessRole, at now: UTCTime?) {
    self.init(mark, name: name, role: role, paired: now, seen: now)
  }

  init(
    _ mark: DeviceMark, name: String, role: AccessRole, paired: UTCTime?, seen: UTCTime?
  ) {
    self.mark = mark
    self.name = Self.clean(name)
    self.role = role
    self.paired = paired
    self.seen = seen
  }

  /// Eight hexadecimal digits that identify the device to users.
  public var id: String { String(mark.text.prefix(8)) }

  /// Makes an untrusted name safe to show in a terminal or in a list.
  private static func clean(_ name: String) -> String {
    let line = CleanText.line(name, characters: 40, bytes: 120)
    return line.isEmpty ? "a browser" : line
  }
}
