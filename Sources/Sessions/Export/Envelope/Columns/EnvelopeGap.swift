public import Recording
internal import Values

/// A stretch of a stream from which samples are missing, for a chart.
public struct EnvelopeGap: Hashable, Sendable {
  /// The reason for missing samples.
  public enum Reason: Hashable, Sendable {
    /// The recorder lost them for this reason.
    case loss(LossReason)
    /// Their chunks are missing from the store or damaged.
    case chunks

    /// The word that exports use.
    public var name: String {
      switch self {
      case .loss(let reason): reason.name
      case .chunks: "chunks"
      }
    }
  }

  /// Time of the last sample before the gap, seconds since the session's start; `nil` if there is
  /// none.
  public var from: Double?
  /// Time of the first sample after the gap; `nil` if there is none.
  public var to: Double?
  /// Number of missing samples; `nil` if unknown.
  public var lost: UInt64?
  /// Whether the number is an estimate.
  public var isEstimate: Bool
  public var reason: Reason
  /// The missing chunks, in words; empty for other reasons.
  public var detail: String

  public init(
    from: Double?, to: Double?, lost: UInt64?, isEstimate: Bool, reason: Reason, detail: String = ""
  ) {
    self.from = from
    self.to = to
    self.lost = lost
    self.isEstimate = isEstimate
    self.reason = reason
    self.detail = detail
  }

  /// Whether a part of the gap is in the stretch of a grid, by the same rule as in exports.
  func overlaps(_ grid: ColumnGrid) -> Bool {
    let isTooEarly = to.map { ColumnGrid.nanoseconds($0) < grid.first } ?? false
    let isTooLate = from.map { ColumnGrid.nanoseconds($0) >= grid.end } ?? false
    return !isTooEarly && !isTooLate
  }
}

extension Envelope {
  /// The gaps as a chart of these columns shows them. Consecutive gaps of one reason within a
  /// column are merged, so even a bad link gives only a few per column.
  public var drawnGaps: [EnvelopeGap] {
    var drawn: [EnvelopeGap] = []
    var latest: [EnvelopeGap.Reason: Int] = [:]
    for gap in gaps {
      if let index = latest[gap.reason], isOneColumn(drawn[index].to, gap.from) {
        drawn[index].to = gap.to
        drawn[index].lost = drawn[index].lost.flatMap { sum in gap.lost.map(sum.addingSaturated) }
        drawn[index].isEstimate = drawn[index].isEstimate || gap.isEstimate
        if drawn[index].detail.isEmpty { drawn[index].detail = gap.detail }
      } else {
        latest[gap.reason] = drawn.count
        drawn.append(gap)
      }
    }
    return drawn
  }

  private func isOneColumn(_ end: Double?, _ start: Double?) -> Bool {
    guard let end, let start,
      let column = grid.column(at: ColumnGrid.nanoseconds(end))
    else { return false }
    return column == grid.column(at: ColumnGrid.nanoseconds(start))
  }
}
