/// Everything about an option except its effect, for help, manual page and completion.
public struct OptionDescription: Hashable, Sendable {
  /// Its name without the two hyphens.
  public var name: String
  /// Its one-letter form.
  public var short: Character?
  /// Its argument; `nil` for a flag.
  public var argument: Argument?
  /// The default to show; `nil` if there is nothing to show.
  public var defaultValue: String?
  /// The environment variable that replaces it.
  public var environmentVariable: String?
  /// Names of options that exclude it.
  public var excludes: [String]
  /// Whether it may be given more than once.
  public var isRepeatable = false
  /// Its effect: a phrase, no capital and no full stop.
  public var help: String

  /// As typed: `--seconds`.
  public var spelling: String { "--" + name }

  /// With its argument: `--seconds N`.
  public var usage: String {
    argument.map { "\(spelling) \($0.metavariable)" } ?? spelling
  }
}

/// Everything about an operand, such as the command that `help` explains.
public struct OperandDescription: Hashable, Sendable {
  /// Its metavariable and kind.
  public var argument: Argument
  /// Whether it may be left out.
  public var isOptional: Bool
  /// Whether it takes all remaining words.
  public var isRepeatable = false
  /// Whether it is a program with its own arguments, after `--`.
  public var isCommandLine = false
  /// Names of options that exclude it.
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
