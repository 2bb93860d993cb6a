internal import Recording
internal import Values

/// The description of a stream in one text, without its range, which earlier versions did not know.
/// Equal streams have equal texts.
enum StreamSettings {
  static func text(_ stream: StreamDescription) -> String {
    [
      stream.unit, stream.axes.joined(separator: ","), "\(stream.rawForm.rawValue)",
      "\(stream.countsPerUnit)", "\(stream.rate)", "\(stream.lossAccounting.rawValue)",
      stream.hasBoardTicks ? "1" : "0",
    ].joined(separator: "|")
  }
}
