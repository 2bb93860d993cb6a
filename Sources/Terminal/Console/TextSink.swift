/// Where text goes: a standard stream, or a list of strings in a test.
public protocol TextSink: Sendable {
  /// Size of the terminal behind it; `nil` when there is none that can be painted on.
  var terminal: TerminalSize? { get }
  /// Whether lines on that terminal may look different.
  var hasColour: Bool { get }
  /// Where it leads: two sinks with the same place are read by the same reader.
  var place: SinkIdentity { get }
  /// Writes all of these bytes, which are text or a part of it; waits as long as that takes.
  func write(_ bytes: Span<UInt8>) throws(OutputError)
  /// Writes a control sequence if that is possible without waiting.
  func writeAtOnce(_ text: String)
}

extension TextSink {
  /// Writes all of a text; waits as long as that takes.
  public func write(_ text: String) throws(OutputError) {
    try write(Array(text.utf8).span)
  }
}

/// The file behind a sink, as the system tells files apart.
public struct SinkIdentity: Hashable, Sendable {
  /// The device that has the file.
  public var device: UInt64
  /// Its number there.
  public var file: UInt64

  /// A place.
  public init(device: UInt64, file: UInt64) {
    self.device = device
    self.file = file
  }
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
