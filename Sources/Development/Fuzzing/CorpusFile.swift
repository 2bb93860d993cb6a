internal import FoundationEssentials
internal import Values

/// A file of fuzzer inputs that is stored with the tests. Each line contains one input as
/// hexadecimal digits, with optional spaces. Comments follow a `#`.
public struct CorpusFile: Sendable {
  /// An input and its line number.
  public struct Entry: Hashable, Sendable {
    /// The line number, counted from 1.
    public let line: Int
    public let bytes: [UInt8]
  }

  /// The inputs, in file order.
  public let entries: [Entry]

  private init(entries: [Entry]) { self.entries = entries }

  /// Parses a file's text. Returns `nil` if a line contains anything except pairs of digits.
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

  /// Reads a list of inputs if the file's name ends in `.hex`. Any other file is read as a single
  /// input.
  public init?(path: String) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    if path.hasSuffix(".hex") {
      self.init(String(decoding: data, as: UTF8.self))
    } else {
      self.init(entries: [Entry(line: 1, bytes: Array(data))])
    }
  }
}
