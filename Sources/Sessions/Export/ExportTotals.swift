public import Recording
public import Values

/// The samples that an export wrote, and those that it could not.
public struct ExportTotals: Hashable, Sendable {
  /// The counts of one stream.
  public struct Stream: Hashable, Sendable {
    /// The board it came from.
    public let board: BoardAddress
    /// The name of the board.
    public let name: String
    /// The signal.
    public let signal: String
    /// How the stream accounts for lost samples, where it can.
    let accounting: StreamDescription.LossAccounting
    /// Samples written.
    public internal(set) var rows = 0
    /// Samples among them that have a position.
    public internal(set) var positioned = 0
    /// Gaps, including those of missing chunks.
    public internal(set) var gaps = 0
    /// Samples that the gaps count as lost.
    public private(set) var lost: UInt64 = 0
    /// How many of the lost samples are an estimate.
    public private(set) var estimatedLoss: UInt64 = 0
    /// Chunks that could not be exported, in order.
    public internal(set) var missing: [MissingChunks] = []

    /// A stream without written samples.
    init(of stream: SourceStream) {
      board = stream.board.address
      name = stream.board.name
      signal = stream.description.signal
      accounting = stream.description.lossAccounting
    }

    /// How its lost samples are known.
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

  /// Whether more may be gone than is counted, since the store was damaged.
  public let hasUnknownLosses: Bool

  /// Totals of these streams.
  init(streams: [Stream], hasUnknownLosses: Bool = false) {
    self.streams = streams
    self.hasUnknownLosses = hasUnknownLosses
  }

  /// Samples written.
  public var rows: Int { streams.reduce(0) { $0 + $1.rows } }
  /// Samples among them that have a position.
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

  /// The number of chunks.
  public var count: Int { Int(sequences.upperBound - sequences.lowerBound) + 1 }

  /// One line for a report.
  public var description: String {
    sequences.lowerBound == sequences.upperBound
      ? "chunk \(sequences.lowerBound): \(reason)"
      : "chunks \(sequences.lowerBound) to \(sequences.upperBound): \(reason)"
  }
}
