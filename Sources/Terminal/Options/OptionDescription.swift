/// The description of an option for the help, the manual page and shell completion.
public struct OptionDescription: Hashable, Sendable {
  /// The name without the two hyphens.
  public var name: String
  /// The letter of the short form, such as `h` for `-h`; `nil` if there is none.
  public var short: Character?
  /// The argument; `nil` for a flag.
  public var argument: Argument?
  /// The default as shown in the help; `nil` to show none.
  public var defaultValue: String?
  /// The environment variable that can be set instead of giving this option.
  public var environmentVariable: String?
  /// The names of the options that cannot be combined with this one.
  public var excludes: [String]
  public var isRepeatable = false
  /// The effect of the option: a phrase in lower case without a full stop.
  public var help: String

  /// The option as typed: `--seconds`.
  public var spelling: String { "--" + name }

  /// The option with its argument: `--seconds N`.
  public var usage: String {
    argument.map { "\(spelling) \($0.metavariable)" } ?? spelling
  }
}

/// The description of an operand, such as the command that `help` explains.
public struct OperandDescription: Hashable, Sendable {
  public var argument: Argument
  public var isOptional: Bool
  /// Whether the operand accepts all remaining words.
  public var isRepeatable = false
  /// Whether the operand is a program with its own arguments, after `--`.
  public var isCommandLine = false
  /// The names of the options that cannot be combined with this operand.
  public var excludes: [String] = []

  /// The operand as shown in a usage line. An optional operand is in brackets.
  public var usage: String {
    let word =
      isCommandLine
      ? "-- \(argument.metavariable) [ARG...]"
      : argument.metavariable + (isRepeatable ? "..." : "")
    return isOptional ? "[\(word)]" : word
  }
}
