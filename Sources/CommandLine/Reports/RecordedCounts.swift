internal import Export
internal import Gateway
internal import Recording
internal import Values

/// Sample counts of recordings, as reported by the recorder and by exports from the store.
struct RecordedCounts: Sendable {
  var received: UInt64 = 0
  var stored: UInt64 = 0
  var positioned: UInt64 = 0
  var chunks: UInt64 = 0
  var lostByReason: [LossReason: UInt64] = [:]

  var lost: UInt64 { lostByReason.values.reduce(0, +) }

  /// Adds a stream from the recorder's report.
  mutating func add(_ stream: RecorderTotals.Stream) {
    received += stream.received
    chunks += stream.chunks
    lostByReason.merge(stream.lost) { $0 + $1 }
  }

  /// Adds a stream that was read back from the store for an export.
  mutating func add(_ stream: ExportTotals.Stream) {
    stored += UInt64(stream.rows)
    positioned += UInt64(stream.positioned)
  }

  static func += (sum: inout RecordedCounts, counts: RecordedCounts) {
    sum.received += counts.received
    sum.stored += counts.stored
    sum.positioned += counts.positioned
    sum.chunks += counts.chunks
    sum.lostByReason.merge(counts.lostByReason) { $0 + $1 }
  }

  var reasons: JSONValue { lostByReason.json }
}
