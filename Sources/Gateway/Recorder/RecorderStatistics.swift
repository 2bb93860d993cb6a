internal import Recording
internal import Values

/// Computes the statistics of the session being recorded and determines how its boards are
/// attached, based on the readings as they arrive.
struct RecorderStatistics {
  private var meter: StatisticsMeter
  private var mountings = MountingWatch()
  /// The number that `meter` uses for each recorder stream, or `nil` for streams that `meter`
  /// ignores.
  private var numbers: [Int?] = []
  private var descriptions: [StreamDescription] = []
  /// In a session that continues after an interruption, the statistics of the part before the
  /// interruption, or `nil` until they are known.
  private var former: SessionStatistics?
  private var hasFormer = false

  init(start: BootTime) {
    meter = StatisticsMeter(start: start)
  }

  /// Adds a board's streams, in the same order as in the recorder.
  mutating func add(_ streams: [StreamDescription], of board: BoardAddress) {
    descriptions += streams
    numbers += streams.map { meter.add($0, of: board) }
    mountings.add(streams, of: board)
  }

  /// Adds the next sample of the recorder stream at this index. Returns an event when a board's
  /// mounting is first determined or has changed.
  @inline(__always)
  mutating func add(_ reading: Reading, stream place: Int) -> SessionEvent? {
    let number = numbers[place]
    guard number != nil || mountings.needs(place) else { return nil }
    let description = descriptions[place]
    let values = SIMD3(
      description.value(of: reading.x), description.value(of: reading.y),
      description.value(of: reading.z))
    if let number {
      meter.take(values, counter: reading.counter, at: reading.arrival, stream: number)
    }
    return mountings.add(
      values, counter: reading.counter, at: reading.arrival, stream: place)
  }

  /// Records that a pause leaves a gap in the recorder stream at this index.
  mutating func interrupt(stream place: Int) {
    if let number = numbers[place] { meter.interrupt(stream: number) }
  }

  mutating func add(_ fix: Fix) { meter.take(fix) }

  /// Records that the session continues an interrupted one, and that the statistics of the part
  /// before the interruption will be added later.
  mutating func expectFormer() { hasFormer = true }

  mutating func add(former: SessionStatistics) { self.former = former }

  /// Whether the statistics cover the whole session, including any part before an interruption.
  var isWhole: Bool { !hasFormer || former != nil }

  func statistics(until end: BootTime) -> SessionStatistics {
    let statistics = meter.statistics(until: end)
    return former.map { statistics.after($0) } ?? statistics
  }
}
