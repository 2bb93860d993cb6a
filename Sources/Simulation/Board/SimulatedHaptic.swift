public import MetaWearProtocol

/// A simulated board's driver for a motor or a buzzer.
struct SimulatedHaptic: Sendable {
  var run: Haptic?
  /// True time at which the run ends.
  var end = -Double.infinity
}

extension SimulatedBoard {
  /// Returns the run of the motor or buzzer at a given time; `nil` if there is none.
  public func haptic(at time: Double) -> Haptic? {
    time < state.haptic.end ? state.haptic.run : nil
  }

  mutating func obey(_ command: Haptic) {
    let milliseconds: UInt16
    switch command {
    case .motor(let duty, let time):
      if duty > 248 {
        complain("the duty of a motor goes up to 248")
        return
      }
      milliseconds = duty == 0 ? 0 : time
    case .buzzer(let time): milliseconds = time
    }
    if milliseconds == 0 { complain("a run without duration or power cannot be felt") }
    state.haptic.run = command
    state.haptic.end = now + Double(milliseconds) / 1_000
  }
}
