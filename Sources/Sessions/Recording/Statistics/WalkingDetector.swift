/// Detects walking with an accelerometer anywhere on the body, sample by sample.
///
/// Jogging is treated as walking. A gait repeats: the magnitude of the acceleration is similar to
/// itself one step or one stride later, and again one step or stride after that. Twice a second,
/// the detector searches for this repetition (`Repetition`) in the last four seconds, or in the
/// last seven for a slow gait. Three consecutive searches must find it. The detector then traces
/// the movement back to its beginning, and forward until it stops. Gestures and changes of posture
/// do not repeat three times, and bumps have rest between them.
///
/// States: `resting` → `walking` at the third consecutive regular search. `walking` → `resting` in
/// any of three cases: the movement pauses for more than 1.2 seconds, no search was regular for
/// five seconds, or samples are missing for more than half a second.
///
/// A position is the distance of a sample from the first sample, in sample periods. Positions
/// continue when the counter overflows. If the counter decreases because the board restarted, the
/// length of the gap is unknown, and the next sample gets the next position.
///
/// The detector depends on no clock and performs no input or output, and adding a sample does not
/// allocate memory:
///
///     var detector = WalkingDetector(rate: 100)
///     for (counter, magnitude) in walk { detector.add(magnitude: magnitude, counter: counter) }
///     let first = detector.walk?.first
public struct WalkingDetector: Sendable {
  /// A period of walking without a long pause.
  public struct Walk: Hashable, Sendable {
    /// The position of a sample shortly before the first step: about half a second before the
    /// movement began, and never after it.
    public var first: Int
    /// The position at which the latest movement was detected.
    public var last: Int
  }

  /// Seconds without samples after which a walk ends.
  public static let longestGap = 0.5
  /// Seconds after the first step within which an ordinary walk is detected.
  public static let usualDelay = 4.5

  /// Number of bins, of 40 ms each, in which a search looks for a movement that repeats three
  /// times. The trunk repeats its movement with every step, and a leg with every stride. Three
  /// strides fit into the short window at 90 or more steps per minute. Three strides of 2.4 seconds
  /// fit into the long window.
  private static let windows = (short: 100, long: 180)
  /// Number of bins from one search to the next.
  private static let hop = 12
  /// The shortest and longest repetitions in bins: a runner's stride, and a slow walker's stride.
  static let turns = 0.56 / MotionBins.seconds...60
  /// Minimum regularity, the similarity of one step or stride to the next, with which a walk can
  /// begin. Walking is above 0.7, and random shaking is below 0.3.
  private static let regularity = 0.5
  /// Minimum regularity, the similarity of one step or stride to the next, with which a walk
  /// continues. It is lower than at the beginning of a walk, because strides differ on uneven
  /// ground and in bends.
  private static let keptRegularity = 0.3
  /// Standard deviation in g below which nobody is walking. The slowest walkers reach 0.08 at the
  /// trunk, and more at the limbs.
  private static let quiet = 0.05
  /// Number of bins that a search checks for rest, since there is little rest in a gait. The number
  /// is rounded down to whole steps or strides, and includes at least two of them.
  private static let restlessBins = 75.0
  /// Fraction of a stride during which a foot is on the ground, so that a board above its ankle may
  /// be still. A bin is at rest only if the half second that ends with it is still, so fewer bins
  /// are at rest.
  private static let stance = 0.6
  /// Fraction of the bins checked for rest that may be at rest in any gait, since these bins may
  /// include the beginning of a walk.
  private static let leastRest = 0.15
  /// Number of consecutive regular searches that begin a walk.
  private static let looksToBegin = 3
  /// Minimum range of acceleration in half a second of a walk: in g, and as a fraction of the mean
  /// range in the search window.
  private static let leastSwing = (absolute: 0.06, part: 0.3)
  /// Maximum length of a pause in bins: within a walk, slightly more than the slowest step; at the
  /// beginning of a walk, the pause between hesitant first steps.
  private static let longestPause = (within: 30, before: 40)
  /// Number of bins without a regular search after which a walk ends.
  private static let longestDoubt = 125
  /// Number of bins by which the first step is backdated. The foot leaves the ground half a second
  /// before it first lands, and the movement during that time may be small.
  private static let lead = 12
  /// Total number of bins covered by the consecutive searches that begin a walk.
  static let binsToBegin = windows.short + (looksToBegin - 1) * hop

  private let binsPerSample: Double
  private let samplesOfGap: Double
  /// The current walk; `nil` while the wearer is at rest.
  public private(set) var walk: Walk?
  /// The previous walk; `nil` until a walk has ended.
  public private(set) var formerWalk: Walk?
  /// The position of the newest sample; `nil` before the first sample.
  public private(set) var place: Int?
  /// The position of the first sample after the last gap.
  public private(set) var runStart = 0
  /// Number of searches since the detector was created.
  private(set) var looks = 0
  /// The data and the result of the last search.
  private(set) var repetition = Repetition(capacity: windows.long)

  private var latestCounter: UInt32 = 0
  private(set) var bins = MotionBins()
  private var regularLooks = 0
  private var sinceLook = 0
  /// The first bin that belongs to no previous walk.
  private var firstFreeBin = 0
  /// The bin with the last movement of the current walk.
  private var lastMovingBin = 0
  /// The first bin that has not been checked for movement yet.
  private var nextBin = 0
  /// The bin count at the time of the last regular search.
  private var lastRegularBin = 0
  /// Minimum range of acceleration, in g, in half a second of the current walk.
  private var walkSwing = 0.0

  /// `rate` is in samples per second; detection needs at least 12.
  public init(rate: Double) {
    precondition(rate > 0, "the rate must be above 0")
    binsPerSample = 1 / (rate * MotionBins.seconds)
    samplesOfGap = rate * Self.longestGap
  }

  /// Adds the next sample: the magnitude of the acceleration in g, and the sample number assigned
  /// by the board.
  public mutating func add(magnitude: Double, counter: UInt32) {
    advance(to: counter)
    bins.add(magnitude)
  }

  /// Adds the next sample, and stores its axes in the bins: the acceleration in g, and the sample
  /// number assigned by the board.
  mutating func add(_ acceleration: SIMD3<Double>, counter: UInt32) {
    advance(to: counter)
    bins.add((acceleration * acceleration).sum().squareRoot(), acceleration)
  }

  private mutating func advance(to counter: UInt32) {
    guard let previous = place else {
      place = 0
      latestCounter = counter
      return
    }
    let step = Int(Int32(bitPattern: counter &- latestCounter))
    latestCounter = counter
    let here = previous + (step < 0 ? 1 : step)
    place = here
    if step < 0 || Double(step) > samplesOfGap {
      beginRun(at: here)
    } else {
      let bin = Int(Double(here - runStart) * binsPerSample)
      while bins.count < bin { closeBin() }
    }
  }

  private mutating func beginRun(at place: Int) {
    endWalk()
    bins.removeAll()
    runStart = place
    (regularLooks, sinceLook, firstFreeBin) = (0, 0, 0)
  }

  private mutating func closeBin() {
    bins.close()
    sinceLook += 1
    guard sinceLook >= Self.hop, bins.count >= Self.windows.short else { return }
    sinceLook = 0
    look()
  }

  // MARK: Looks

  private mutating func look() {
    looks += 1
    let isKept = analyse()
    if walk == nil, regularLooks >= Self.looksToBegin { beginWalk() }
    guard walk != nil else { return }
    if isKept { lastRegularBin = bins.count }
    follow()
  }

  /// Searches for a repetition, first in the short window and then in the long one. Returns whether
  /// it is regular enough to continue a walk.
  private mutating func analyse() -> Bool {
    fill(Self.windows.short)
    var turn = turn(Self.regularity)
    var isKept = turn != nil || self.turn(Self.keptRegularity) != nil
    if turn == nil, bins.count >= Self.windows.long {
      fill(Self.windows.long)
      turn = self.turn(Self.regularity)
      isKept = isKept || turn != nil || self.turn(Self.keptRegularity) != nil
    }
    let isRegular = turn.map { isRestless(turn: $0.lag) } ?? false
    regularLooks = isRegular ? regularLooks + 1 : 0
    return isKept
  }

  private mutating func fill(_ window: Int) {
    let first = bins.count - window
    repetition.fill(window, unless: Self.quiet) { bins.value(first + $0) }
  }

  private func turn(_ least: Double) -> Repetition.Turn? {
    repetition.turn(within: Self.turns, least: least)
  }

  /// Whether the last steps or strides contained no more rest than is usual in a gait. Jolts may
  /// occur at equal intervals by chance, but there is rest between them.
  private func isRestless(turn lag: Double) -> Bool {
    let least = swing(from: bins.count - Self.windows.short)
    let turns = max(2, (Self.restlessBins / lag).rounded(.down))
    let span = Int(turns * lag)
    var resting = 0
    for bin in bins.count - span..<bins.count where bins.swing(bin) < least { resting += 1 }
    let stance = Self.stance - Double(MotionBins.swingSpan) / lag
    return Double(resting) <= max(Self.leastRest, stance) * Double(span)
  }

  // MARK: Walks

  /// Begins a walk where its movement started. The search for the start goes backwards from the
  /// middle of the last search window.
  private mutating func beginWalk() {
    let middle = bins.count - Self.windows.short / 2
    // The middle of the search window must not belong to a previous walk.
    guard middle >= firstFreeBin else { return }
    walkSwing = swing(from: bins.count - Self.windows.short)
    var bin = middle
    var first = middle
    // One slot of the ring buffer is reserved for the next bin.
    let oldest = max(firstFreeBin, bins.count - MotionBins.kept + 1)
    while bin >= oldest, first - bin <= Self.longestPause.before {
      if bins.swing(bin) >= Self.leastSwing.absolute { first = bin }
      bin -= 1
    }
    (lastMovingBin, nextBin, lastRegularBin) = (middle, middle, bins.count)
    walk = Walk(
      first: place(of: max(firstFreeBin, first - Self.lead)), last: place(of: middle))
  }

  private func swing(from first: Int) -> Double {
    var sum = 0.0
    for bin in first..<bins.count { sum += bins.swing(bin) }
    let mean = sum / Double(bins.count - first)
    return max(Self.leastSwing.absolute, Self.leastSwing.part * mean)
  }

  /// Extends the walk to the newest bin, or ends it where the movement stopped.
  private mutating func follow() {
    while nextBin < bins.count {
      if bins.swing(nextBin) >= walkSwing {
        lastMovingBin = nextBin
      } else if nextBin - lastMovingBin > Self.longestPause.within {
        endWalk()
        return
      }
      nextBin += 1
    }
    let last = place(of: lastMovingBin)
    walk?.last = last
    guard bins.count - lastRegularBin > Self.longestDoubt else { return }
    lastMovingBin = min(lastMovingBin, lastRegularBin)
    endWalk()
  }

  private mutating func endWalk() {
    guard var ended = walk else { return }
    ended.last = place(of: lastMovingBin)
    formerWalk = ended
    walk = nil
    regularLooks = 0
    firstFreeBin = lastMovingBin + 1
  }

  /// Returns the bin that contains a position after the last gap.
  func bin(of place: Int) -> Int { Int(Double(place - runStart) * binsPerSample) }

  private func place(of bin: Int) -> Int {
    runStart + Int((Double(bin) / binsPerSample).rounded(.up))
  }
}
