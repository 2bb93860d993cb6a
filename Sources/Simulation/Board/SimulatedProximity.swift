import MetaWearProtocol

/// A board's simulated proximity sensor, a TSL2671.
struct SimulatedProximity: Sendable {
  private var integrationSteps = 1
  private var pulses: UInt8 = 1
  private var diode = Proximity.Diode.channel1
  private var current = Proximity.Current.milliamperes25

  mutating func configure(
    integrationSteps: Int, pulses: UInt8, _ diode: Proximity.Diode, _ current: Proximity.Current
  ) {
    self.integrationSteps = integrationSteps
    self.pulses = pulses
    self.diode = diode
    self.current = current
  }

  /// Returns the counts of the reflected light, limited by the converter's range.
  func measure(metres: Double) -> UInt16 {
    let milliamperes = 100 / Double(1 << Int(current.rawValue))
    let diodes = diode == .both ? 2.0 : 1.0
    let counts = Double(pulses) * milliamperes * diodes * 0.01 / max(1e-4, metres * metres)
    return UInt16(min(counts.rounded(), Double(min(65_535, 1_023 * integrationSteps))))
  }
}

extension SimulatedBoard {
  mutating func obey(_ command: Proximity) {
    switch command {
    case .configure(let steps, let pulses, let diode, let current):
      if pulses == 0 { complain("a measurement needs at least one light pulse") }
      state.proximity?.configure(integrationSteps: steps, pulses: pulses, diode, current)
    }
  }

  func proximityValue() -> [UInt8]? {
    state.proximity?.measure(metres: surroundings.metresToSurface).littleEndianBytes
  }
}
