public import Recording
internal import Storage
public import Values

public struct RecorderTotals: Sendable {
  public struct Stream: Sendable {
    /// Number of the board in the session.
    public var board: UInt16
    public var description: StreamDescription
    /// The number of samples read from the ring, except during pauses.
    public var received: UInt64 = 0
    /// The number of samples with a sample number that had already occurred in the stream.
    public var duplicates: UInt64 = 0
    /// The number of samples in chunks confirmed by the store.
    public var stored: UInt64 = 0
    /// The number of samples that the store rejected but that are still in the tail. The next
    /// program that opens the store recovers them.
    public var held: UInt64 = 0
    /// The number of chunks confirmed by the store.
    public var chunks: UInt64 = 0
    public var lost: [LossReason: UInt64] = [:]
    /// The number of missing samples that are only estimated.
    public var estimatedLoss: UInt64 = 0
    /// Arrival time of the first sample.
    public var firstSample: BootTime?
    /// Arrival time of the last sample.
    public var lastSample: BootTime?
    /// The number of samples that arrived after the first packet, excluding duplicate and spoiled
    /// samples.
    var followers: UInt64 = 0

    /// The number of samples that arrived, including those dropped during pauses.
    var arrived: UInt64 { received + lost[.paused, default: 0] }

    public var lostCount: UInt64 { lost.values.reduce(0, +) }

    public var lossCertainty: LossCertainty {
      LossCertainty(lost: lostCount, estimated: estimatedLoss, of: description.lossAccounting)
    }

    /// Average samples per second between the first packet and the last, including gaps. `nil`
    /// before the second packet.
    public var achievedRate: Double? {
      guard let firstSample, let lastSample, lastSample > firstSample else { return nil }
      return Double(followers) / lastSample.seconds(since: firstSample)
    }

    /// The requested rate as text, for example `100.0 Hz`.
    public var requestedText: String { Self.hertz(description.rate) }

    /// The rate at which samples arrived, as text, for example `99.8 Hz`.
    public var achievedText: String { achievedRate.map(Self.hertz) ?? "unknown" }

    private static func hertz(_ rate: Double) -> String {
      "\((rate * 10).rounded() / 10) Hz"
    }
  }

  /// The session's id, or `nil` if walking starts and stops sessions.
  var session: UniqueID?
  /// The streams, ordered by board number and then in each board's own order.
  public var streams: [Stream] = []
  public var fixes: UInt64 = 0
  /// The error that ended writing to the store, or `nil` if writing never failed.
  public var failure: StoreError?
}
