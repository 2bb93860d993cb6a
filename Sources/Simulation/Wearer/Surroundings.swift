internal import Glibc

/// The ambient conditions that a simulated board's sensors measure. They stay constant until the
/// host changes them.
public struct Surroundings: Hashable, Sendable {
  /// Air temperature in °C; a board is a few degrees warmer.
  public var celsius = 23.5
  /// Air pressure in pascals.
  public var pascals = 100_000.0
  public var humidityPercent = 45.0
  /// Illuminance on the board's face, in lux.
  public var lux = 320.0
  /// Fractions of red, green and blue in the light.
  public var colour = SIMD3(0.36, 0.34, 0.30)
  /// Distance in metres from the board's face to the surface in front of it.
  public var metresToSurface = 0.5
  /// The earth's magnetic field in microtesla: east, north and up. The values apply to central
  /// Europe, where the field points steeply into the ground.
  public var magneticField = SIMD3(0.0, 20.4, -44.1)

  /// Creates surroundings with typical indoor values.
  public init() {}

  // The international barometric formula, as given in the BMP280's data sheet.

  /// Returns the height in metres at this pressure in the standard atmosphere.
  static func metres(atPascals pascals: Double) -> Double {
    44_330 * (1 - pow(pascals / 101_325, 1 / 5.255))
  }

  /// Returns the pressure in pascals at this height in the standard atmosphere.
  public static func pascals(atMetres metres: Double) -> Double {
    101_325 * pow(1 - metres / 44_330, 5.255)
  }
}
