import MetaWearProtocol

/// A board's simulated colour sensor, a TCS34725.
struct SimulatedColourSensor: Sendable {
  private var integrationSteps = 1
  private var gain = ColourSensor.Gain.times1
  private var isLit = false

  mutating func configure(integrationSteps: Int, _ gain: ColourSensor.Gain, isLit: Bool) {
    self.integrationSteps = integrationSteps
    self.gain = gain
    self.isLit = isLit
  }

  /// Returns raw counts of clear, red, green and blue, limited by the converter's range.
  func measure(_ surroundings: Surroundings) -> [UInt16] {
    // The LED is white; its light is added after reflection by the surface in front of the board.
    let lit = isLit ? 2 / max(0.01, surroundings.metresToSurface) : 0
    let colour = surroundings.colour * surroundings.lux + SIMD3(repeating: lit / 3)
    // The sensor adds about 0.01 counts per lux in each 2.4 ms step of the integration time.
    let counts = colour * (0.01 * Double(integrationSteps * gain.factor))
    let limit = Double(min(65_535, 1_024 * integrationSteps))
    return [counts.sum(), counts.x, counts.y, counts.z].map {
      UInt16(min(max(0, $0.rounded()), limit))
    }
  }
}

extension SimulatedBoard {
  mutating func obey(_ command: ColourSensor) {
    switch command {
    case .configure(let steps, let gain, let isLit):
      state.colour?.configure(integrationSteps: steps, gain, isLit: isLit)
    }
  }

  func colourValue() -> [UInt8]? {
    state.colour?.measure(surroundings).flatMap(\.littleEndianBytes)
  }
}
