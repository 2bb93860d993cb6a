public import Recording
internal import Storage
public import Values

/// The counts of a recorder over a session.
public struct RecorderTotals: Sendable {
  /// One stream of one board.
  public struct Stream: Sendable {
    /// Position of the board in the session.
    public var board: UInt16
    /// The signal it carries, and its form.
    public var description: StreamDescription
    /// Samples taken from the ring, without those of pauses.
    public var received: UInt64 = 0
    /// Samples with a number that the stream already had.
    public var duplicates: UInt64 = 0
    /// Samples in chunks that the store has confirmed.
    public var stored: UInt64 = 0
    /// Samples that the store did not take and that are in its tail. The next program that opens
    /// the store takes them in.
    public var held: UInt64 = 0
    /// Chunks the store has confirmed.
    public var chunks: UInt64 = 0
    /// Samples that are missing, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// How many of the missing samples are an estimate.
    public var estimatedLoss: UInt64 = 0
    /// Arrival of the stream's first sample.
    public var firstSample: BootTime?
    /// Arrival of the stream's last sample.
    public var lastSample: BootTime?
    /// Samples that arrived after those of the first packet, each number once.
    var followers: UInt64 = 0

    /// Samples that came, kept or not.
    var arrived: UInt64 { received + lost[.paused, default: 0] }

    /// Samples that are missing, for any reason.
    public var lostCount: UInt64 { lost.values.reduce(0, +) }

    /// How the lost samples are known.
    public var lossCertainty: LossCertainty {
      LossCertainty(lost: lostCount, estimated: estimatedLoss, of: description.lossAccounting)
    }

    /// Samples per second from the first packet to the last, gaps included; `nil` before there were
    /// two.
    public var achievedRate: Double? {
      guard let firstSample, let lastSample, lastSample > firstSample else { return nil }
      return Double(followers) / lastSample.seconds(since: firstSample)
    }

    /// The rate requested from the sensor, as in `100.0 Hz`.
    public var requestedText: String { Self.hertz(description.rate) }

    /// The rate at which samples arrived, as in `99.8 Hz`.
    public var achievedText: String { achievedRate.map(Self.hertz) ?? "unknown" }

    private static func hertz(_ rate: Double) -> String {
      "\((rate * 10).rounded() / 10) Hz"
    }
  }

  /// The session; `nil` where sessions begin and end with walking.
  var session: UniqueID?
  /// All streams, by the numbers of their boards, each board's in the board's order.
  public var streams: [Stream] = []
  /// Fixes stored.
  public var fixes: UInt64 = 0
  /// Why the store could not be written, if it could not.
  public var failure: StoreError?
}
