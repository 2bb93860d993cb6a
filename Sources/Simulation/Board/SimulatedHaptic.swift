public import MetaWearProtocol

/// A simulated board's driver for a motor or a buzzer.
struct SimulatedHaptic: Sendable {
  var run: Haptic?
  /// True time at which the motor or buzzer stops.
  var end = -Double.infinity
}

extension SimulatedBoard {
  /// Returns the command that the motor or buzzer is executing at a given time; `nil` if it is off.
  public func haptic(at time: Double) -> Haptic? {
    time < state.haptic.end ? state.haptic.run : nil
  }

  mutating func obey(_ command: Haptic) {
    let milliseconds: UInt16
    switch command {
    case .motor(let duty, let time):
      if duty > 248 {
        complain("a motor's duty cycle must be at most 248")
        return
      }
      milliseconds = duty == 0 ? 0 : time
    case .buzzer(let time): milliseconds = time
    }
    if milliseconds == 0 { complain("a pulse without duration or power has no effect") }
    state.haptic.run = command
    state.haptic.end = now + Double(milliseconds) / 1_000
  }
}
