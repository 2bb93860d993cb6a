internal import Glibc

/// Standard input, and whether a person uses it.
public enum StandardInput {
  /// Whether a person may be typing.
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  /// Whether a person may be reading the output.
  public static var isAnswered: Bool { isatty(STDOUT_FILENO) == 1 }
}
