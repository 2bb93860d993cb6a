public import Values

/// Receives log entries from the daemon's components and converts errors from lower layers into
/// text.
public struct DaemonReporter: Sendable {
  /// Receives log entries, on any thread.
  public var log: @Sendable (LogEvent) -> Void
  public var explain: @Sendable (any Error) -> (text: String, remedy: String)
  /// The program's name and version, as sent to destinations.
  public var agent: String

  public init(
    agent: String, log: @escaping @Sendable (LogEvent) -> Void,
    explain: @escaping @Sendable (any Error) -> (text: String, remedy: String)
  ) {
    self.agent = agent
    self.log = log
    self.explain = explain
  }
}
