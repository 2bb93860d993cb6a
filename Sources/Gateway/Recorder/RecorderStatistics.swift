internal import Recording
internal import Values

/// The statistics of the session that is being recorded, from readings as they come.
struct RecorderStatistics {
  private var meter: StatisticsMeter
  /// The number of each recorder stream in the meter; `nil` for streams that the meter ignores.
  private var numbers: [Int?] = []
  private var descriptions: [StreamDescription] = []
  /// The statistics of the part before a cut, after which the session was continued; `nil` while
  /// they are not known.
  private var former: SessionStatistics?
  private var hasFormer = false

  init(start: BootTime) {
    meter = StatisticsMeter(start: start)
  }

  /// The recorder's next stream.
  mutating func add(_ stream: StreamDescription, of board: BoardAddress, placement: String) {
    descriptions.append(stream)
    numbers.append(meter.add(stream, of: board, placement: placement))
  }

  /// The next sample of the recorder's stream at this place.
  @inline(__always)
  mutating func add(_ reading: Reading, stream place: Int) {
    guard let number = numbers[place] else { return }
    let description = descriptions[place]
    let values = SIMD3(
      description.value(of: reading.x), description.value(of: reading.y),
      description.value(of: reading.z))
    meter.take(values, counter: reading.counter, at: reading.arrival, stream: number)
  }

  /// Samples of the recorder's stream at this place are missing because of a pause.
  mutating func interrupt(stream place: Int) {
    if let number = numbers[place] { meter.interrupt(stream: number) }
  }

  mutating func add(_ fix: Fix) { meter.take(fix) }

  /// The session had a part before a cut, of which the statistics follow.
  mutating func expectFormer() { hasFormer = true }

  mutating func add(former: SessionStatistics) { self.former = former }

  /// Whether a part before a cut is missing.
  var isWhole: Bool { !hasFormer || former != nil }

  func statistics(until end: BootTime) -> SessionStatistics {
    let statistics = meter.statistics(until: end)
    return former.map { statistics.after($0) } ?? statistics
  }
}
