/// Detects walking with an accelerometer anywhere on the body, sample by sample.
///
/// Jogging counts as walking. A gait repeats: the magnitude of the acceleration is similar to
/// itself one step or one stride later, and again after the next. So the detector searches twice a
/// second for such a turn (`Repetition`), in the last four seconds, or in the last seven for a slow
/// gait. Three searches in succession must find it. Then it follows the movement back to its
/// beginning, and forward until it rests. Gestures and changes of posture do not repeat three
/// times, and bumps have rest between them.
///
/// States: `resting` → `walking` at the third regular search in succession. `walking` → `resting`
/// if the movement pauses for more than 1.2 seconds, if no search was regular for five seconds, or
/// if samples are missing for more than half a second.
///
/// A moment is the place of a sample: its distance from the first sample in sample periods. Places
/// continue when the counter overflows. If the counter goes back, because the board restarted, the
/// length of the gap is unknown, and the next sample has the next place.
///
/// It uses no clock, input or output, and no sample allocates memory:
///
///     var detector = WalkingDetector(rate: 100)
///     for (counter, magnitude) in walk { detector.add(magnitude: magnitude, counter: counter) }
///     let first = detector.walk?.first
public struct WalkingDetector: Sendable {
  /// A stretch of walking.
  public struct Walk: Hashable, Sendable {
    /// The place of a sample before the first step: never after it, and about half a second before
    /// the movement began.
    public var first: Int
    /// The place of the last movement so far.
    public var last: Int
  }

  /// Seconds without samples that end a walk.
  public static let longestGap = 0.5
  /// Seconds within which an ordinary walk is detected.
  public static let usualDelay = 4.5

  /// Bins analysed together: three steps of the trunk, or three strides of a leg from 90 steps a
  /// minute on. The longer window contains three strides of 2.4 seconds.
  private static let windows = (short: 100, long: 180)
  /// Bins from one search to the next.
  private static let hop = 12
  /// The shortest and the longest turn, in bins: a runner's stride, and a slow walker's.
  private static let turns = Wear.leg.cycleSeconds.lowerBound / MotionBins.seconds...60
  /// Minimum regularity at the beginning of a walk: walking is above 0.7, random shaking below 0.3.
  private static let regularity = 0.5
  /// Minimum regularity that continues a walk: uneven ground and bends make single strides differ.
  private static let keptRegularity = 0.3
  /// Deviation in g below which nobody is walking: the slowest walkers reach 0.08 at the trunk, and
  /// limbs reach more.
  private static let quiet = 0.05
  /// Bins before a search, at least two turns, in which a gait rests little.
  private static let restlessBins = 75.0
  /// The part of a stride during which a foot stands, and a board above its ankle may be still. The
  /// swing of a bin spans half a second, so less of it counts as rest.
  private static let stance = 0.6
  /// The part that may always rest: the beginning of a walk is among these bins.
  private static let leastRest = 0.15
  /// Regular searches in succession that begin a walk.
  private static let looksToBegin = 3
  /// Minimum swing of a bin that belongs to a walk: in g, and as a part of the walk's own.
  private static let leastSwing = (absolute: 0.06, part: 0.3)
  /// Bins of a pause within a walk, somewhat more than the slowest step, and of a pause between
  /// hesitant first steps.
  private static let longestPause = (within: 30, before: 40)
  /// Bins without a regular search that end a walk.
  private static let longestDoubt = 125
  /// Bins by which the first step is backdated: the foot leaves the ground half a second before the
  /// first contact, and that movement may be small.
  static let lead = 12

  private let binsPerSample: Double
  private let samplesOfGap: Double
  /// The present walk; `nil` at rest.
  public private(set) var walk: Walk?
  /// The previous walk, once it has ended.
  public private(set) var formerWalk: Walk?
  /// The place of the newest sample; `nil` before the first one.
  public private(set) var place: Int?
  /// The place of the first sample after the last gap.
  public private(set) var runStart = 0
  /// Number of searches so far.
  private(set) var looks = 0
  /// The last search.
  private(set) var repetition = Repetition(capacity: windows.long)

  private var latestCounter: UInt32 = 0
  private var bins = MotionBins()
  private var regularLooks = 0
  private var sinceLook = 0
  /// The first bin after all former walks.
  private var firstFreeBin = 0
  /// The bin of the last movement of the walk, and the first bin that was not judged yet.
  private var lastMovingBin = 0
  private var nextBin = 0
  /// The bin of the last regular search.
  private var lastRegularBin = 0
  /// The swing that belongs to the walk.
  private var walkSwing = 0.0

  /// A detector for a stream of `rate` samples a second, at least 12.
  public init(rate: Double) {
    precondition(rate > 0, "the rate must be above 0")
    binsPerSample = 1 / (rate * MotionBins.seconds)
    samplesOfGap = rate * Self.longestGap
  }

  /// Adds the next sample: the magnitude of the acceleration in g, and its number on the board.
  public mutating func add(magnitude: Double, counter: UInt32) {
    guard let previous = place else {
      place = 0
      latestCounter = counter
      bins.add(magnitude)
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
    bins.add(magnitude)
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

  /// Searches for a turn, first in the short window. Returns whether it is regular enough to
  /// continue a walk.
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

  /// Whether the last turns had no more rest than a gait has. Jolts may come at similar distances
  /// by chance, but there is rest between them.
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

  /// Begins a walk at the beginning of its movement, searched from the middle of the window.
  private mutating func beginWalk() {
    let middle = bins.count - Self.windows.short / 2
    // A new walk must be visible in bins of its own.
    guard middle >= firstFreeBin else { return }
    walkSwing = swing(from: bins.count - Self.windows.short)
    var bin = middle
    var first = middle
    // One slot of the ring belongs to the next bin.
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

  /// Follows the movement to the newest bin, or to its end.
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

  private func place(of bin: Int) -> Int {
    runStart + Int((Double(bin) / binsPerSample).rounded(.up))
  }
}
