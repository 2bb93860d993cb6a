public import Recording
internal import Values

/// One performance of a task, with the data that was recorded during it.
public struct TaskFigures: Sendable {
  public let turn: TaskTurn
  /// Distance, climb and steps during the performance.
  public internal(set) var statistics = SessionStatistics()
  /// The number of samples in all streams.
  public internal(set) var samples = 0
  /// The number of samples lost during the performance. If a gap is only partly within the
  /// performance, a proportional share of its samples is counted.
  public internal(set) var lost: UInt64 = 0
}

/// Computes the figures of each performance of a task from the chunks and fixes of its session.
struct TaskMeters {
  private struct Meter {
    var figures: TaskFigures
    let span: Range<BootTime>
    var statistics: StatisticsMeter
    /// The meter's number for each stream, or `nil` for a stream that does not contribute to the
    /// statistics.
    var streams: [Int?] = []
  }

  private var meters: [Meter]
  private let skipped: [TaskTurn]

  /// Prepares the meters. A task that is still running is measured up to `end`.
  init(_ turns: [TaskTurn], until end: BootTime) {
    meters = turns.filter { $0.outcome != .skipped }.map { turn in
      let last = max(turn.begin, turn.end ?? end)
      return Meter(
        figures: TaskFigures(turn: turn), span: turn.begin..<last,
        statistics: StatisticsMeter(start: turn.begin))
    }
    skipped = turns.filter { $0.outcome == .skipped }
  }

  /// Whether no task was performed, so there is nothing to measure.
  var isEmpty: Bool { meters.isEmpty }

  /// Returns whether a chunk with samples in this span could contribute to the figures.
  func need(from first: BootTime, to last: BootTime) -> Bool {
    meters.contains { $0.span.lowerBound <= last && $0.span.upperBound >= first }
  }

  /// Registers the next stream.
  mutating func add(_ description: StreamDescription, of board: BoardAddress) {
    for index in meters.indices {
      meters[index].streams.append(meters[index].statistics.add(description, of: board))
    }
  }

  /// Adds a stream's next chunk. Streams are numbered in the order of registration, from 0.
  mutating func take(_ chunk: Chunk, stream: Int) {
    for index in meters.indices {
      let span = meters[index].span
      let number = meters[index].streams[stream]
      meters[index].figures.samples += (0..<chunk.count).count { span.contains(chunk.time(at: $0)) }
      if let number { meters[index].statistics.take(chunk, stream: number, within: span) }
      for gap in chunk.gaps {
        meters[index].figures.lost = meters[index].figures.lost.addingSaturated(gap.lost(in: span))
      }
    }
  }

  mutating func take(_ fix: Fix) {
    for index in meters.indices where meters[index].span.contains(fix.arrival) {
      meters[index].statistics.take(fix)
    }
  }

  /// The figures of all performances in chronological order, including skipped tasks.
  var figures: [TaskFigures] {
    let measured = meters.map { meter in
      var figures = meter.figures
      figures.statistics = meter.statistics.statistics(until: meter.span.upperBound)
      return figures
    }
    return (measured + skipped.map { TaskFigures(turn: $0) }).sorted {
      $0.turn.begin < $1.turn.begin
    }
  }
}

extension Gap {
  /// Returns the number of samples lost within a span, assuming that losses are spread evenly over
  /// the gap.
  fileprivate func lost(in span: Range<BootTime>) -> UInt64 {
    let length = end.seconds(since: start)
    let common = min(end, span.upperBound).seconds(since: max(start, span.lowerBound))
    guard common > 0, length > 0 else {
      return length <= 0 && span.contains(start) ? lost : 0
    }
    return UInt64((Double(lost) * min(1, common / length)).rounded())
  }
}
