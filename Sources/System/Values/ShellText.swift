/// Quotes words for a shell.
public enum ShellText {
  /// Returns the word in a form that a shell neither splits nor expands.
  public static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"):
          true
        default: false
        }
      }
    guard !isPlain else { return word }
    // Within single quotes, only the single quote is special, so it is written outside them.
    let parts = word.split(separator: "'", omittingEmptySubsequences: false)
    return parts.map { "'\($0)'" }.joined(separator: #"\'"#)
  }

  public static func list(_ words: some Sequence<String>) -> String {
    words.map(quoted).joined(separator: " ")
  }
}
