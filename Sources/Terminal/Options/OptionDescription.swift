/// Everything about an option except its effect: what help, manual page and completion tell of it.
public struct OptionDescription: Hashable, Sendable {
  /// Its name without the two hyphens.
  public var name: String
  /// Its one-letter form.
  public var short: Character?
  /// What follows it; `nil` for a flag.
  public var argument: Argument?
  /// The value that holds when it is not given, where that says something.
  public var defaultValue: String?
  /// The environment variable that stands in for it.
  public var environmentVariable: String?
  /// Names of options that may not be given beside it.
  public var excludes: [String]
  /// Whether it may be given more than once.
  public var isRepeatable = false
  /// What it does: a phrase, no capital and no full stop.
  public var help: String

  /// As typed: `--seconds`.
  public var spelling: String { "--" + name }

  /// With its argument: `--seconds N`.
  public var usage: String {
    argument.map { "\(spelling) \($0.metavariable)" } ?? spelling
  }
}

/// Everything about a word that is not an option, such as the command `help` asks about.
public struct OperandDescription: Hashable, Sendable {
  /// Its metavariable and kind.
  public var argument: Argument
  /// Whether the command can do without it.
  public var isOptional: Bool
  /// Whether all words that are left belong to it.
  public var isRepeatable = false
  /// Whether it is a program with arguments of its own, which stands after `--`.
  public var isCommandLine = false
  /// Names of options that may not be given beside it.
  public var excludes: [String] = []

  /// As in a usage line: in brackets when optional.
  public var usage: String {
    let word =
      isCommandLine
      ? "-- \(argument.metavariable) [ARG...]"
      : argument.metavariable + (isRepeatable ? "..." : "")
    return isOptional ? "[\(word)]" : word
  }
}
