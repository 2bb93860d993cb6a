public import Values

/// A browser that was paired with the gateway.
public struct PairedDevice: Hashable, Sendable {
  /// The hash of its token.
  public let mark: DeviceMark
  /// The name that its user gave, on one line of 40 characters at most.
  public let name: String
  /// What it may do.
  public let role: AccessRole
  /// When it was paired; `nil` if the gateway's clock was not trusted then.
  public let paired: UTCTime?
  /// When it was seen last; `nil` if the gateway's clock was never trusted while it was seen.
  public internal(set) var seen: UTCTime?

  /// A device that is paired now.
  ///
  /// - Parameter now: the present time; `nil` if the clock is not trusted.
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

  /// Eight hexadecimal digits that name the device to a person.
  public var id: String { String(mark.text.prefix(8)) }

  /// A name from a stranger, made fit for a terminal and a list.
  private static func clean(_ name: String) -> String {
    let line = CleanText.line(name, characters: 40, bytes: 120)
    return line.isEmpty ? "a browser" : line
  }
}
