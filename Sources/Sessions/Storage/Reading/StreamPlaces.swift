internal import Recording
internal import Values

/// The chunks of a stream by position, used to count the samples of chunks that a repair could not
/// save.
///
/// Sample numbers continue across missing chunks, and include lost samples, so the number of
/// samples between two chunks is exact. Before the first chunk and after the last one, the number
/// is computed from the elapsed time.
struct StreamPlaces {
  /// The information known about a position in the stream.
  enum Content {
    /// The position contains a chunk with samples.
    case samples(Extent)
    /// The position contains no samples. This number of samples has already been counted as lost,
    /// up to this time if the time is known.
    case counted(UInt64, until: BootTime?)
  }

  /// The sample numbers and the time span that a chunk covers.
  struct Extent {
    var firstNumber: UInt32
    var lastNumber: UInt32
    /// Number of samples lost between the previous chunk and the first sample.
    var lostBefore: UInt64
    var first: BootTime
    /// The time up to which the chunk accounts for all samples, whether present or lost.
    var end: BootTime
    /// Nanoseconds between samples.
    var period: Double
  }

  /// A run of missing chunks, and the number of samples in them, including lost samples.
  struct Hole: Equatable {
    var sequences: ClosedRange<UInt32>
    var samples: UInt64
    /// The approximate time at which the missing chunks began.
    var start: BootTime

    /// Returns the number of samples attributed to one missing chunk: an equal share of this run's
    /// samples, since the true numbers are unknown.
    func share(of sequence: UInt32) -> UInt64 {
      let count = UInt64(sequences.count)
      let place = UInt64(sequence - sequences.lowerBound)
      return samples / count + (place < samples % count ? 1 : 0)
    }
  }

  /// Whether the missing chunks follow all known chunks.
  func isBehindAll(_ hole: Hole) -> Bool {
    contents.keys.allSatisfy { $0 < hole.sequences.lowerBound }
  }

  /// Maximum duration of a recording in seconds. A longer duration shows that a time is damaged.
  static let mostSeconds = 100.0 * 86_400

  /// The earliest possible start of the stream, and its end.
  let span: (start: BootTime, end: BootTime)
  /// Nanoseconds between samples at the configured rate.
  let period: Double
  /// Whether every chunk missing after the last known chunk is listed in `told`.
  let isEndTold: Bool
  /// Positions of missing chunks about which nothing else is known.
  var told: Set<UInt32> = []
  /// The known contents of positions, by sequence number. They take precedence over `told`.
  var contents: [UInt32: Content] = [:]

  init(span: (start: BootTime, end: BootTime), period: Double, isEndTold: Bool) {
    self.span = span
    self.period = period
    self.isEndTold = isEndTold
  }

  /// Whether the times are plausible enough to compute sample counts from them. A damaged row may
  /// contain any time.
  var areTimesPossible: Bool {
    guard period > 0, span.end >= span.start,
      span.end.seconds(since: span.start) <= Self.mostSeconds
    else { return false }
    // Refitting a clock moves a chunk by less than this many seconds.
    let tolerance = 60.0
    return contents.values.allSatisfy { content in
      guard case .samples(let extent) = content else { return true }
      return span.start.seconds(since: extent.first) <= tolerance
        && extent.end.seconds(since: span.end) <= tolerance
    }
  }

  /// The missing chunks, ordered by position in the stream.
  var holes: [Hole] {
    var holes: [Hole] = []
    var before: Extent?
    // The missing positions between `before` and the next known chunk.
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

  /// Returns the number of samples between two chunks, or before the first chunk, based on their
  /// sample numbers.
  private func numbers(
    between before: Extent?, and next: Extent, _ open: [ClosedRange<UInt32>]
  ) -> UInt64 {
    if let before {
      let steps = Int32(bitPattern: next.firstNumber &- before.lastNumber &- 1)
      if steps >= 0 { return UInt64(steps) }
      return samples(from: before.end, to: next.first, period: next.period)
    }
    // Most boards start counting when the session begins. If a board started counting earlier, its
    // numbers do not show how many samples are missing.
    let elapsed = samples(from: span.start, to: next.first, period: next.period)
    let most = UInt64(Chunk.capacity) * open.reduce(0) { $0 + UInt64($1.count) }
    let number = UInt64(next.firstNumber)
    return number <= max(elapsed + 1, most) ? number : min(elapsed, most)
  }

  private func samples(from start: BootTime, to end: BootTime, period: Double) -> UInt64 {
    let seconds = end.seconds(since: start)
    guard period > 0, seconds > 0, seconds <= Self.mostSeconds else { return 0 }
    return UInt64(exactly: (seconds * 1e9 / period).rounded(.down)) ?? 0
  }
}

extension StreamPlaces.Content {
  /// Derives a position's contents from the chunk at that position.
  init(_ chunk: Chunk) {
    guard let first = chunk.counters.first, let last = chunk.counters.last,
      let arrival = chunk.arrivals.last
    else {
      self = .counted(chunk.lostCount, until: chunk.gaps.map(\.end).max())
      return
    }
    // If a recording ended while the board was absent, the last chunk includes the count of missing
    // samples.
    let absence = chunk.gaps.filter { $0.start >= arrival }.map(\.end).max()
    let end = chunk.time(at: chunk.count - 1)
    self = .samples(
      StreamPlaces.Extent(
        firstNumber: first, lastNumber: last, lostBefore: chunk.lostBeforeFirst,
        first: chunk.clock.first, end: max(end, absence ?? end), period: chunk.clock.period))
  }
}
