/// Words as written for a shell.
public enum ShellText {
  /// A word that stays one word and that no shell expands.
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
    // Between single quotes only a single quote is special, so it is written outside.
    let parts = word.split(separator: "'", omittingEmptySubsequences: false)
    return parts.map { "'\($0)'" }.joined(separator: #"\'"#)
  }

  /// Words with blanks between them.
  public static func list(_ words: some Sequence<String>) -> String {
    words.map(quoted).joined(separator: " ")
  }
}
