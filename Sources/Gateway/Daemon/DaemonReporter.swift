public import Values

/// Takes the log entries of the daemon's parts, and puts errors of lower layers into words.
public struct DaemonReporter: Sendable {
  /// Takes log entries, on any thread.
  public var log: @Sendable (LogEvent) -> Void
  /// The words for an error, and its remedy.
  public var explain: @Sendable (any Error) -> (text: String, remedy: String)
  /// The program and its version, as destinations see it.
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
