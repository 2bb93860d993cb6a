/// Counts steps by the rhythm of an accelerometer.
///
/// The acceleration beyond gravity repeats with every stride, whatever the shape of the strike. So
/// the counter searches for the length of that repetition (the autocorrelation of five seconds).
/// Steps are time divided by it. Gestures, bumps and rides do not repeat, and add nothing.
struct WalkingRhythm: Sendable {
  /// Seconds of a bin: 25 bins a second resolve the fastest steps.
  private static let bin = 0.04
  /// Bins that are analysed together, at least two of the longest strides.
  private static let windowBins = 128
  /// Bins from one analysis to the next.
  private static let hopBins = 25
  /// Bins of the mean that smooths the ringing of a strike.
  private static let smoothing = 4
  /// Mean acceleration beyond gravity, in g, below which the wearer does not walk.
  private static let quiet = 0.03
  /// The most that counts of a strike, in g: how much of it a slow stream catches is chance.
  private static let strike = 1.0
  /// Seconds without samples after which the search for the rhythm starts again.
  private static let longestPause = 0.5

  private let wear: Wear
  private let secondsPerSample: Double
  /// The newest last; at most `windowBins` bins.
  private var bins: [Double] = []
  private var sum = 0.0
  private var count = 0.0
  /// Index of the open bin since the beginning of this run of samples.
  private var openBin = 0
  private var origin: UInt32?
  private var latest: UInt32 = 0
  /// Bins at the end of `bins` for which walking is not decided yet.
  private var undecided = 0
  private var sinceLook = 0
  private var settled = 0.0
  /// Seconds of one turn in the last analysis; `nil` at rest.
  private var period: Double?

  /// A counter for a stream of `rate` samples a second.
  init(_ wear: Wear, rate: Double) {
    self.wear = wear
    secondsPerSample = 1 / rate
  }

  /// Steps so far.
  var steps: Double {
    settled + (period.map { Double(undecided) * Self.bin * wear.stepsPerCycle / $0 } ?? 0)
  }

  /// Steps a minute at present; `nil` at rest.
  var cadence: Double? { period.map { 60 * wear.stepsPerCycle / $0 } }

  /// The next sample: its number on the board, and its length in g.
  mutating func add(magnitude: Double, counter: UInt32) {
    let step = Int32(bitPattern: counter &- latest)
    let isPause = Double(step) * secondsPerSample > Self.longestPause
    if origin == nil || step < 0 || isPause { begin(at: counter) }
    latest = counter
    let place = Double(counter &- (origin ?? counter)) * secondsPerSample / Self.bin
    let bin = Int(place)
    while openBin < bin { closeBin() }
    sum += min(abs(magnitude - 1), Self.strike)
    count += 1
  }

  private mutating func begin(at counter: UInt32) {
    settled = steps
    origin = counter
    (sum, count, openBin, undecided, sinceLook) = (0, 0, 0, 0, 0)
    period = nil
    bins.removeAll(keepingCapacity: true)
  }

  private mutating func closeBin() {
    // A slow stream leaves bins without a sample.
    bins.append(count > 0 ? sum / count : bins.last ?? 0)
    if bins.count > Self.windowBins { bins.removeFirst() }
    (sum, count) = (0, 0)
    openBin += 1
    undecided = min(undecided + 1, bins.count)
    sinceLook += 1
    if bins.count == Self.windowBins, sinceLook >= Self.hopBins {
      sinceLook = 0
      look()
    }
  }

  /// Decides about all bins but the newest half, which are analysed again with the bins that
  /// follow.
  private mutating func look() {
    let mean = bins.reduce(0, +) / Double(bins.count)
    period = mean < Self.quiet ? nil : turn()
    let decided = max(0, undecided - Self.windowBins / 2)
    if let period {
      let first = bins.count - undecided
      for start in stride(from: first, to: first + decided, by: Self.hopBins) {
        let hop = bins[start..<min(start + Self.hopBins, first + decided)]
        // The wearer may start or stop walking within the window.
        guard hop.reduce(0, +) / Double(hop.count) >= mean / 3 else { continue }
        settled += Double(hop.count) * Self.bin * wear.stepsPerCycle / period
      }
    }
    undecided -= decided
  }

  /// The period of the window's repetition in seconds; `nil` without a repetition.
  private func turn() -> Double? {
    // Bins from one turn to the next.
    let lags = wear.cycleSeconds.lowerBound / Self.bin...wear.cycleSeconds.upperBound / Self.bin
    return Repetition(smoothed()).turn(within: lags, before: period.map { $0 / Self.bin })
      .map { $0 * Self.bin }
  }

  /// Means of neighbouring bins.
  private func smoothed() -> [Double] {
    (0...bins.count - Self.smoothing).map { first in
      bins[first..<first + Self.smoothing].reduce(0, +) / Double(Self.smoothing)
    }
  }
}
