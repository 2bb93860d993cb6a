/// The fuzzers: each interprets arbitrary bytes as a series of events and checks that its rules
/// hold.
///
/// A broken rule ends the process with the rule's text, as libFuzzer expects; so does a trap.
public enum Fuzzer: String, Sendable, CaseIterable {
  /// The choice of a board, then packets for all of the codec's decoders.
  case notification
  /// The choice of sensors and a board, then events of the board's session.
  case session
  /// The size of pieces, then the output of a receiver or gpsd.
  case receiver

  /// Plays one input. It returns for all possible bytes.
  public func play(_ input: [UInt8]) {
    switch self {
    case .notification: CodecCheck.play(input)
    case .session: SessionCheck.play(input)
    case .receiver: ReceiverCheck.play(input)
    }
  }
}

/// Ends the process if a rule is broken, also in an optimised build, where `precondition` prints no
/// message.
func hold(_ condition: Bool, _ rule: @autoclosure () -> String) {
  if !condition { fatalError("broken rule: \(rule())") }
}
