internal import Recording
internal import Values

/// Collects chunks skipped since the last sample, and computes the gap that they leave.
struct MissingStretch {
  /// Counter and time of the last sample before the skipped chunks.
  var last: (counter: UInt32, time: BootTime)?

  private let session: Session
  private var parts: [MissingChunks] = []
  /// Number of samples in the skipped chunks, including lost samples, according to the store.
  private var samples: UInt64 = 0

  init(_ session: Session) {
    self.session = session
  }

  /// Records that these chunks are skipped because they cannot be used.
  mutating func note(_ sequences: ClosedRange<UInt32>, _ reason: String, samples: UInt64) {
    self.samples = self.samples.addingSaturated(samples)
    MissingChunks.note(sequences, reason, in: &parts)
  }

  /// Returns the gap left by the chunks skipped before `next`, or before the end of the stream;
  /// `nil` if none were skipped.
  mutating func gap(before next: ChunkPyramid?) -> EnvelopeGap? {
    guard !parts.isEmpty else { return nil }
    defer {
      parts = []
      samples = 0
    }
    // The sample numbers of the adjacent chunks show how many samples are missing between them.
    // Samples that the next chunk reports as lost before its first sample are not counted again. If
    // there is a chunk on only one side of the gap, the number comes from the store.
    var lost = samples > 0 ? samples : nil
    if let last, let next {
      let steps = Int32(bitPattern: next.firstCounter &- last.counter &- 1)
      if steps >= 0 { lost = UInt64(steps) - min(UInt64(steps), next.lostBeforeFirst) }
    }
    return EnvelopeGap(
      from: last.map { seconds($0.time) }, to: next.map { seconds($0.clock.first) }, lost: lost,
      isEstimate: true, reason: .chunks,
      detail: parts.map(\.description).joined(separator: "; "))
  }

  /// Converts a time to seconds since the session's start.
  func seconds(_ time: BootTime) -> Double {
    Double(ColumnGrid.place(of: time, in: session)) / 1e9
  }
}
