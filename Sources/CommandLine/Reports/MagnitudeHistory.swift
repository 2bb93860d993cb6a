internal import Gateway
internal import Recording
internal import Terminal

/// The last magnitudes of one stream, one a round.
struct MagnitudeHistory: Sendable {
  private var magnitudes: [Double] = []
  private var arrived: UInt64 = 0
  /// The usual variation of a sample at rest.
  private var noise = 1.0

  /// Adds the newest sample; a round without one leaves the history as it is.
  mutating func note(_ stream: LiveStatus.Stream, limit: Int) {
    guard stream.arrived != arrived, !stream.latest.isEmpty else { return }
    arrived = stream.arrived
    noise = Self.noise(of: stream.description)
    let magnitude = Self.magnitude(of: stream.latest)
    guard magnitude.isFinite else { return }
    magnitudes.append(magnitude)
    if magnitudes.count > limit { magnitudes.removeFirst() }
  }

  /// The magnitudes as a sparkline that enters from the right, over the range they span.
  ///
  /// That range is never narrower than a twentieth of the value or than the noise; otherwise a
  /// board at rest would look like an earthquake.
  func sparkline(width: Int) -> String {
    var low = magnitudes.min() ?? 0
    var high = magnitudes.max() ?? 0
    let least = max(high.magnitude / 20, noise)
    if high - low < least {
      // Rest is in the middle of the fourth of eight steps; in the middle of the range, between two
      // steps, it would flicker.
      low = (low + high) / 2 - least * 7 / 16
      high = low + least
    }
    return String(repeating: " ", count: max(0, width - magnitudes.count))
      + Sparkline.text(magnitudes, in: low...high)
  }

  /// Fifty counts of a sensor. Values that a board computes have no counts, and are smoothed.
  private static func noise(of description: StreamDescription) -> Double {
    switch description.rawForm {
    case .integer: 50 / max(description.countsPerUnit, 1)
    case .float: 0.01
    }
  }

  /// A single value itself; else the length of the first three axes, since a quaternion as a whole
  /// always has length one.
  private static func magnitude(of sample: [Double]) -> Double {
    sample.count == 1
      ? sample[0] : sample.prefix(3).reduce(0) { $0 + $1 * $1 }.squareRoot()
  }
}
