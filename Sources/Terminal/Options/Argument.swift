internal import Values

/// The argument of an option, or an operand: its metavariable in the help, and the texts that it
/// accepts.
///
/// Help, error texts, the manual page and shell completion all use it.
public struct Argument: Hashable, Sendable {
  /// The kind of text expected.
  public enum Kind: Hashable, Sendable {
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
    /// The absolute path of a file.
    case absolutePath
    /// The absolute path of a socket.
    case socketPath
    /// A whole number between two bounds, both included.
    case wholeNumber(from: UInt64, through: UInt64)
    /// A decimal number above one bound and up to another.
    case number(above: Double, upTo: Double)
    /// A length of time up to this number of seconds.
    case seconds(upTo: Double)
    /// A day, or a moment in universal time.
    case date
    /// One of a few words.
    case word([String])
    case text
    /// The name of a command.
    case command
    /// A program and its arguments.
    case commandLine
    /// One of the program's own kinds.
    case own(OwnKind)
  }

  /// Its name in the help, as in `FILE`.
  public var metavariable: String
  /// The kind of text expected.
  public var kind: Kind

  /// An argument shown as `metavariable`.
  public init(_ metavariable: String, _ kind: Kind) {
    self.metavariable = metavariable
    self.kind = kind
  }

  /// The reason why this argument, or the option of this name, does not accept a word.
  public func refusal(of word: String, asOption option: String? = nil) -> String {
    let quotation = TerminalText.quotation(word)
    switch kind {
    case .word(let words):
      let meant = Suggestion.nearest(to: word, among: words).map { ": did you mean '\($0)'?" } ?? ""
      guard let option else { return "unknown choice '\(quotation)'\(meant)" }
      return "'\(option)' cannot be '\(quotation)'\(meant)"
    case .own(let own):
      if let refusal = own.refusal(word) { return refusal }
    default: break
    }
    return "'\(option ?? metavariable)' cannot be '\(quotation)'"
  }

  /// The texts that it accepts, as advice after invalid input.
  public var advice: String {
    switch kind {
    case .file: "\(metavariable) is the path of a file"
    case .folder: "\(metavariable) is the path of a folder"
    case .absolutePath:
      "\(metavariable) is the absolute path of a file, as in /srv/walks/recording.sqlite"
    case .socketPath:
      "\(metavariable) is the absolute path of a socket, of at most 107 bytes"
    case .wholeNumber(let low, UInt64.max):
      "\(metavariable) is a whole number from \(low) to 2^64 - 1"
    case .wholeNumber(let low, let high):
      "\(metavariable) is a whole number from \(low) to \(high)"
    case .number(let low, let high) where low < 0:
      "\(metavariable) is 0 or more, and at most \(NumberText.plain(high))"
    case .number(let low, let high):
      "\(metavariable) is a number above \(NumberText.plain(low)) and at most "
        + NumberText.plain(high)
    case .seconds(let high):
      "\(metavariable) is a number of seconds above 0 and at most \(NumberText.plain(high)), "
        + "or a time as in 1:30"
    case .date:
      "\(metavariable) is a day as in 2026-05-04, or a time with its zone as in 2026-05-04T09:30:00Z"
    case .word(let words):
      words.count > 2
        ? "choose one of " + words.joined(separator: ", ")
        : "choose " + words.joined(separator: " or ")
    case .text: "\(metavariable) is \(LineOfText.rule)"
    case .command: "\(metavariable) is the name of a command"
    case .commandLine:
      "\(metavariable) is a program, and its arguments follow, as in -- footbridge scan"
    case .own(let own): own.advice(metavariable)
    }
  }

  /// The completions that a shell offers; none where any text is possible.
  func candidates(among commands: [Command]) -> Candidates {
    switch kind {
    case .file, .absolutePath, .socketPath: Candidates(source: .files)
    case .folder: Candidates(source: .folders)
    case .word(let words): Candidates(words: words)
    case .command: Candidates(words: commands.filter(\.isListed).map(\.name))
    case .commandLine: Candidates(source: .programs)
    case .own(let own): own.candidates()
    case .wholeNumber, .number, .seconds, .date, .text: Candidates()
    }
  }
}

/// A kind of text that belongs to one program.
public struct OwnKind: Hashable, Sendable {
  /// The name, which identifies the kind.
  private let name: String
  /// The completions that a shell offers.
  let candidates: @Sendable () -> Candidates
  /// The reason why a word is refused, if there is more to say.
  let refusal: @Sendable (_ word: String) -> String?
  /// The texts that it accepts, for an argument with this metavariable.
  let advice: @Sendable (_ metavariable: String) -> String

  /// A kind. The completions are determined when a script is made.
  public init(
    _ name: String, offers candidates: @escaping @autoclosure @Sendable () -> Candidates = .init(),
    refusal: @escaping @Sendable (_ word: String) -> String? = { _ in nil },
    advice: @escaping @Sendable (_ metavariable: String) -> String
  ) {
    self.name = name
    self.candidates = candidates
    self.refusal = refusal
    self.advice = advice
  }

  public static func == (one: OwnKind, other: OwnKind) -> Bool { one.name == other.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
