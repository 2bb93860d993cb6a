/// Counts steps from the rhythm of an accelerometer.
///
/// `WalkingDetector` decides when the wearer is walking. The number of steps is the time of walking
/// divided by the length of one repetition, whatever the shape of the foot strikes.
struct WalkingRhythm: Sendable {
  /// Minimum regularity of any turn, and of a turn similar to a recent one.
  private static let regularity = (least: 0.45, kept: 0.2)

  private let wear: Wear
  private let secondsPerSample: Double
  private var detector: WalkingDetector
  private var looks = 0
  /// Seconds per turn; `nil` while the wearer is at rest.
  private var period: Double?
  /// The first position of the current walk whose steps have not been counted yet.
  private var uncounted: Int?
  /// Number of steps counted so far.
  private(set) var steps = 0.0

  /// Creates a counter for a stream of `rate` samples per second.
  init(_ wear: Wear, rate: Double) {
    self.wear = wear
    secondsPerSample = 1 / rate
    detector = WalkingDetector(rate: rate)
  }

  /// Current cadence in steps per minute; `nil` while the wearer is at rest.
  var cadence: Double? { period.map { 60 * wear.stepsPerCycle / $0 } }

  /// Adds the next sample: the magnitude of the acceleration in g, and the sample number assigned
  /// by the board.
  mutating func add(magnitude: Double, counter: UInt32) {
    detector.add(magnitude: magnitude, counter: counter)
    if let walk = detector.walk {
      guard detector.looks != looks else { return }
      looks = detector.looks
      count(walk)
    } else if uncounted != nil {
      if let walk = detector.formerWalk { settle(until: walk.last) }
      (period, uncounted) = (nil, nil)
    }
  }

  private mutating func count(_ walk: WalkingDetector.Walk) {
    if uncounted == nil { uncounted = start(of: walk) }
    period = turn() ?? period
    settle(until: walk.last)
  }

  /// Returns the position of the first movement of a walk, excluding the time by which the walk was
  /// backdated.
  private func start(of walk: WalkingDetector.Walk) -> Int {
    guard walk.first > detector.runStart else { return walk.first }
    let lead = Double(WalkingDetector.lead) * MotionBins.seconds
    return walk.first + Int(lead / secondsPerSample)
  }

  private mutating func settle(until place: Int) {
    guard let period, let first = uncounted, place > first else { return }
    steps += Double(place - first) * secondsPerSample * wear.stepsPerCycle / period
    uncounted = place
  }

  /// Returns the period in seconds found by the last search; `nil` if there was no repetition.
  private func turn() -> Double? {
    let lags =
      wear.cycleSeconds.lowerBound / MotionBins.seconds...wear.cycleSeconds.upperBound
      / MotionBins.seconds
    let repetition = detector.repetition
    let turn =
      repetition.turn(within: lags, least: Self.regularity.least)
      ?? period.flatMap {
        repetition.turn(
          like: $0 / MotionBins.seconds, within: lags, least: Self.regularity.kept)
      }
    return turn.map { $0.lag * MotionBins.seconds }
  }
}
