/// The completions that a shell offers for an argument.
public struct Candidates: Hashable, Sendable {
  /// A source of completions besides words.
  public enum Source: Hashable, Sendable {
    /// Words of this kind, which the script gets from the program: `PROGRAM complete KIND`.
    case asked(String)
    /// The programs in `PATH`.
    case programs
    /// Paths of files.
    case files
    /// Paths of folders.
    case folders

    /// The word for it in scripts.
    var word: String {
      switch self {
      case .asked(let kind): kind
      case .programs: "programs"
      case .files: "files"
      case .folders: "folders"
      }
    }
  }

  /// Words to choose from.
  public var words: [String]
  public var source: Source?

  public init(words: [String] = [], source: Source? = nil) {
    self.words = words
    self.source = source
  }
}
