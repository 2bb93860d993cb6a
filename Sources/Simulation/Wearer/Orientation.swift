import Glibc

/// A board's orientation in the world: a unit quaternion that rotates vectors from the board's axes
/// to the earth's, which point east, to magnetic north and up.
public struct Orientation: Hashable, Sendable {
  public let real: Double
  public let imaginary: SIMD3<Double>

  /// Flat and face up, with y pointing north.
  public static let level = Orientation(real: 1, imaginary: .zero)

  public init(real: Double, imaginary: SIMD3<Double>) {
    let length = (real * real + (imaginary * imaginary).sum()).squareRoot()
    precondition(length > 0, "the zero quaternion is not an orientation")
    self.real = real / length
    self.imaginary = imaginary / length
  }

  /// Creates a rotation about an axis of length 1. The rotation is counter-clockwise when the axis
  /// points at the viewer.
  public init(degrees: Double, about axis: SIMD3<Double>) {
    let half = degrees * Double.pi / 360
    self.init(real: cos(half), imaginary: axis * sin(half))
  }

  public var inverse: Orientation { Orientation(real: real, imaginary: -imaginary) }

  /// Converts a vector from the board's axes to the earth's axes.
  public func callAsFunction(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    let twice = 2 * cross(imaginary, vector)
    return vector + real * twice + cross(imaginary, twice)
  }

  /// Applies the right rotation first, then the left one.
  public static func * (left: Orientation, right: Orientation) -> Orientation {
    Orientation(
      real: left.real * right.real - (left.imaginary * right.imaginary).sum(),
      imaginary: left.real * right.imaginary + right.real * left.imaginary
        + cross(left.imaginary, right.imaginary))
  }

  /// Degrees from magnetic north to the board's y axis, clockwise as seen from above, from 0 to
  /// 360.
  public var heading: Double {
    let forward = self(SIMD3(0, 1, 0))
    let degrees = atan2(forward.x, forward.y) * 180 / Double.pi
    return degrees < 0 ? degrees + 360 : degrees
  }
}

private func cross(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> SIMD3<Double> {
  SIMD3(
    left.y * right.z - left.z * right.y, left.z * right.x - left.x * right.z,
    left.x * right.y - left.y * right.x)
}
