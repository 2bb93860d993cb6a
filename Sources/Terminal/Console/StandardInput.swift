internal import Glibc

/// Standard input, as far as it matters who writes to it.
public enum StandardInput {
  /// Whether a person may be at the other end.
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  /// Whether a person may read the answers at standard output.
  public static var isAnswered: Bool { isatty(STDOUT_FILENO) == 1 }
}
