/// Something a person may want to know, for the log.
public struct LogEvent: Hashable, Sendable {
  /// How much it matters.
  public enum Severity: String, Hashable, Sendable {
    /// A step, of interest when looking for a fault.
    case detail
    /// A change of state.
    case notice
    /// What a person should know and may have to mend.
    case warning
  }

  /// One named value.
  public struct Detail: Hashable, Sendable {
    /// What it is.
    public var name: String
    /// Its value.
    public var value: String

    /// A value with this name.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// How much it matters.
  public var severity: Severity
  /// What happened, in a few words that stay the same.
  public var event: String
  /// To whom, how often, why.
  public var details: [Detail]

  /// A remark with these parts.
  public init(
    _ severity: Severity, _ event: String, _ details: KeyValuePairs<String, String> = [:]
  ) {
    self.severity = severity
    self.event = event
    self.details = details.map { Detail($0.key, $0.value) }
  }
}
