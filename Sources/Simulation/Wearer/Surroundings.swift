internal import Glibc

/// A simulated board's surroundings, as far as its sensors measure them. They stay constant until
/// the host changes them.
public struct Surroundings: Hashable, Sendable {
  /// Temperature of the air; a board is a few degrees warmer.
  public var celsius = 23.5
  /// Pressure of the air.
  public var pascals = 100_000.0
  /// Relative humidity.
  public var humidityPercent = 45.0
  /// Illuminance on the board's face.
  public var lux = 320.0
  /// Parts of red, green and blue in the light.
  public var colour = SIMD3(0.36, 0.34, 0.30)
  /// Metres from the board's face to the surface in front of it.
  public var metresToSurface = 0.5
  /// The earth's field in microtesla, to the east, to the north and upwards; as in central Europe,
  /// where it points steeply into the ground.
  public var magneticField = SIMD3(0.0, 20.4, -44.1)

  /// Typical indoor values.
  public init() {}

  // The international barometric formula, as in the BMP280's data sheet.

  /// Height at this pressure in the standard atmosphere.
  static func metres(atPascals pascals: Double) -> Double {
    44_330 * (1 - pow(pascals / 101_325, 1 / 5.255))
  }

  /// Pressure in the standard atmosphere at this height.
  public static func pascals(atMetres metres: Double) -> Double {
    101_325 * pow(1 - metres / 44_330, 5.255)
  }
}
