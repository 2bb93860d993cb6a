public import Recording
internal import Storage
public import Values

public struct RecorderTotals: Sendable {
  public struct Stream: Sendable {
    /// Index of the board in the session.
    public var board: UInt16
    public var description: StreamDescription
    /// Samples taken from the ring, except during pauses.
    public var received: UInt64 = 0
    /// Samples whose number the stream already had.
    public var duplicates: UInt64 = 0
    /// Samples in chunks confirmed by the store.
    public var stored: UInt64 = 0
    /// Samples that the store did not take but its tail contains. The next program that opens the
    /// store recovers them.
    public var held: UInt64 = 0
    /// Chunks confirmed by the store.
    public var chunks: UInt64 = 0
    /// Missing samples, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// The estimated part of the missing samples.
    public var estimatedLoss: UInt64 = 0
    /// Arrival of the first sample.
    public var firstSample: BootTime?
    /// Arrival of the last sample.
    public var lastSample: BootTime?
    /// Samples that arrived after the first packet, each number once.
    var followers: UInt64 = 0

    /// Samples that arrived, kept or not.
    var arrived: UInt64 { received + lost[.paused, default: 0] }

    /// Missing samples, for any reason.
    public var lostCount: UInt64 { lost.values.reduce(0, +) }

    public var lossCertainty: LossCertainty {
      LossCertainty(lost: lostCount, estimated: estimatedLoss, of: description.lossAccounting)
    }

    /// Samples per second from the first packet to the last, gaps included; `nil` before the second
    /// packet.
    public var achievedRate: Double? {
      guard let firstSample, let lastSample, lastSample > firstSample else { return nil }
      return Double(followers) / lastSample.seconds(since: firstSample)
    }

    /// The requested rate, as in `100.0 Hz`.
    public var requestedText: String { Self.hertz(description.rate) }

    /// The rate of arrivals, as in `99.8 Hz`.
    public var achievedText: String { achievedRate.map(Self.hertz) ?? "unknown" }

    private static func hertz(_ rate: Double) -> String {
      "\((rate * 10).rounded() / 10) Hz"
    }
  }

  /// `nil` if sessions begin and end with walking.
  var session: UniqueID?
  /// By the number of their boards, and in the board's order.
  public var streams: [Stream] = []
  public var fixes: UInt64 = 0
  /// The error after which the store could no longer be written; `nil` without one.
  public var failure: StoreError?
}
