public import Recording
public import Values

/// The numbers of exported and missing samples, in total and by stream.
public struct ExportTotals: Hashable, Sendable {
  public struct Stream: Hashable, Sendable {
    public let board: BoardAddress
    public let name: String
    public let signal: String
    let accounting: StreamDescription.LossAccounting
    /// Number of samples written from the stream.
    public internal(set) var rows = 0
    /// Number of written samples that have a position.
    public internal(set) var positioned = 0
    /// Number of gaps, including gaps left by missing chunks.
    public internal(set) var gaps = 0
    public private(set) var lost: UInt64 = 0
    /// Number of lost samples that were estimated rather than counted.
    public private(set) var estimatedLoss: UInt64 = 0
    /// Chunks that could not be exported, in sequence order.
    public internal(set) var missing: [MissingChunks] = []

    init(of stream: SourceStream) {
      board = stream.board.address
      name = stream.board.name
      signal = stream.description.signal
      accounting = stream.description.lossAccounting
    }

    public var lossCertainty: LossCertainty {
      LossCertainty(lost: lost, estimated: estimatedLoss, of: accounting)
    }

    mutating func count(lost samples: UInt64, isEstimate: Bool) {
      gaps += 1
      lost = lost.addingSaturated(samples)
      if isEstimate { estimatedLoss = estimatedLoss.addingSaturated(samples) }
    }
  }

  /// The totals of each stream, in the order of the source.
  public let streams: [Stream]

  /// Whether more samples may be missing than were counted, because the store was damaged or the
  /// session is still arriving.
  public let hasUnknownLosses: Bool

  /// The rule by which samples of several streams share a row of a table.
  enum Joining: Hashable, Sendable {
    /// Samples are in one row if their times differ by at most this number of seconds.
    case nearest(Double)
    /// Values are interpolated at regular instants, with this number of instants per second.
    case resampled(Double)
  }

  /// `nil` for formats in which each sample has its own row.
  var joining: Joining?

  init(streams: [Stream], hasUnknownLosses: Bool = false) {
    self.streams = streams
    self.hasUnknownLosses = hasUnknownLosses
  }

  public var rows: Int { streams.reduce(0) { $0 + $1.rows } }
  public var positioned: Int { streams.reduce(0) { $0 + $1.positioned } }
  /// Whether no chunk was skipped, and no uncounted samples may be missing.
  public var isWhole: Bool { !hasUnknownLosses && streams.allSatisfy(\.missing.isEmpty) }
  public var missingChunks: Int {
    streams.reduce(0) { $0 + $1.missing.reduce(0) { $0 + $1.count } }
  }
}

/// Consecutive chunks of a stream that an export skipped.
public struct MissingChunks: Hashable, Sendable, CustomStringConvertible {
  public let sequences: ClosedRange<UInt32>
  /// The reason why the chunks were skipped, as a phrase.
  public let reason: String

  /// Adds skipped chunks to a list. Extends the last entry if they follow it and have the same
  /// reason.
  static func note(
    _ sequences: ClosedRange<UInt32>, _ reason: String, in list: inout [MissingChunks]
  ) {
    var first = sequences.lowerBound
    if let last = list.last, last.reason == reason, last.sequences.upperBound &+ 1 == first {
      first = last.sequences.lowerBound
      list.removeLast()
    }
    list.append(MissingChunks(sequences: first...sequences.upperBound, reason: reason))
  }

  /// The reason for chunks that the source does not contain.
  static let absence = "not in the store"

  /// Returns the sequence numbers between two chunks; `nil` if there are none. Without a previous
  /// chunk, they begin with 0.
  static func between(_ former: UInt32?, _ next: UInt64) -> ClosedRange<UInt32>? {
    let first = former.map { UInt64($0) + 1 } ?? 0
    return first < next ? UInt32(first)...UInt32(next - 1) : nil
  }

  public var count: Int { Int(sequences.upperBound - sequences.lowerBound) + 1 }

  /// Formats the sequence numbers and the reason on one line, for a report.
  public var description: String {
    sequences.lowerBound == sequences.upperBound
      ? "chunk \(sequences.lowerBound): \(reason)"
      : "chunks \(sequences.lowerBound) to \(sequences.upperBound): \(reason)"
  }
}
