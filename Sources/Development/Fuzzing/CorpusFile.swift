internal import FoundationEssentials
internal import Values

/// Inputs as stored with the tests: a line of hexadecimal digits each, with spaces anywhere and
/// comments after `#`.
public struct CorpusFile: Sendable {
  /// An input and its line.
  public struct Entry: Hashable, Sendable {
    /// The line's number, from 1.
    public let line: Int
    /// The input.
    public let bytes: [UInt8]
  }

  /// The inputs, in their order.
  public let entries: [Entry]

  private init(entries: [Entry]) { self.entries = entries }

  /// Reads the text of a file; `nil` if a line contains anything but pairs of digits.
  public init?(_ text: String) {
    var entries: [Entry] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let digits = line.prefix { $0 != "#" }.filter { $0 != " " }
      guard let bytes = Hexadecimal.bytes(digits) else { return nil }
      if !bytes.isEmpty { entries.append(Entry(line: index + 1, bytes: bytes)) }
    }
    self.init(entries: entries)
  }

  /// Reads a file whose name ends in `.hex`, or any other file as one input.
  public init?(path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    if path.hasSuffix(".hex") {
      self.init(String(decoding: data, as: UTF8.self))
    } else {
      self.init(entries: [Entry(line: 1, bytes: Array(data))])
    }
  }
}
