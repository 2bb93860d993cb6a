internal import Recording
internal import Values

/// The chunks that were skipped since a stream's last sample, because they cannot be used.
struct SkippedChunks {
  /// Counter and time of the last sample before the skipped chunks.
  var last: (counter: UInt32, time: BootTime)?
  /// The number of samples in the skipped chunks according to the source, including lost samples.
  private(set) var samples: UInt64 = 0
  private var parts: [MissingChunks] = []

  mutating func note(_ sequences: ClosedRange<UInt32>, _ reason: String, samples: UInt64) {
    self.samples = self.samples.addingSaturated(samples)
    MissingChunks.note(sequences, reason, in: &parts)
  }

  /// Forgets the skipped chunks. Returns them and the number of their samples, which is `nil` if
  /// unknown. Returns `nil` if none were skipped.
  ///
  /// - Parameter next: counter of the first sample after them, and number of samples before it that
  ///   are counted elsewhere; `nil` at the end of the stream.
  mutating func end(
    before next: (counter: UInt32, counted: UInt64)?
  ) -> (parts: [MissingChunks], lost: UInt64?)? {
    guard !parts.isEmpty else { return nil }
    defer { (parts, samples) = ([], 0) }
    // The counters of the adjacent samples show how many samples are missing between them. If there
    // is a chunk on only one side, the number comes from the source.
    var lost = samples > 0 ? samples : nil
    if let last, let next {
      let steps = Int32(bitPattern: next.counter &- last.counter &- 1)
      if steps >= 0 { lost = UInt64(steps) - min(UInt64(steps), next.counted) }
    }
    return (parts, lost)
  }
}
