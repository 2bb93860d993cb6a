/// A board's horizontal movement within a search window. It differs between left and right steps.
///
/// The mean acceleration over a few seconds is gravity, so its direction is up however the board is
/// worn. Every step lifts the body, whichever foot takes it. But the body sways to one side with
/// the left step and to the other side with the right step. A leg swings only with its own step,
/// and an arm swings forwards and backwards. The horizontal movement therefore repeats once per
/// stride.
struct Sway: Sendable {
  /// The horizontal part of each acceleration in g. Only the first `count` values are valid.
  private var values: [SIMD4<Float>]
  /// Cumulative sums: the element at an index is the sum of all accelerations before that index.
  private var sums: [SIMD4<Float>]
  private var count = 0
  /// Mean squares of the acceleration's horizontal and vertical parts, in g².
  private(set) var variance = (horizontal: Float(0), vertical: Float(0))

  init(capacity: Int) {
    values = Array(repeating: .zero, count: capacity)
    sums = Array(repeating: .zero, count: capacity + 1)
  }

  /// Replaces the values with the last `count` bins. The mean over two steps or strides around each
  /// value is subtracted, so that turning round or bending is not mistaken for sway.
  mutating func fill(_ count: Int, from bins: MotionBins, turn lag: Double) {
    self.count = count
    let first = bins.count - count
    sums[0] = .zero
    for place in 0..<count { sums[place + 1] = sums[place] + bins.acceleration(first + place) }
    var (vertical, horizontal) = (Float(0), SIMD4<Float>.zero)
    let span = min(count, Int((2 * lag).rounded()))
    for place in 0..<count {
      let start = max(0, min(place - span / 2, count - span))
      let mean = (sums[start + span] - sums[start]) * (1 / Float(span))
      let value = bins.acceleration(first + place) - mean
      let gravity = (mean * mean).sum()
      let height = gravity > 0 ? (value * mean).sum() / gravity : 0
      values[place] = value - height * mean
      vertical += height * height * gravity
      horizontal += values[place] * values[place]
    }
    variance = (horizontal.sum() / Float(count), vertical / Float(count))
  }

  /// A turn is one repetition of the movement. Returns how much more the horizontal movement
  /// resembles itself after two turns than after one. If a turn is a step, two of them are a
  /// stride, and the increase is clear. If a turn is a stride, the similarity does not increase.
  /// Returns 0 if there is no horizontal movement.
  func alternation(turn lag: Double) -> Double {
    guard variance.horizontal > 0 else { return 0 }
    return Double((similarity(at: 2 * lag) - similarity(at: lag)) / variance.horizontal)
  }

  /// Returns the highest mean product of two horizontal accelerations whose distance is `lag`, or
  /// one value more or less.
  private func similarity(at lag: Double) -> Float {
    let lag = Int(lag.rounded())
    return max(product(lag: lag - 1), product(lag: lag), product(lag: lag + 1))
  }

  private func product(lag: Int) -> Float {
    let end = count - lag
    guard end > 0 else { return 0 }
    var sums = SIMD4<Float>.zero
    for place in 0..<end { sums += values[place] * values[place + lag] }
    return sums.sum() / Float(end)
  }
}
