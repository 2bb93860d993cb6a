internal import Glibc

/// A limb's swing: its rotation about its main axis.
struct Swing {
  /// The number of iterations that determine the axis. Each iteration reduces the error by at least
  /// the ratio of the rotations about the two strongest axes.
  private static let steps = 30
  /// The number of values in two seconds. The angle of the swing is measured from its mean over
  /// that time, because the gyroscope's offset makes it drift.
  private static let level = Int(2 / MountingMeter.seconds)
  /// Limits for the peaks of the rates. The quantile `rare` of the rates is the speed of a fast
  /// swing. A peak consists of rates above the fraction `height` of that speed. A peak counts if
  /// its area exceeds the fraction `area` of the largest peak's area.
  private static let peak = (rare: 0.97, height: 0.5, area: 0.4)

  /// The axis as a unit vector. Its sign is chosen so that `skewness` is not negative.
  let axis: SIMD3<Double>
  /// The sum of the skewnesses of the angle about the axis and of the angle's rate. Near 0, the
  /// sign of the axis is arbitrary.
  let skewness: Double
  /// The fraction of the squared rotation rates that is due to rotation about the axis.
  let share: Double
  /// The angular velocities about the axis.
  let rates: [Double]
  /// The root mean square of the angular velocities about the axis.
  let strength: Double
  /// The centres of the fast swings, one for each stride, as fractional indices of `rates`.
  let peaks: [Double]

  /// `rotation` contains the limb's angular velocities. Fails if the limb does not rotate.
  init?(_ rotation: [SIMD3<Double>]) {
    var columns = [SIMD3<Double>](repeating: .zero, count: 3)
    for value in rotation { for axis in 0..<3 { columns[axis] += value * value[axis] } }
    // Power iteration: multiplying by the matrix of products turns any vector towards the main axis
    // of the matrix.
    var axis = columns.max { ($0 * $0).sum() < ($1 * $1).sum() }?.unit
    for _ in 0..<Self.steps {
      axis = axis.flatMap { (columns[0] * $0.x + columns[1] * $0.y + columns[2] * $0.z).unit }
    }
    guard let axis else { return nil }
    var rates = rotation.map { ($0 * axis).sum() }
    let squares = rates.reduce(0) { $0 + $1 * $1 }
    share = squares / (columns[0].x + columns[1].y + columns[2].z)
    strength = (squares / Double(rates.count)).squareRoot()
    let skewness = Self.skewness(rates) + Self.skewness(Self.angles(rates))
    if skewness < 0 { rates = rates.map { -$0 } }
    self.axis = skewness < 0 ? -axis : axis
    self.skewness = abs(skewness)
    self.rates = rates
    peaks = Self.peaks(of: rates)
  }

  /// Returns the angles of a swing with these rates, each relative to the mean of the two seconds
  /// around it. The unit is arbitrary.
  private static func angles(_ rates: [Double]) -> [Double] {
    var angle = 0.0
    let angles = rates.map { rate in
      angle += rate
      return angle
    }
    var sums = [0.0]
    for angle in angles { sums.append(sums[sums.count - 1] + angle) }
    let span = min(level, angles.count)
    return angles.indices.map { place in
      let start = max(0, min(place - span / 2, angles.count - span))
      return angles[place] - (sums[start + span] - sums[start]) / Double(span)
    }
  }

  private static func skewness(_ values: [Double]) -> Double {
    let mean = values.reduce(0, +) / Double(values.count)
    var (squares, cubes) = (0.0, 0.0)
    for value in values {
      let deviation = value - mean
      squares += deviation * deviation
      cubes += deviation * deviation * deviation
    }
    guard squares > 0 else { return 0 }
    return cubes * Double(values.count).squareRoot() / pow(squares, 1.5)
  }

  /// Returns the centre of each peak in these rates: the mean index, weighted by the rates.
  private static func peaks(of rates: [Double]) -> [Double] {
    let fastest = rates.sorted()[Int(Double(rates.count) * peak.rare)]
    let limit = fastest * peak.height
    guard limit > 0 else { return [] }
    var peaks: [(centre: Double, area: Double)] = []
    var open = (moment: 0.0, area: 0.0)
    for (place, rate) in rates.enumerated() {
      if rate > limit {
        open.moment += rate * Double(place)
        open.area += rate
      } else if open.area > 0 {
        peaks.append((open.moment / open.area, open.area))
        open = (0, 0)
      }
    }
    let largest = peaks.map(\.area).max() ?? 0
    return peaks.filter { $0.area > peak.area * largest }.map(\.centre)
  }
}
