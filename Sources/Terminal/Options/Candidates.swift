/// What a shell offers where an argument is expected.
public struct Candidates: Hashable, Sendable {
  /// What is offered besides words.
  public enum Source: Hashable, Sendable {
    /// Words of this kind, for which the script asks the program: `PROGRAM complete KIND`.
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
  /// What else there is.
  public var source: Source?

  /// These words and this source.
  public init(words: [String] = [], source: Source? = nil) {
    self.words = words
    self.source = source
  }
}
