/// A destination for text: a standard stream, or a list of strings in a test.
public protocol TextSink: Sendable {
  /// The size of the terminal; `nil` if the sink is not a terminal on which a view can be painted.
  var terminal: TerminalSize? { get }
  /// Whether the terminal may use colours and styles.
  var hasColour: Bool { get }
  /// The identity of the file that the sink writes to. Two sinks with the same identity have the
  /// same reader.
  var place: SinkIdentity { get }
  /// Writes all of these bytes, which may end in the middle of a string. Blocks until they are
  /// written.
  func write(_ bytes: Span<UInt8>) throws(OutputError)
  /// Writes a control sequence, unless the write would block.
  func writeAtOnce(_ text: String)
}

extension TextSink {
  public func write(_ text: String) throws(OutputError) {
    try write(Array(text.utf8).span)
  }
}

/// The identity of the file that a sink writes to, by device and inode.
public struct SinkIdentity: Hashable, Sendable {
  public var device: UInt64
  public var file: UInt64

  public init(device: UInt64, file: UInt64) {
    self.device = device
    self.file = file
  }
}

public struct TerminalSize: Hashable, Sendable {
  public var columns: Int
  public var rows: Int

  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}
