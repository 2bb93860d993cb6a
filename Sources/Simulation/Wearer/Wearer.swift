/// A simulated board's wearer, whose motion determines what the sensors measure at any true time.
///
/// The motion depends only on the time, so the measurements of boards on the same wearer agree even
/// if the boards' clocks differ.
public protocol Wearer: Sendable {
  /// Returns the specific force along the sensor's axes in g. At rest it has length 1 and points
  /// up.
  func acceleration(at time: Double) -> SIMD3<Double>
  /// Returns the angular velocity about the sensor's axes in degrees per second.
  func angularVelocity(at time: Double) -> SIMD3<Double>
  /// Returns the sensor axes' orientation in the world. By default the board is level.
  ///
  /// At rest, `acceleration` is the earth's third axis, which points up, converted to the board's
  /// axes.
  func orientation(at time: Double) -> Orientation
}

extension Wearer {
  public func orientation(at time: Double) -> Orientation { .level }
}

/// A board without a wearer, which lies flat on a table, face up.
public struct StillWearer: Wearer {
  public init() {}

  public func acceleration(at time: Double) -> SIMD3<Double> { SIMD3(0, 0, 1) }

  public func angularVelocity(at time: Double) -> SIMD3<Double> { .zero }
}
