/// An event for the log, for people.
public struct LogEvent: Hashable, Sendable {
  /// The importance of an event.
  public enum Severity: String, Hashable, Sendable {
    /// A step, of interest in troubleshooting.
    case detail
    /// A change of state.
    case notice
    /// A problem that a person should know about and may have to solve.
    case warning
  }

  /// One named value.
  public struct Detail: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The importance of the event.
  public var severity: Severity
  /// The event, in a few constant words.
  public var event: String
  /// Details such as the board, the count or the reason.
  public var details: [Detail]

  public init(
    _ severity: Severity, _ event: String, _ details: KeyValuePairs<String, String> = [:]
  ) {
    self.severity = severity
    self.event = event
    self.details = details.map { Detail($0.key, $0.value) }
  }
}
