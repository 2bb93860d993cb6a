/// Where text goes: a standard stream, or a list of strings in a test.
public protocol TextSink: Sendable {
  /// Size of the terminal behind it; `nil` when there is none that can be painted on.
  var terminal: TerminalSize? { get }
  /// Writes all of `text`, which ends with a line or a control sequence.
  func write(_ text: String) throws(OutputError)
  /// Writes all of these bytes, which are text or a part of it.
  func write(_ bytes: Span<UInt8>) throws(OutputError)
}

/// Columns and rows of a terminal.
public struct TerminalSize: Hashable, Sendable {
  /// Characters in a line.
  public var columns: Int
  /// Lines.
  public var rows: Int

  /// A size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}
