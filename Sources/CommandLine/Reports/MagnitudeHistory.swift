internal import Gateway
internal import Recording
internal import Terminal

/// The latest magnitudes of one stream, one for each update of the view.
struct MagnitudeHistory: Sendable {
  private var magnitudes: [Double] = []
  private var arrived: UInt64 = 0
  /// The expected variation of the magnitude while the board is at rest.
  private var noise = 1.0

  /// Adds the newest sample's magnitude. Does nothing if no sample has arrived since the last call.
  mutating func note(_ stream: LiveStatus.Stream, limit: Int) {
    guard stream.arrived != arrived, !stream.latest.isEmpty else { return }
    arrived = stream.arrived
    noise = Self.noise(of: stream.description)
    let magnitude = Self.magnitude(of: stream.latest)
    guard magnitude.isFinite else { return }
    magnitudes.append(magnitude)
    if magnitudes.count > limit { magnitudes.removeFirst() }
  }

  /// Returns the magnitudes as a sparkline. It is filled from the right, and scaled to the range of
  /// the magnitudes.
  ///
  /// The sparkline's range is at least a twentieth of the highest magnitude, and at least the
  /// noise. Otherwise, a resting board's sparkline would show its noise as large movements.
  func sparkline(width: Int) -> String {
    var low = magnitudes.min() ?? 0
    var high = magnitudes.max() ?? 0
    let least = max(high.magnitude / 20, noise)
    if high - low < least {
      // A sparkline has eight heights. A resting board's values are drawn in the middle of the
      // fourth height. In the middle of the range, the line would flicker between the fourth and
      // the fifth height.
      low = (low + high) / 2 - least * 7 / 16
      high = low + least
    }
    return String(repeating: " ", count: max(0, width - magnitudes.count))
      + Sparkline.text(magnitudes, in: low...high)
  }

  /// Returns the expected noise of a stream: fifty counts of the sensor. Values computed by a board
  /// have no counts and are smoothed.
  private static func noise(of description: StreamDescription) -> Double {
    switch description.rawForm {
    case .integer: 50 / max(description.countsPerUnit, 1)
    case .float: 0.01
    }
  }

  /// Returns a single value unchanged, or else the length of the vector that the first three axes
  /// form. A complete quaternion's length is always one.
  private static func magnitude(of sample: [Double]) -> Double {
    sample.count == 1
      ? sample[0] : sample.prefix(3).reduce(0) { $0 + $1 * $1 }.squareRoot()
  }
}
