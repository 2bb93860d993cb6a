/// The fuzzers: each reads any bytes as a story and checks that its rules hold in it.
///
/// A broken rule ends the process with the rule's words, as libFuzzer wants it; so does a trap.
public enum Fuzzer: String, Sendable, CaseIterable {
  /// A board chosen, then packets for everything in the codec that reads bytes.
  case notification
  /// Sensors and a board chosen, then what happens to the board's session.
  case session
  /// The size of pieces, then what a receiver or gpsd sends.
  case receiver

  /// Plays one input. Whatever the bytes are, this returns.
  public func play(_ input: [UInt8]) {
    switch self {
    case .notification: CodecCheck.play(input)
    case .session: SessionCheck.play(input)
    case .receiver: ReceiverCheck.play(input)
    }
  }
}

/// Ends the process if a rule is broken; in an optimised build too, where `precondition` says
/// nothing.
func hold(_ condition: Bool, _ rule: @autoclosure () -> String) {
  if !condition { fatalError("broken rule: \(rule())") }
}
