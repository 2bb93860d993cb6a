internal import Recording
internal import Values

/// The places of a stream's chunks, for telling how many samples are missing in those that a repair
/// could not save.
///
/// The numbers of a stream's samples go on across chunks that are not there, and count lost samples
/// too. So between two chunks nothing is guessed. Before the first and after the last, time tells.
struct StreamPlaces {
  /// What is known of a place.
  enum Content {
    /// A chunk with samples.
    case samples(Extent)
    /// No samples, but so many that are counted already, up to a time where one is known.
    case counted(UInt64, until: BootTime?)
  }

  /// Where a chunk begins and ends.
  struct Extent {
    var firstNumber: UInt32
    var lastNumber: UInt32
    /// Samples that it counts as lost between the chunk before it and its first sample.
    var lostBefore: UInt64
    var first: BootTime
    /// Up to when it says which samples were there and which were lost.
    var end: BootTime
    /// Nanoseconds from one sample to the next.
    var period: Double
  }

  /// Chunks without a place between two that have one, and how many samples they had with those
  /// that they counted as lost.
  struct Hole: Equatable {
    var sequences: ClosedRange<UInt32>
    var samples: UInt64
    /// About when they began.
    var start: BootTime

    /// How many of the samples each chunk has, as nobody knows it any more.
    func share(of sequence: UInt32) -> UInt64 {
      let count = UInt64(sequences.count)
      let place = UInt64(sequence - sequences.lowerBound)
      return samples / count + (place < samples % count ? 1 : 0)
    }
  }

  /// When the stream can have begun, and when it ended.
  let span: (start: BootTime, end: BootTime)
  /// Nanoseconds from one sample to the next, as it was asked for.
  let period: Double
  /// Whether every chunk after the last known one is among `told`.
  let isEndTold: Bool
  /// Places of chunks of which nothing else is known.
  var told: Set<UInt32> = []
  /// What is known of the others.
  var contents: [UInt32: Content] = [:]

  init(span: (start: BootTime, end: BootTime), period: Double, isEndTold: Bool) {
    self.span = span
    self.period = period
    self.isEndTold = isEndTold
  }

  /// What is missing, in order.
  var holes: [Hole] {
    var holes: [Hole] = []
    var before: Extent?
    // Behind `before`.
    var open: [ClosedRange<UInt32>] = []
    var counted: UInt64 = 0
    var covered = span.start
    func close(_ samples: UInt64) {
      let places = open.reduce(0) { $0 + UInt64($1.count) }
      var left = samples
      for (number, range) in open.enumerated() {
        let isLast = number == open.count - 1
        let part = isLast ? left : samples / places * UInt64(range.count)
        left -= part
        holes.append(Hole(sequences: range, samples: part, start: covered))
      }
      open = []
      counted = 0
    }
    var next: UInt32 = 0
    let told = told.filter { contents[$0] == nil }
    for sequence in contents.keys.sorted() {
      if sequence > next { open.append(next...sequence - 1) }
      next = sequence + 1
      switch contents[sequence] {
      case .counted(let samples, let end):
        if let end, end > covered, open.isEmpty {
          covered = end
        } else {
          counted = counted.addingSaturated(samples)
        }
      case .samples(let extent):
        if !open.isEmpty {
          let all = numbers(between: before, and: extent, open)
          close(all - min(all, counted.addingSaturated(extent.lostBefore)))
        }
        before = extent
        counted = 0
        covered = extent.end
      case nil: break
      }
    }
    if let last = told.max(), last >= next { open.append(next...last) }
    next = max(next, open.last.map { $0.upperBound + 1 } ?? 0)
    guard !open.isEmpty || !isEndTold else { return holes }
    let all = samples(from: covered, to: span.end, period: before?.period ?? period)
    let missing = all - min(all, counted)
    if open.isEmpty, missing > 0 {
      let chunks = (missing - 1) / UInt64(Chunk.capacity) + 1
      let last = UInt64(next) + chunks - 1
      open = [next...UInt32(clamping: last)]
    }
    close(missing)
    return holes
  }

  /// The numbers between two chunks, or before the first.
  private func numbers(
    between before: Extent?, and next: Extent, _ open: [ClosedRange<UInt32>]
  ) -> UInt64 {
    if let before {
      let steps = Int32(bitPattern: next.firstNumber &- before.lastNumber &- 1)
      if steps >= 0 { return UInt64(steps) }
      return samples(from: before.end, to: next.first, period: next.period)
    }
    // Most boards begin to count with the session; of one that did before, the number says nothing.
    let elapsed = samples(from: span.start, to: next.first, period: next.period)
    let most = UInt64(Chunk.capacity) * open.reduce(0) { $0 + UInt64($1.count) }
    let number = UInt64(next.firstNumber)
    return number <= max(elapsed + 1, most) ? number : min(elapsed, most)
  }

  private func samples(from start: BootTime, to end: BootTime, period: Double) -> UInt64 {
    guard period > 0, end > start else { return 0 }
    let count = end.seconds(since: start) * 1e9 / period
    return count < 1e15 ? UInt64(count) : 0
  }
}

extension StreamPlaces.Content {
  /// What a chunk says of its place.
  init(_ chunk: Chunk) {
    guard let first = chunk.counters.first, let last = chunk.counters.last,
      let arrival = chunk.arrivals.last
    else {
      self = .counted(chunk.lostCount, until: chunk.gaps.map(\.end).max())
      return
    }
    // A recording that ended without a board counts that in its last chunk.
    let absence = chunk.gaps.filter { $0.start >= arrival }.map(\.end).max()
    let end = chunk.time(at: chunk.count - 1)
    self = .samples(
      StreamPlaces.Extent(
        firstNumber: first, lastNumber: last, lostBefore: chunk.lostBeforeFirst,
        first: chunk.clock.first, end: max(end, absence ?? end), period: chunk.clock.period))
  }
}
