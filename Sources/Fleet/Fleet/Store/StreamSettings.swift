internal import Recording
internal import Values

/// Formats a stream's settings as a single string, for comparison. The range is omitted because
/// earlier versions did not store it.
enum StreamSettings {
  static func text(_ stream: StreamDescription) -> String {
    [
      stream.unit, stream.axes.joined(separator: ","), "\(stream.rawForm.rawValue)",
      "\(stream.countsPerUnit)", "\(stream.rate)", "\(stream.lossAccounting.rawValue)",
      stream.hasBoardTicks ? "1" : "0",
    ].joined(separator: "|")
  }
}
