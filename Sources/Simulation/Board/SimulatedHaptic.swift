public import MetaWearProtocol

/// What a simulated board's driver does to a motor or a buzzer.
struct SimulatedHaptic: Sendable {
  var run: Haptic?
  /// True time at which it ends.
  var end = -Double.infinity
}

extension SimulatedBoard {
  /// What the driver of motor and buzzer is doing just now, if anything.
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
    if milliseconds == 0 { complain("a run without time or power is not felt") }
    state.haptic.run = command
    state.haptic.end = now + Double(milliseconds) / 1_000
  }
}
