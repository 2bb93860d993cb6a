internal import Recording
internal import Values

/// Detects walks in a tracking system's acceleration while the system's samples are being written.
struct MotionWalks {
  /// The lowest rate at which walks can be detected, in samples per second.
  private static let lowestRate = 12.0

  /// Index of the acceleration stream within the tracking system.
  let stream: Int
  private let board: BoardAddress
  private let period: Double
  private var detector: WalkingDetector
  /// Start of the walk in progress; `nil` if there is none.
  private var start: BootTime?
  /// Time of the latest movement in the walk in progress.
  private var end: BootTime?

  /// Prepares to detect walks; `nil` if the system contains no suitable acceleration.
  init?(_ system: MotionSystem) {
    guard let board = system.board?.address, system.rate >= Self.lowestRate,
      let stream = system.streams.firstIndex(where: {
        $0.signal == "acceleration" && $0.unit == "g" && $0.axisCount == 3
      })
    else { return nil }
    self.stream = stream
    self.board = board
    period = 1 / system.rate
    detector = WalkingDetector(rate: system.rate)
  }

  /// Adds a sample. If a walk ended with this sample, returns the walk.
  mutating func add(
    _ x: Double, _ y: Double, _ z: Double, number: UInt32, at time: BootTime
  ) -> MotionEvents.Event? {
    detector.add(magnitude: (x * x + y * y + z * z).squareRoot(), counter: number)
    guard let walk = detector.walk, let place = detector.place else { return finish() }
    if start == nil { start = time.advanced(bySeconds: Double(walk.first - place) * period) }
    end = time.advanced(bySeconds: Double(walk.last - place) * period)
    return nil
  }

  /// Ends the walk that is in progress, if any, and returns it.
  mutating func finish() -> MotionEvents.Event? {
    guard let start, let end else { return nil }
    (self.start, self.end) = (nil, nil)
    return MotionEvents.Event(
      time: start, duration: max(0, end.seconds(since: start)), type: "walk", board: board)
  }
}
