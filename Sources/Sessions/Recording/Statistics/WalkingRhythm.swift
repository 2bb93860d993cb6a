internal import Glibc

/// Counts steps from the rhythm of an accelerometer's signal, wherever the board is worn.
///
/// `WalkingDetector` determines when the wearer is walking, and each of its searches finds the
/// length of one turn, which is a step or a stride. Three questions remain. The signal answers
/// them, so the placement of the board need not be known:
///
/// - *Is a turn a step or a stride?* See `evidence`. Each search during a walk adds evidence, so a
///   single unusual bend does not double the number of steps.
/// - *Is it a gait?* Lifting a barbell is also repetitive. See `isGait`.
/// - *How many steps or strides are there?* The counter follows the signal from each step or stride
///   to the next similar one, backwards to the first and forwards to the last. Taking the board out
///   of a pocket just before a walk is movement, but not a step.
struct WalkingRhythm: Sendable {
  /// Minimum regularity of a turn, which is a step or a stride: of any turn, and of a turn similar
  /// to a recent one.
  private static let regularity = (least: 0.45, kept: 0.2)
  /// Duration in seconds of a turn that is equally likely to be a step and a stride. As a step, it
  /// corresponds to 78 steps per minute; as a stride, it corresponds to 156. Both differ from the
  /// usual 110 by the same factor.
  private static let ambiguousTurn = 0.77
  /// Weight of a turn's length as evidence for a step or a stride. It is the evidence from a turn
  /// *e* (about 2.7) times as long as `ambiguousTurn`. With this weight, normal sway overrules the
  /// length for walks of 50 to 110 steps per minute.
  private static let lengthWeight = 0.5
  /// Increase in the similarity of the horizontal movement, from one turn to two, that could be due
  /// to chance.
  private static let chance = 0.1
  /// Fraction by which the step length may differ between two searches during the same gait.
  private static let likeness = 0.2
  /// Evidence required for a step length before the steps counted with it are final. Two or three
  /// searches during an ordinary walk provide it.
  private static let certainty = 1.5
  /// The lag in bins within which a gait changes the acceleration, and the maximum similarity of
  /// the acceleration to itself at that lag. An eighth of a second is half the swing of a fast leg.
  /// Strides and foot strikes change the acceleration more, and slow lifting changes it less.
  private static let change = (bins: 3, similarity: 0.6)
  /// Seconds per step above which a movement counts as a gait only if the second step of a stride
  /// resembles the first. Almost everyone walks faster.
  private static let slowStep = 0.75
  /// Thresholds for `trust`: the value at which counting begins, and the maximum.
  private static let trust = (begins: 2, most: 3)
  /// Minimum standard deviation of the values in a step or stride, as a fraction of the standard
  /// deviation in the whole search window.
  private static let leastDeviation = 0.3

  private var detector: WalkingDetector
  private var sway = Sway(capacity: MotionBins.keptAxes)
  private var looks = 0
  /// Length in bins of the last step or stride found in the current walk; `nil` before the first
  /// one.
  private var turn: Double?
  /// Seconds per step, as last determined; `nil` while the wearer is at rest.
  private var step: Double?
  /// The evidence that `step` is the true length of a step, at least 0.
  private var support = 0.0
  /// Number of recent searches that found a gait, minus the number that found some other movement.
  private var trust = 0
  private var isCounting = false
  private var runStart = 0
  /// The bin count when a search first found the current gait.
  private var rhythmic = 0
  /// The first bin that may belong to a new walk.
  private var free = 0
  /// The position in bins up to which steps have been counted. Valid only while counting.
  private var next = 0.0
  /// Whether the step or stride that begins at `next` is similar to the previous one.
  private var isSimilar = false
  /// Numbers of counted steps: final steps, steps whose number changes if the step length is
  /// corrected, and incomplete steps.
  private var counted = (final: 0.0, open: 0.0, begun: 0.0)

  /// `rate` is in samples per second.
  init(rate: Double) { detector = WalkingDetector(rate: rate) }

  var steps: Double { counted.final + counted.open + counted.begun }

  /// Current cadence in steps per minute; `nil` while the wearer is at rest.
  var cadence: Double? { isCounting ? step.map { 60 / $0 } : nil }

  /// Adds the next sample: the acceleration in g, and the sample number assigned by the board.
  mutating func add(_ acceleration: SIMD3<Double>, counter: UInt32) {
    detector.add(acceleration, counter: counter)
    if detector.runStart != runStart {
      endWalk(at: 0)
      runStart = detector.runStart
    }
    if let walk = detector.walk {
      guard detector.looks != looks else { return }
      looks = detector.looks
      look(until: detector.bin(of: walk.last))
    } else if turn != nil, let walk = detector.formerWalk {
      let last = detector.bin(of: walk.last)
      if isCounting {
        follow(until: last)
        counted.begun = 0
      }
      endWalk(at: last)
    }
  }

  private mutating func endWalk(at last: Int) {
    settle()
    counted.final += counted.begun
    counted.begun = 0
    (turn, step, support, trust) = (nil, nil, 0, 0)
    (isCounting, isSimilar, free) = (false, false, last)
  }

  /// Makes the open steps final, so that a corrected step length no longer changes their number.
  private mutating func settle() {
    counted.final += counted.open
    counted.open = 0
  }

  private mutating func look(until last: Int) {
    if let found = search() { judge(found) }
    if isCounting, trust <= 0 {
      (isCounting, isSimilar, free, counted.begun) = (false, false, Int(next), 0)
    } else if !isCounting, trust >= Self.trust.begins {
      isCounting = true
      next = firstTurn()
    }
    if isCounting { follow(until: last) }
  }

  /// Returns the length in bins of the step or stride that the last search found; `nil` if nothing
  /// repeats.
  private func search() -> Double? {
    let repetition = detector.repetition
    let found =
      repetition.turn(within: WalkingDetector.turns, least: Self.regularity.least)
      ?? turn.flatMap {
        repetition.turn(like: $0, within: WalkingDetector.turns, least: Self.regularity.kept)
      }
    return found?.lag
  }

  // MARK: Steps or strides

  /// Determines the step length, after a search has found a step or stride of this many bins.
  private mutating func judge(_ found: Double) {
    turn = found
    sway.fill(detector.repetition.count, from: detector.bins, turn: found)
    let evidence = evidence(turn: found)
    let (whole, half) = (found * MotionBins.seconds, found * MotionBins.seconds / 2)
    if let step, abs(whole / step - 1) < Self.likeness {
      accept(whole, or: half, evidence)
    } else if let step, abs(half / step - 1) < Self.likeness {
      accept(half, or: whole, -evidence)
    } else {
      // No step length is known yet, or the gait has changed.
      settle()
      step = evidence > 0 ? whole : half
      support = abs(evidence)
    }
    if trust <= 0 { rhythmic = detector.bins.count }
    trust = max(-Self.trust.most, min(Self.trust.most, trust + (isGait ? 1 : -1)))
  }

  /// Adds evidence that a step takes `present` seconds rather than `other` seconds. If `other` is
  /// now more likely, corrects the number of open steps.
  private mutating func accept(_ present: Double, or other: Double, _ evidence: Double) {
    support += evidence
    step = present
    if support < 0 {
      counted.open *= present / other
      step = other
      support = -support
    }
    guard support >= Self.certainty else { return }
    support = Self.certainty
    settle()
  }

  /// Returns positive evidence if a turn, one repetition of the movement, is a step. Returns
  /// negative evidence if it is a stride:
  ///
  /// - The horizontal movement repeats after a stride, but not after a step (`Sway`).
  /// - If one half of a repetition already resembles the other half, the repetition consists of two
  ///   steps.
  /// - A short repetition is more likely a walker's step than a runner's stride. A long one is more
  ///   likely a walker's stride than a very slow walker's step.
  private func evidence(turn found: Double) -> Double {
    let length = log(found * MotionBins.seconds / Self.ambiguousTurn)
    return sway.alternation(turn: found) - Self.chance - Self.lengthWeight * length
      - max(0, detector.repetition.similarity(at: found / 2))
  }

  /// Whether the board's movement in the last search window was a gait.
  ///
  /// A swinging leg or arm moves more horizontally than vertically. A weight is lifted vertically,
  /// and slowly. Elsewhere on the body, a gait must therefore change the acceleration quickly. If
  /// its steps are slow, the second step must resemble the first one.
  private var isGait: Bool {
    if sway.variance.horizontal > sway.variance.vertical { return true }
    guard let step, let changed = detector.repetition.similarity(exactlyAt: Self.change.bins),
      changed < Self.change.similarity
    else { return false }
    return step < Self.slowStep
      || detector.repetition.similarity(at: step / MotionBins.seconds) > Self.regularity.kept
  }

  // MARK: Turns

  /// Returns the beginning of the walk. From the window in which the rhythm was first found, the
  /// search goes backwards while each step or stride is similar to the next.
  private func firstTurn() -> Double {
    let oldest = max(free, detector.bins.count - MotionBins.kept + 1)
    var place = Double(max(oldest, rhythmic - WalkingDetector.binsToBegin))
    while let distance = similarTurn(to: place, -1, from: oldest, least: Self.regularity.least) {
      place -= distance
    }
    return place
  }

  /// Counts the steps that begin before this bin.
  private mutating func follow(until last: Int) {
    guard let turn, let step else { return }
    let steps = turn * MotionBins.seconds / step
    let oldest = max(0, detector.bins.count - MotionBins.kept + 1)
    next = max(next, Double(oldest))
    let newest = Double(detector.bins.count) - turn
    while next < Double(last), next + Self.distances(turn).upperBound < newest - 1 {
      if let distance = similarTurn(to: next, 1, from: oldest, least: Self.regularity.kept) {
        counted.open += steps
        next += distance
        isSimilar = true
      } else if isSimilar {
        // No similar step or stride follows the last one before a pause or a bend.
        counted.open += steps
        next += turn
        isSimilar = false
      } else {
        next += turn / 4
      }
    }
    let isContinuing =
      isSimilar && next < Double(last)
      && similarTurn(to: newest - 1, -1, from: oldest, least: Self.regularity.kept) != nil
    counted.begun = isContinuing ? steps * (Double(last) - next) / turn : 0
  }

  /// The possible distances in bins from one step or stride to the next. The range is wider than in
  /// a steady walk.
  private static func distances(_ turn: Double) -> ClosedRange<Double> {
    0.75 * turn...1.35 * turn
  }

  /// Returns the distance in bins from the step or stride at this position to the most similar one
  /// after (`sign` 1) or before it (−1). Returns `nil` if none is similar.
  private func similarTurn(
    to place: Double, _ sign: Int, from oldest: Int, least: Double
  ) -> Double? {
    guard let turn else { return nil }
    let (first, length) = (Int(place.rounded()), Int(turn.rounded()))
    let deviation = Self.leastDeviation * detector.repetition.deviation
    func similarity(_ distance: Int) -> Double {
      let other = first + sign * distance
      guard other >= oldest, other + length <= detector.bins.count else { return 0 }
      return detector.bins.similarity(
        of: first, and: other, count: length, variance: deviation * deviation)
    }
    let distances = Self.distances(turn)
    var (best, place) = (least, 0)
    for distance in Int(distances.lowerBound)...Int(distances.upperBound) {
      let similarity = similarity(distance)
      if similarity > best { (best, place) = (similarity, distance) }
    }
    guard place > 0 else { return nil }
    // The vertex of a parabola. Distances in whole bins would be off by up to 2 % of a step or
    // stride.
    let (left, right) = (similarity(place - 1), similarity(place + 1))
    let bend = left - 2 * best + right
    guard left < best, right < best, bend < 0 else { return Double(place) }
    return Double(place) + (left - right) / (2 * bend)
  }
}
