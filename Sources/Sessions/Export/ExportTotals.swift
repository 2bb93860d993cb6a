public import Recording
public import Values

/// The counts of exported and missing samples.
public struct ExportTotals: Hashable, Sendable {
  /// The counts of one stream.
  public struct Stream: Hashable, Sendable {
    /// The board it came from.
    public let board: BoardAddress
    /// The name of the board.
    public let name: String
    public let signal: String
    /// The loss accounting of the stream, if it has any.
    let accounting: StreamDescription.LossAccounting
    /// Samples written.
    public internal(set) var rows = 0
    /// Written samples with a position.
    public internal(set) var positioned = 0
    /// Gaps, including those of missing chunks.
    public internal(set) var gaps = 0
    /// Samples that the gaps count as lost.
    public private(set) var lost: UInt64 = 0
    /// Estimated part of the lost samples.
    public private(set) var estimatedLoss: UInt64 = 0
    /// Chunks that could not be exported, in order.
    public internal(set) var missing: [MissingChunks] = []

    /// A stream before its first sample.
    init(of stream: SourceStream) {
      board = stream.board.address
      name = stream.board.name
      signal = stream.description.signal
      accounting = stream.description.lossAccounting
    }

    /// Certainty of the number of lost samples.
    public var lossCertainty: LossCertainty {
      LossCertainty(lost: lost, estimated: estimatedLoss, of: accounting)
    }

    /// Counts a gap.
    mutating func count(lost samples: UInt64, isEstimate: Bool) {
      gaps += 1
      lost = lost.addingSaturated(samples)
      if isEstimate { estimatedLoss = estimatedLoss.addingSaturated(samples) }
    }
  }

  /// The streams in the order of the source.
  public let streams: [Stream]

  /// Whether more may be missing than is counted, since the store was damaged.
  public let hasUnknownLosses: Bool

  init(streams: [Stream], hasUnknownLosses: Bool = false) {
    self.streams = streams
    self.hasUnknownLosses = hasUnknownLosses
  }

  /// Samples written.
  public var rows: Int { streams.reduce(0) { $0 + $1.rows } }
  /// Written samples with a position.
  public var positioned: Int { streams.reduce(0) { $0 + $1.positioned } }
  /// Whether every chunk of the session was exported.
  public var isWhole: Bool { !hasUnknownLosses && streams.allSatisfy(\.missing.isEmpty) }
  /// Chunks that could not be exported.
  public var missingChunks: Int {
    streams.reduce(0) { $0 + $1.missing.reduce(0) { $0 + $1.count } }
  }
}

/// Consecutive chunks of a stream that an export had to leave out.
public struct MissingChunks: Hashable, Sendable, CustomStringConvertible {
  /// Positions of the chunks in the stream.
  public let sequences: ClosedRange<UInt32>
  /// The reason, in half a sentence.
  public let reason: String

  public var count: Int { Int(sequences.upperBound - sequences.lowerBound) + 1 }

  /// One line for a report.
  public var description: String {
    sequences.lowerBound == sequences.upperBound
      ? "chunk \(sequences.lowerBound): \(reason)"
      : "chunks \(sequences.lowerBound) to \(sequences.upperBound): \(reason)"
  }
}
