/// The fuzzers. Each interprets arbitrary bytes as a series of events, and checks that certain
/// rules hold.
///
/// If a rule is broken, the process prints the rule and ends, as libFuzzer expects. A trap also
/// ends the process.
public enum Fuzzer: String, Sendable, CaseIterable {
  /// The input is a byte that selects a board, followed by packets for all of the codec's decoders.
  case notification
  /// The input is bytes that select sensors and a board, followed by events for the board's
  /// session.
  case session
  /// The input is output from a receiver or gpsd, after a byte that sets the size of the pieces in
  /// which the output is parsed.
  case receiver

  /// Runs the fuzzer on one input. It must return for every possible input.
  public func play(_ input: [UInt8]) {
    switch self {
    case .notification: CodecCheck.play(input)
    case .session: SessionCheck.play(input)
    case .receiver: ReceiverCheck.play(input)
    }
  }
}

/// Prints the rule and ends the process if the rule is broken. This also works in optimised builds,
/// where `precondition` prints no message.
func hold(_ condition: Bool, _ rule: @autoclosure () -> String) {
  if !condition { fatalError("broken rule: \(rule())") }
}
