/// The completions that a shell offers for an argument.
public struct Candidates: Hashable, Sendable {
  /// A source of completions other than a list of words.
  public enum Source: Hashable, Sendable {
    /// Words of this kind. The script requests them from the program with `PROGRAM complete KIND`.
    case asked(String)
    /// The programs in `PATH`.
    case programs
    case files
    case folders

    /// The name of the source in completion scripts.
    var word: String {
      switch self {
      case .asked(let kind): kind
      case .programs: "programs"
      case .files: "files"
      case .folders: "folders"
      }
    }
  }

  public var words: [String]
  public var source: Source?

  public init(words: [String] = [], source: Source? = nil) {
    self.words = words
    self.source = source
  }
}
