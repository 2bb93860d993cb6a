internal import Glibc

/// Standard input, as far as it matters who writes to it.
enum StandardInput {
  /// Whether a person may be at the other end.
  static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  /// Whether a person may read the answers at standard output.
  static var isAnswered: Bool { isatty(STDOUT_FILENO) == 1 }
}
