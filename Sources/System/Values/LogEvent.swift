/// An event that is logged for people to read.
public struct LogEvent: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    /// A step that is useful for troubleshooting.
    case detail
    /// A change of state.
    case notice
    /// A problem that a person should know about and may have to solve.
    case warning
  }

  /// A named value that belongs to an event.
  public struct Detail: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public var severity: Severity
  /// The event's description, in a few words that never vary.
  public var event: String
  /// The details that vary, such as the board, a count or the reason.
  public var details: [Detail]

  public init(
    _ severity: Severity, _ event: String, _ details: KeyValuePairs<String, String> = [:]
  ) {
    self.severity = severity
    self.event = event
    self.details = details.map { Detail($0.key, $0.value) }
  }
}
