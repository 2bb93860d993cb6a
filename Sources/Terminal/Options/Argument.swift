internal import Values

/// An option's argument, or an operand: its metavariable in the help, and the values that it
/// accepts.
///
/// The help, error messages, the manual page and shell completion all use this description.
public struct Argument: Hashable, Sendable {
  /// The kind of value that an argument accepts.
  public enum Kind: Hashable, Sendable {
    case file
    case folder
    case absolutePath
    case socketPath
    /// A whole number between two inclusive bounds.
    case wholeNumber(from: UInt64, through: UInt64)
    /// A decimal number that is greater than one bound and at most another.
    case number(above: Double, upTo: Double)
    /// A duration up to this number of seconds.
    case seconds(upTo: Double)
    /// A date (in UTC), or an instant with a time zone.
    case date
    /// One of these words.
    case word([String])
    case text
    /// The name of a command of this program.
    case command
    /// A program and its arguments.
    case commandLine
    /// A kind of value that only one program uses.
    case own(OwnKind)
  }

  /// The name of the value in the help, such as `FILE`.
  public var metavariable: String
  public var kind: Kind

  public init(_ metavariable: String, _ kind: Kind) {
    self.metavariable = metavariable
    self.kind = kind
  }

  /// Returns the reason why a value is invalid for this argument, or for the option with this name.
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

  /// A description of the accepted values, shown after the user enters an invalid one.
  public var advice: String {
    switch kind {
    case .file: "\(metavariable) is the path of a file"
    case .folder: "\(metavariable) is the path of a folder"
    case .absolutePath:
      "\(metavariable) is the absolute path of a file, as in /srv/walks/recording.sqlite"
    case .socketPath:
      "\(metavariable) is the absolute path of a socket, at most 107 bytes long"
    case .wholeNumber(let low, UInt64.max):
      "\(metavariable) is a whole number from \(low) to 2^64 - 1"
    case .wholeNumber(let low, let high):
      "\(metavariable) is a whole number from \(low) to \(high)"
    case .number(let low, let high) where low < 0:
      "\(metavariable) is a number from 0 to \(NumberText.plain(high))"
    case .number(let low, let high):
      "\(metavariable) is a number above \(NumberText.plain(low)) and at most "
        + NumberText.plain(high)
    case .seconds(let high):
      "\(metavariable) is a number of seconds above 0 and at most \(NumberText.plain(high)), "
        + "or a time as in 1:30"
    case .date:
      "\(metavariable) is a date, as in 2026-05-04, or a time with a time zone, as in "
        + "2026-05-04T09:30:00Z"
    case .word(let words):
      words.count > 2
        ? "choose one of " + words.joined(separator: ", ")
        : "choose " + words.joined(separator: " or ")
    case .text: "\(metavariable) is \(LineOfText.rule)"
    case .command: "\(metavariable) is the name of a command"
    case .commandLine:
      "\(metavariable) is a program followed by its arguments, as in -- footbridge scan"
    case .own(let own): own.advice(metavariable)
    }
  }

  /// Returns the completions that a shell offers; empty if there are none.
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

/// A kind of value that only one program uses.
public struct OwnKind: Hashable, Sendable {
  private let name: String
  /// The completions that a shell offers.
  let candidates: @Sendable () -> Candidates
  /// Returns a specific reason why a value is rejected; `nil` for the general message.
  let refusal: @Sendable (_ word: String) -> String?
  /// A description of the accepted values, for an argument with this metavariable.
  let advice: @Sendable (_ metavariable: String) -> String

  /// Creates a kind of value. `candidates` is called when a completion script is generated.
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
