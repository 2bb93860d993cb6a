internal import Glibc

/// Checks whether a person might be using standard input and output.
public enum StandardInput {
  /// Whether standard input is a terminal, at which a person may be typing.
  public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  /// Whether standard output is a terminal, at which a person may be reading.
  public static var isAnswered: Bool { isatty(STDOUT_FILENO) == 1 }
}
