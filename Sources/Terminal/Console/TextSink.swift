/// A destination for text: a standard stream, or a list of strings in a test.
public protocol TextSink: Sendable {
  /// Size of its terminal; `nil` if it is not a terminal that can be painted on.
  var terminal: TerminalSize? { get }
  /// Whether its terminal may use colours and styles.
  var hasColour: Bool { get }
  /// The file behind it: one reader reads two sinks with the same place.
  var place: SinkIdentity { get }
  /// Writes all of these bytes, which are text or a part of it; waits as long as needed.
  func write(_ bytes: Span<UInt8>) throws(OutputError)
  /// Writes a control sequence if that needs no waiting.
  func writeAtOnce(_ text: String)
}

extension TextSink {
  /// Writes a whole text; waits as long as needed.
  public func write(_ text: String) throws(OutputError) {
    try write(Array(text.utf8).span)
  }
}

/// The identity of the file behind a sink, as the system distinguishes files.
public struct SinkIdentity: Hashable, Sendable {
  public var device: UInt64
  /// The number of the file on its device.
  public var file: UInt64

  public init(device: UInt64, file: UInt64) {
    self.device = device
    self.file = file
  }
}

/// Columns and rows of a terminal.
public struct TerminalSize: Hashable, Sendable {
  /// Characters in a line.
  public var columns: Int
  public var rows: Int

  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}
