internal import Recording
internal import Statistics
internal import Values

/// The statistics of the session that is being recorded, from readings as they come.
struct RecorderStatistics {
  private var meter: StatisticsMeter
  /// The number of each recorder stream in the meter; `nil` for streams that the meter ignores.
  private var numbers: [Int?] = []
  private var descriptions: [StreamDescription] = []

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
  mutating func take(_ reading: Reading, stream place: Int) {
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

  mutating func take(_ fix: Fix) { meter.take(fix) }

  func statistics(until end: BootTime) -> SessionStatistics { meter.statistics(until: end) }
}
