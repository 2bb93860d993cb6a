/// Divides the samples of a three-axis sensor into windows of two seconds, and finds the windows in
/// which the sensor did not move.
public struct StillWindows: Sendable {
  /// A window that contains no gap.
  public struct Window: Hashable, Sendable {
    /// Start of the window in nanoseconds on the boot clock; `end` has the same unit.
    public var start: Int64
    public var end: Int64
    public var mean: SIMD3<Double>
    /// The largest standard deviation of an axis.
    public var deviation: Double
    public var isStill: Bool
  }

  /// Length of a window in nanoseconds.
  public static let length: Int64 = 2_000_000_000
  /// The largest standard deviation, in g, of any axis of an accelerometer at rest. From van Hees
  /// et al., Journal of Applied Physiology 117 (2014), who use it with windows of 10 s.
  public static let accelerationLimit = 0.013
  /// The same limit for a gyroscope, in degrees per second: several times the noise of the
  /// supported sensors.
  public static let rotationLimit = 0.5
  /// The lowest rate, in samples per second, at which stillness can be determined.
  public static let lowestRate = 5.0

  private let limit: Double
  /// Maximum nanoseconds between two samples that are not separated by a gap.
  private let longestStep: Int64
  private let leastCount: Int
  private var start: Int64?
  private var last: Int64 = 0
  private var count = 0
  /// The first sample of the window. The sums are relative to it, which avoids the cancellation of
  /// large sums of squares.
  private var origin = SIMD3<Double>.zero
  private var sum = SIMD3<Double>.zero
  private var squares = SIMD3<Double>.zero

  /// Fails if `rate`, in samples per second, is below `lowestRate`. `limit` is the largest standard
  /// deviation of an axis in a window without movement.
  public init?(rate: Double, limit: Double) {
    guard rate.isFinite, rate >= Self.lowestRate else { return nil }
    self.limit = limit
    longestStep = Int64(3e9 / rate)
    leastCount = Int(0.8 * rate * Double(Self.length) / 1e9)
  }

  /// `time` is in nanoseconds on the boot clock. Returns the window that ends before this sample,
  /// if any.
  public mutating func add(_ value: SIMD3<Double>, at time: Int64) -> Window? {
    guard let start, time >= last, time - last <= longestStep else {
      begin(value, at: time)
      return nil
    }
    if time - start >= Self.length {
      let window = finished(from: start, to: time)
      begin(value, at: time)
      return window
    }
    last = time
    count += 1
    let difference = value - origin
    sum += difference
    squares += difference * difference
    return nil
  }

  private mutating func begin(_ value: SIMD3<Double>, at time: Int64) {
    (start, last, count) = (time, time, 1)
    origin = value
    (sum, squares) = (.zero, .zero)
  }

  private func finished(from start: Int64, to end: Int64) -> Window? {
    guard count >= max(2, leastCount) else { return nil }
    let mean = sum / Double(count)
    let variance = squares / Double(count) - mean * mean
    let deviation = max(variance.max(), 0).squareRoot()
    return Window(
      start: start, end: end, mean: origin + mean, deviation: deviation,
      isStill: deviation <= limit)
  }
}

/// Adds up the periods without movement that are too long for anyone to have been wearing the
/// board.
public struct NotWornMeter: Sendable {
  /// Seconds without movement after which a board is considered not worn. Van Hees et al., PLoS ONE
  /// 6 (2011), use blocks of 30 minutes.
  public static let leastSeconds = 1_800.0

  /// Seconds in windows without a gap.
  public private(set) var observedSeconds = 0.0
  private var finishedSeconds = 0.0
  private var run: (start: Int64, end: Int64)?

  public init() {}

  /// Adds the next window of the board's accelerometer.
  public mutating func add(_ window: StillWindows.Window) {
    observedSeconds += Double(window.end - window.start) / 1e9
    // It is unknown whether the board moved during a gap, so a gap ends the run.
    if let run, window.start - run.end > StillWindows.length || !window.isStill { endRun() }
    guard window.isStill else { return }
    run = (run?.start ?? window.start, window.end)
  }

  private mutating func endRun() {
    finishedSeconds += runSeconds
    run = nil
  }

  /// Seconds of the current run if it is long enough, otherwise 0.
  private var runSeconds: Double {
    let seconds = run.map { Double($0.end - $0.start) / 1e9 } ?? 0
    return seconds >= Self.leastSeconds ? seconds : 0
  }

  /// Seconds during which nobody wore the board; `nil` if the recording is too short to determine
  /// this.
  public var seconds: Double? {
    observedSeconds >= Self.leastSeconds ? finishedSeconds + runSeconds : nil
  }
}

/// Measures a gyroscope's bias in windows without movement.
public struct GyroscopeBiasMeter: Sendable {
  /// Degrees per second above which a constant rotation is considered a movement, not a bias.
  private static let largestBias = 10.0

  /// Number of windows without movement that contribute to the bias.
  public private(set) var windows = 0
  private var sum = SIMD3<Double>.zero

  public init() {}

  public mutating func add(_ window: StillWindows.Window) {
    guard window.isStill, abs(window.mean.x) < Self.largestBias,
      abs(window.mean.y) < Self.largestBias, abs(window.mean.z) < Self.largestBias
    else { return }
    windows += 1
    sum += window.mean
  }

  /// The bias of each axis in degrees per second; `nil` if no window contributes.
  public var bias: SIMD3<Double>? { windows > 0 ? sum / Double(windows) : nil }
}
