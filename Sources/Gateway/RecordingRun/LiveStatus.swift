public import BoardDriver
public import Positioning
public import Recording
public import Values

/// A recording at one moment, for live views: a snapshot taken once a round.
public struct LiveStatus: Sendable {
  /// The stage of a board.
  public enum BoardPhase: String, Sendable {
    /// It is not being looked for.
    case idle
    /// The link is being made, and the services are being resolved.
    case connecting
    /// Out of reach at the start; the recording waits for it.
    case missing
    /// The board is asked for its identity and its modules, and its sensors are set up.
    case identifying
    /// Set up and waiting for the other boards, or sending samples.
    case streaming
    /// Linked, with only its own walking detector running.
    case watching
    /// The link is gone and another is being brought up.
    case reconnecting
    /// The board is being stopped.
    case stopping
    /// Stopped as requested.
    case finished
    /// Given up; the reason is reported with it.
    case failed

    /// Whether it has no link, so that obstacles to connections are the cause.
    public var isUnlinked: Bool { [.idle, .connecting, .missing, .reconnecting].contains(self) }
  }

  public struct Board: Sendable {
    /// As far as it is known.
    public var identity: BoardIdentity
    public var phase: BoardPhase
    public var phaseStart = BootTime(nanoseconds: 0)
    /// Whether bluetoothd reports a link, whatever the phase.
    public var isLinked = false
    /// Whether it answered the last request over its link, so its radio and the adapter work.
    public var isAnswering = false
    /// In the order of their configuration.
    public var streams: [Stream]
    /// Measured by its packets; `nil` until there are enough.
    public var link: LinkMeasurement?
    /// In dBm, as last heard. A linked board is not heard.
    public var rssi: Int?
    /// In percent, as far as the daemon knows it.
    public var battery: Int?
    /// Whether it waits because every adapter is full.
    public var isCrowdedOut = false

    public init(identity: BoardIdentity, phase: BoardPhase, streams: [Stream] = []) {
      self.identity = identity
      self.phase = phase
      self.streams = streams
    }
  }

  public struct Stream: Sendable {
    public var description: StreamDescription
    /// In units of the signal; empty before the first sample.
    public var latest: [Double] = []
    /// `nil` before the first sample.
    public var lastSample: BootTime?
    /// Samples per second over the last round or two, by arrival.
    public var measuredRate = 0.0
    /// Samples in the open chunk.
    public var openChunkCount = 0
    public var storedChunks: UInt64 = 0
    /// Samples received so far, except during pauses.
    public var received: UInt64 = 0
    /// Samples lost so far, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// Samples of a session that are held until it is known whether the wearer walks on.
    public var waiting: UInt64 = 0
    /// All samples that arrived, kept or not.
    public var arrived: UInt64 { received + waiting + lost[.paused, default: 0] }

    public init(description: StreamDescription) {
      self.description = description
    }
  }

  /// Something that prevents a connection, a session or the reset of a port.
  public struct Obstacle: Error, Hashable {
    /// In words.
    public var text: String
    public var remedy: String
  }

  /// The wait for a session, if sessions begin with walking.
  public struct Standby: Hashable, Sendable {
    /// Seconds by which walking leads.
    public var lead: Double
    /// Seconds held in memory.
    public var held: Double
    /// Whether walking leads.
    public var isWalk = false
    /// Whether a person stopped the recording of this walk. A stop just after the boards began to
    /// send also counts for a walk that does not show yet.
    public var isStopped = false
    /// The reason why no session begins although one is wanted.
    public var refusal: Obstacle?
  }

  public var time = BootTime(nanoseconds: 0)
  /// The open session; `nil` before its first sample, between sessions, and if samples are only
  /// shown.
  public var session: UniqueID?
  /// The wait for a session; `nil` during a session, and if the whole recording is one.
  public var standby: Standby?
  /// Seconds since a person paused the recording; `nil` if it is not paused.
  public var pause: Double?
  /// Seconds since the first sample of the session; 0 before it.
  public var elapsed = 0.0
  public var statistics = SessionStatistics()
  /// In the order in which they were requested.
  public var boards: [Board] = []
  /// The obstacle to every connection; `nil` without one.
  public var obstacle: Obstacle?
  /// State of the position source; `nil` without a source.
  public var receiver: ReceiverState?
  /// The reason why the receiver's port cannot be used although it exists.
  public var receiverProblem: Obstacle?
  public var fix: Fix?
  /// In seconds.
  public var fixAge: Double?

  public init() {}
}

extension LiveStatus.Board {
  /// Seconds without a sample after which a stream is silent.
  private static let patience = 2.0
  /// Number of missing samples after which a slow stream is silent.
  private static let patientSamples = 3.0

  mutating func note(_ present: LiveStatus.BoardPhase, at now: BootTime) {
    if phase != present { (phase, phaseStart) = (present, now) }
  }

  /// Whether samples should be arriving, or would be with a link.
  public var isDue: Bool { phase == .streaming || phase == .reconnecting }

  /// Samples of all its streams.
  public var arrived: UInt64 { streams.reduce(0) { $0 + $1.arrived } }

  /// Seconds for which a stream has sent nothing although it should; `nil` while it sends. Without
  /// a link it is silent at once.
  public func silence(of stream: LiveStatus.Stream, at now: BootTime) -> Double? {
    guard isDue else { return nil }
    let seconds = now.seconds(since: stream.lastSample ?? phaseStart)
    let patience =
      phase == .reconnecting
      ? 0 : max(Self.patience, Self.patientSamples / max(stream.description.rate, 1e-3))
    return seconds > 0 && seconds >= patience ? seconds : nil
  }

  /// Seconds for which a board that has sent samples has sent none of any stream; `nil` while it
  /// sends.
  public func silence(at now: BootTime) -> Double? {
    let silences = streams.compactMap { $0.lastSample == nil ? nil : silence(of: $0, at: now) }
    return silences.count == streams.count ? silences.min() : nil
  }
}
