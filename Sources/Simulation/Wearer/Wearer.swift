/// The wearer of a simulated board: the input of its sensors at any instant of true time.
///
/// It is a function of time alone, so that boards of one wearer agree whatever the errors of their
/// clocks.
public protocol Wearer: Sendable {
  /// Specific force on the sensor's axes in g; at rest it has length 1 and points up.
  func acceleration(at time: Double) -> SIMD3<Double>
  /// Angular velocity about the sensor's axes in degrees per second.
  func angularVelocity(at time: Double) -> SIMD3<Double>
  /// The orientation of the sensor's axes in the world; level unless the wearer defines another.
  ///
  /// Gravity within `acceleration` is the earth's third axis as seen from the board.
  func orientation(at time: Double) -> Orientation
}

extension Wearer {
  /// Flat, face up, y to the north.
  public func orientation(at time: Double) -> Orientation { .level }
}

/// No wearer: the board lies flat on a table, face up.
public struct StillWearer: Wearer {
  public init() {}

  public func acceleration(at time: Double) -> SIMD3<Double> { SIMD3(0, 0, 1) }

  public func angularVelocity(at time: Double) -> SIMD3<Double> { .zero }
}
