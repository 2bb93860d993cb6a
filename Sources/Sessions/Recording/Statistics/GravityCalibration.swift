/// The offsets and scales of an accelerometer, determined from periods without movement. In such
/// periods, the magnitude of the true acceleration is 1 g in every orientation.
///
/// The corrected acceleration is `(measured − offset) × scale`.
public struct GravityCalibration: Hashable, Sendable {
  /// Offset of each axis in g.
  public var offset: SIMD3<Double>
  public var scale: SIMD3<Double>
  /// Uncertainty of each offset with 95 % confidence, in g.
  public var offsetError: SIMD3<Double>
  /// Uncertainty of each scale with 95 % confidence.
  public var scaleError: SIMD3<Double>
  /// Root mean square of the magnitude's deviation from 1 g, before and after the correction.
  public var deviationBefore: Double
  public var deviationAfter: Double

  /// Collects windows without movement, up to a fixed number for each orientation, so that a night
  /// spent on one side does not outweigh all other orientations.
  public struct Orientations: Sendable {
    /// Number of windows to keep for each orientation: the windows with the least movement.
    private static let kept = 8
    /// Number of cells along each edge of the six faces of a cube around the sensor.
    private static let cells = 4

    private var windows: [Int: [StillWindows.Window]] = [:]

    public init() {}

    /// Number of orientations in which the sensor did not move; at most 96.
    public var count: Int { windows.count }

    public mutating func add(_ window: StillWindows.Window) {
      guard window.isStill, let cell = Self.cell(of: window.mean) else { return }
      var held = windows[cell] ?? []
      let place = held.firstIndex { $0.deviation > window.deviation } ?? held.count
      guard place < Self.kept else { return }
      held.insert(window, at: place)
      windows[cell] = Array(held.prefix(Self.kept))
    }

    /// The cell of the cube's surface to which gravity points; `nil` for an implausible magnitude.
    private static func cell(of mean: SIMD3<Double>) -> Int? {
      let magnitude = (mean * mean).sum().squareRoot()
      guard (0.5...1.5).contains(magnitude) else { return nil }
      let sizes = [abs(mean.x), abs(mean.y), abs(mean.z)]
      let axis = sizes[0] >= sizes[1] && sizes[0] >= sizes[2] ? 0 : sizes[1] >= sizes[2] ? 1 : 2
      let face = 2 * axis + (mean[axis] < 0 ? 1 : 0)
      func step(_ value: Double) -> Int {
        min(cells - 1, Int((value / sizes[axis] + 1) / 2 * Double(cells)))
      }
      return (face * cells + step(mean[(axis + 1) % 3])) * cells + step(mean[(axis + 2) % 3])
    }

    /// The calibration; `nil` if the orientations do not determine it.
    public var calibration: GravityCalibration? {
      GravityCalibration(
        windows.sorted { $0.key < $1.key }.map { cell in cell.value.map(\.mean) })
    }
  }

  /// Minimum standard deviation, in g, that is assumed for the magnitude in an orientation.
  private static let leastNoise = 0.005
  /// Maximum uncertainty of an offset in g, and of a scale. A less certain calibration is
  /// discarded.
  private static let largestError = 0.02

  /// Fits an ellipsoid aligned with the sensor's axes, by least squares of the magnitude's
  /// deviation from 1 g. Each orientation is a list of means in g, and has the same weight. Returns
  /// `nil` if the orientations do not determine the result.
  init?(_ orientations: [[SIMD3<Double>]]) {
    let points = orientations.flatMap { means in
      means.map { (value: $0, weight: 1 / Double(means.count)) }
    }
    let weights = Double(orientations.count)
    guard orientations.count >= 6 else { return nil }
    var (offset, scale) = (SIMD3<Double>.zero, SIMD3<Double>.one)
    var before: Double?
    var deviation = 0.0
    var inverse: [[Double]] = []
    // Gauss–Newton iteration. From these starting values, it converges in about five steps.
    for _ in 0..<25 {
      var matrix = [[Double]](repeating: [Double](repeating: 0, count: 6), count: 6)
      var vector = [Double](repeating: 0, count: 6)
      var squares = 0.0
      for point in points {
        let difference = point.value - offset
        let corrected = difference * scale
        let magnitude = (corrected * corrected).sum().squareRoot()
        guard magnitude > 0 else { return nil }
        let rest = magnitude - 1
        let byOffset = -(corrected * scale) / magnitude
        let byScale = corrected * difference / magnitude
        let row = [byOffset.x, byOffset.y, byOffset.z, byScale.x, byScale.y, byScale.z]
        for one in 0..<6 {
          vector[one] -= point.weight * row[one] * rest
          for other in 0..<6 { matrix[one][other] += point.weight * row[one] * row[other] }
        }
        squares += point.weight * rest * rest
      }
      deviation = (squares / weights).squareRoot()
      if before == nil { before = deviation }
      guard let found = Self.inverse(of: matrix) else { return nil }
      inverse = found
      let step = inverse.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
      offset += SIMD3(step[0], step[1], step[2])
      scale += SIMD3(step[3], step[4], step[5])
      if step.allSatisfy({ abs($0) < 1e-10 }) { break }
    }
    let freedom = weights - 6
    let noise = max(
      Self.leastNoise, freedom > 0 ? deviation * (weights / freedom).squareRoot() : 0)
    let errors = (0..<6).map { 1.96 * noise * inverse[$0][$0].squareRoot() }
    guard errors.allSatisfy({ $0 <= Self.largestError }), offset.min() > -0.3,
      offset.max() < 0.3, scale.min() > 0.8, scale.max() < 1.25
    else { return nil }
    self.offset = offset
    self.scale = scale
    offsetError = SIMD3(errors[0], errors[1], errors[2])
    scaleError = SIMD3(errors[3], errors[4], errors[5])
    deviationBefore = before ?? deviation
    deviationAfter = deviation
  }

  /// Inverts a symmetric matrix by Gauss–Jordan elimination. Returns `nil` if it is singular.
  private static func inverse(of matrix: [[Double]]) -> [[Double]]? {
    let size = matrix.count
    var rows = matrix.enumerated().map { place, row in
      row + (0..<size).map { $0 == place ? 1 : 0 }
    }
    for column in 0..<size {
      let pivot = (column..<size).max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
      guard abs(rows[pivot][column]) > 1e-9 else { return nil }
      rows.swapAt(column, pivot)
      let head = rows[column][column]
      rows[column] = rows[column].map { $0 / head }
      for row in 0..<size where row != column {
        let factor = rows[row][column]
        if factor != 0 { rows[row] = zip(rows[row], rows[column]).map { $0 - factor * $1 } }
      }
    }
    return rows.map { Array($0[size...]) }
  }
}
