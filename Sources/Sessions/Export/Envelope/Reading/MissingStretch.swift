internal import Recording
internal import Values

/// The chunks left out since the last sample, and the resulting gap.
struct MissingStretch {
  /// The last sample before them.
  var last: (counter: UInt32, time: BootTime)?

  private let session: Session
  private var parts: [(sequences: ClosedRange<UInt32>, reason: String)] = []
  /// The number of samples in them according to the store, including lost samples.
  private var samples: UInt64 = 0

  init(_ session: Session) {
    self.session = session
  }

  /// Notes chunks that cannot be used.
  mutating func note(_ sequences: ClosedRange<UInt32>, _ reason: String, samples: UInt64) {
    self.samples = self.samples.addingSaturated(samples)
    if let last = parts.last, last.reason == reason,
      last.sequences.upperBound &+ 1 == sequences.lowerBound
    {
      parts[parts.count - 1].sequences = last.sequences.lowerBound...sequences.upperBound
    } else {
      parts.append((sequences, reason))
    }
  }

  /// The gap of the chunks before another one, or before the end; `nil` if there are none.
  mutating func gap(before next: ChunkPyramid?) -> EnvelopeGap? {
    guard !parts.isEmpty else { return nil }
    defer {
      parts = []
      samples = 0
    }
    // The numbers of the samples continue across missing chunks, and a chunk reports the gap before
    // its first sample itself. Where a neighbour is missing too, the store gives the count.
    var lost = samples > 0 ? samples : nil
    if let last, let next {
      let steps = Int32(bitPattern: next.firstCounter &- last.counter &- 1)
      if steps >= 0 { lost = UInt64(steps) - min(UInt64(steps), next.lostBeforeFirst) }
    }
    return EnvelopeGap(
      from: last.map { seconds($0.time) }, to: next.map { seconds($0.clock.first) }, lost: lost,
      isEstimate: true, reason: .chunks,
      detail: parts.map { Self.words($0.sequences, $0.reason) }.joined(separator: "; "))
  }

  /// Seconds since the session's start.
  func seconds(_ time: BootTime) -> Double {
    Double(ColumnGrid.place(of: time, in: session)) / 1e9
  }

  private static func words(_ sequences: ClosedRange<UInt32>, _ reason: String) -> String {
    sequences.lowerBound == sequences.upperBound
      ? "chunk \(sequences.lowerBound): \(reason)"
      : "chunks \(sequences.lowerBound) to \(sequences.upperBound): \(reason)"
  }
}
