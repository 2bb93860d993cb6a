internal import Recording

/// The method of computing values between two samples of a stream.
enum Interpolation {
  /// Every axis changes linearly.
  case linear
  /// The values are angles in degrees, interpolated along the shorter arc, such as from 350 through
  /// 0 to 10.
  case angles
  /// The values are a quaternion, which changes linearly and is normalised. A quaternion and its
  /// negative describe the same orientation, so the nearer of the two is used.
  case rotation

  init(_ stream: StreamDescription) {
    if stream.isQuaternion {
      self = .rotation
    } else if ["deg", "°"].contains(stream.unit) {
      self = .angles
    } else {
      self = .linear
    }
  }

  /// Returns the values at a fraction of the way from one sample to the next.
  func values(
    from first: SIMD4<Double>, to second: SIMD4<Double>, at fraction: Double
  ) -> SIMD4<Double> {
    switch self {
    case .linear: return first + (second - first) * fraction
    case .angles:
      var values = SIMD4<Double>()
      for axis in values.indices {
        values[axis] = Self.angle(from: first[axis], to: second[axis], at: fraction)
      }
      return values
    case .rotation:
      let end = (first * second).sum() < 0 ? -second : second
      let sum = first + (end - first) * fraction
      let length = (sum * sum).sum().squareRoot()
      return length > 0 ? sum / length : sum
    }
  }

  private static func angle(from first: Double, to second: Double, at fraction: Double) -> Double {
    let turn = second - first
    guard turn.magnitude > 180 else { return first + turn * fraction }
    let angle = first + turn.remainder(dividingBy: 360) * fraction
    // The samples show whether the board counts from 0 to 360, or from -180 to 180.
    let lowest = min(first, second) < 0 ? -180.0 : 0
    if angle < lowest { return angle + 360 }
    return angle >= lowest + 360 ? angle - 360 : angle
  }
}

extension StreamDescription {
  var isQuaternion: Bool {
    signal.hasPrefix("quaternion") && Set(axes) == ["w", "x", "y", "z"] && axisCount == 4
  }
}
