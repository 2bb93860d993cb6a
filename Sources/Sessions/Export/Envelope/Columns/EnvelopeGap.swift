public import Recording
internal import Values

/// A time span in a chart during which a stream's samples are missing.
public struct EnvelopeGap: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// The recorder reported lost samples, for this reason.
    case loss(LossReason)
    /// Chunks are damaged, or missing from the store.
    case chunks

    /// The word that denotes the reason in exports.
    public var name: String {
      switch self {
      case .loss(let reason): reason.name
      case .chunks: "chunks"
      }
    }
  }

  /// Time of the last sample before the gap, in seconds since the session's start; `nil` if no
  /// sample precedes the gap.
  public var from: Double?
  /// Time of the first sample after the gap, in seconds since the session's start; `nil` if no
  /// sample follows the gap.
  public var to: Double?
  /// Number of missing samples; `nil` if unknown.
  public var lost: UInt64?
  /// Whether `lost` is an estimate rather than a count.
  public var isEstimate: Bool
  public var reason: Reason
  /// The missing chunks and why they are missing; empty unless the reason is `chunks`.
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

  /// Whether the gap overlaps the time range of a grid, by the same rule as in an export.
  func overlaps(_ grid: ColumnGrid) -> Bool {
    let isTooEarly = to.map { ColumnGrid.nanoseconds($0) < grid.first } ?? false
    let isTooLate = from.map { ColumnGrid.nanoseconds($0) >= grid.end } ?? false
    return !isTooEarly && !isTooLate
  }
}

extension Envelope {
  /// The gaps to draw in the chart. Consecutive gaps with the same reason are merged within a
  /// column, so even a poor link produces only a few gaps per column.
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
