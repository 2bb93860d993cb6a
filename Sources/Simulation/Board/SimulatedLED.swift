public import MetaWearProtocol

/// A simulated board's red, green and blue lights.
struct SimulatedLED: Sendable {
  var patterns: [LED.Colour: LED.Pattern] = [:]
  var playback = LED.Playback.pause

  /// The lights that are on or flashing.
  var shining: Set<LED.Colour> { playback == .pause ? [] : Set(patterns.keys) }
}

extension SimulatedBoard {
  public var shiningLights: Set<LED.Colour> { state.led.shining }

  mutating func obey(_ led: LED) {
    switch led {
    case .playback(let playback):
      // Only `play` requires a stored pattern. Autoplay may be switched on earlier, and starts once
      // a pattern is stored.
      if playback == .play, state.led.patterns.isEmpty { complain("there is no pattern to play") }
      state.led.playback = playback
    case .stop(let isClearing):
      state.led.playback = .pause
      if isClearing { state.led.patterns = [:] }
    case .store(let pattern, let colour):
      if let fault = fault(of: pattern) {
        complain(fault)
      } else {
        state.led.patterns[colour] = pattern
      }
    }
  }

  private func fault(of pattern: LED.Pattern) -> String? {
    let lit =
      Int(pattern.riseMilliseconds) + Int(pattern.highMilliseconds)
      + Int(pattern.fallMilliseconds)
    if pattern.high > 31 || pattern.low > 31 { return "a light's intensity must be at most 31" }
    if lit > Int(pattern.periodMilliseconds) { return "a pattern must fit into its period" }
    if pattern.delayMilliseconds > 0, !model.modules.has(.led, revision: 1) {
      return "a pattern with a delay needs revision 1 of module led"
    }
    return nil
  }
}
