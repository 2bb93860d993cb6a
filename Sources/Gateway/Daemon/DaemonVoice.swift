public import Values

/// How a daemon's parts speak: their log, and the words for errors of the layers below.
public struct DaemonVoice: Sendable {
  /// Takes log entries, on any thread.
  public var log: @Sendable (LogEvent) -> Void
  /// The words for an error, and its remedy.
  public var explain: @Sendable (any Error) -> (text: String, remedy: String)
  /// The program and its version, as destinations see it.
  public var agent: String

  /// A voice of the given parts.
  public init(
    agent: String, log: @escaping @Sendable (LogEvent) -> Void,
    explain: @escaping @Sendable (any Error) -> (text: String, remedy: String)
  ) {
    self.agent = agent
    self.log = log
    self.explain = explain
  }
}
