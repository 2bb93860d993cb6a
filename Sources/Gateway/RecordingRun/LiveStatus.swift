public import BoardDriver
public import Positioning
public import Recording
public import Values

/// A snapshot of a recording for live views.
public struct LiveStatus: Sendable {
  /// The stage of the recording that a board has reached.
  public enum BoardPhase: String, Sendable {
    /// The gateway is not looking for the board.
    case idle
    /// The link is being established, and the services are being resolved.
    case connecting
    /// The board was not found when the recording started. The recording waits for the board.
    case missing
    /// The gateway is reading the board's identity and modules, and setting up its sensors.
    case identifying
    /// The board is set up and waiting for the other boards, or it is sending samples.
    case streaming
    /// The board is linked, and only its own walking detector runs.
    case watching
    /// The link was lost, and another is being established.
    case reconnecting
    case stopping
    /// The board has stopped as requested.
    case finished
    /// The gateway stopped trying to record the board. The reason is reported with the phase.
    case failed

    /// Whether the board has no link, but may still get one.
    public var isUnlinked: Bool { [.idle, .connecting, .missing, .reconnecting].contains(self) }
  }

  public struct Board: Sendable {
    /// The parts of the board's identity that are known so far.
    public var identity: BoardIdentity
    public var phase: BoardPhase
    public var phaseStart = BootTime(nanoseconds: 0)
    /// Whether bluetoothd reports a link, regardless of the phase.
    public var isLinked = false
    /// Whether the board responded to the last request over its link. If so, its radio and the
    /// adapter work.
    public var isAnswering = false
    /// The streams in the configured order.
    public var streams: [Stream]
    /// The link measurement derived from received packets, or `nil` until enough have arrived.
    public var link: LinkMeasurement?
    /// Signal strength in dBm when the board was last heard. A linked board sends no
    /// advertisements.
    public var rssi: Int?
    /// Battery charge in percent, or `nil` until the board or bluetoothd reports it.
    public var battery: Int?
    /// Whether the board is waiting because every adapter has reached its maximum number of links.
    public var isCrowdedOut = false

    public init(identity: BoardIdentity, phase: BoardPhase, streams: [Stream] = []) {
      self.identity = identity
      self.phase = phase
      self.streams = streams
    }
  }

  public struct Stream: Sendable {
    public var description: StreamDescription
    /// The latest values in the signal's unit. Empty before the first sample.
    public var latest: [Double] = []
    /// Arrival time of the last sample, or `nil` before the first.
    public var lastSample: BootTime?
    /// Samples per second over the last one or two seconds, by arrival time.
    public var measuredRate = 0.0
    /// The number of samples in the open chunk.
    public var openChunkCount = 0
    public var storedChunks: UInt64 = 0
    /// The number of samples received, except during pauses.
    public var received: UInt64 = 0
    public var lost: [LossReason: UInt64] = [:]
    /// The number of samples buffered until it is known whether the wearer continues walking.
    public var waiting: UInt64 = 0
    /// The number of samples that arrived, including those dropped during pauses.
    public var arrived: UInt64 { received + waiting + lost[.paused, default: 0] }

    public init(description: StreamDescription) {
      self.description = description
    }
  }

  /// A problem and its remedy, such as a condition that prevents a connection or a session.
  public struct Obstacle: Error, Hashable {
    public var text: String
    public var remedy: String
  }

  /// The state between sessions, if walking starts and stops sessions.
  public struct Standby: Hashable, Sendable {
    /// Seconds by which walking exceeds rest.
    public var lead: Double
    /// Seconds of data buffered in memory.
    public var held: Double
    /// Whether walking exceeds rest by the configured lead time. If so, a session starts.
    public var isWalk = false
    /// Whether a user stopped this walk's recording. A stop command just after the boards start
    /// sending also applies to a walk that has not been recognised yet.
    public var isStopped = false
    /// The reason why a session that is wanted does not begin.
    public var refusal: Obstacle?
  }

  public var time = BootTime(nanoseconds: 0)
  /// The open session. `nil` before its first sample, between sessions, and if samples are only
  /// shown.
  public var session: UniqueID?
  /// The pseudonym of the open session's participant, or `nil` if none was chosen.
  public var participant: String?
  /// The state between sessions. `nil` during a session, or if the whole recording is one session.
  public var standby: Standby?
  /// Seconds since a user paused the recording, or `nil` if it is not paused.
  public var pause: Double?
  /// Seconds since the session's first sample, or 0 before it.
  public var elapsed = 0.0
  public var statistics = SessionStatistics()
  /// The boards in the requested order.
  public var boards: [Board] = []
  /// The obstacle that prevents all connections, or `nil` if there is none.
  public var obstacle: Obstacle?
  /// State of the position source, or `nil` without a source.
  public var receiver: ReceiverState?
  /// The reason why the receiver's port cannot be used even though it exists.
  public var receiverProblem: Obstacle?
  public var fix: Fix?
  /// Age of the last fix in seconds.
  public var fixAge: Double?

  public init() {}
}

extension LiveStatus.Board {
  /// Seconds without a sample before a stream is considered silent.
  private static let patience = 2.0
  /// Number of missing samples before a slow stream is considered silent.
  private static let patientSamples = 3.0

  mutating func note(_ present: LiveStatus.BoardPhase, at now: BootTime) {
    if phase != present { (phase, phaseStart) = (present, now) }
  }

  /// Whether samples should be arriving, or would arrive if the board were linked.
  public var isDue: Bool { phase == .streaming || phase == .reconnecting }

  public var arrived: UInt64 { streams.reduce(0) { $0 + $1.arrived } }

  /// Returns the seconds since a stream that should be sending fell silent, or `nil` while it is
  /// sending. Without a link, the stream is considered silent immediately.
  public func silence(of stream: LiveStatus.Stream, at now: BootTime) -> Double? {
    guard isDue else { return nil }
    let seconds = now.seconds(since: stream.lastSample ?? phaseStart)
    let patience =
      phase == .reconnecting
      ? 0 : max(Self.patience, Self.patientSamples / max(stream.description.rate, 1e-3))
    return seconds > 0 && seconds >= patience ? seconds : nil
  }

  /// Returns the seconds since the last sample of any stream, for a board that has sent samples
  /// before. Returns `nil` while samples arrive.
  public func silence(at now: BootTime) -> Double? {
    let silences = streams.compactMap { $0.lastSample == nil ? nil : silence(of: $0, at: now) }
    return silences.count == streams.count ? silences.min() : nil
  }
}
