public import BoardDriver
public import Positioning
public import Recording
public import Values

/// A recording at one moment, for live views: a snapshot taken once a round.
public struct LiveStatus: Sendable {
  /// How far a board has come.
  public enum BoardPhase: String, Sendable {
    /// Nobody looks for it now.
    case idle
    /// The link is being made, and the services are being resolved.
    case connecting
    /// Not in reach at the start; the recording waits for it.
    case missing
    /// The board is asked for its identity and its modules, and its sensors are set up.
    case identifying
    /// Set up and waiting for the other boards, or sending samples.
    case streaming
    /// Linked, with nothing on but its own detector of walking.
    case watching
    /// The link is gone and another is being brought up.
    case reconnecting
    /// The board is told to stop.
    case stopping
    /// Stopped as asked.
    case finished
    /// Given up; the reason is reported with it.
    case failed

    /// Whether it has no link, so that what keeps boards from being linked is its cause.
    public var isUnlinked: Bool { [.idle, .connecting, .missing, .reconnecting].contains(self) }
  }

  /// One board and its streams.
  public struct Board: Sendable {
    /// Identity of the board, as far as known.
    public var identity: BoardIdentity
    /// How far it has come.
    public var phase: BoardPhase
    /// When the phase began.
    public var phaseStart = BootTime(nanoseconds: 0)
    /// Whether it is linked by the word of bluetoothd, whatever its phase.
    public var isLinked = false
    /// Whether it answered over its link when it was last asked: its radio and the adapter work.
    public var isAnswering = false
    /// Its streams, in the order of their configuration.
    public var streams: [Stream]
    /// Measurement of the link by its packets; `nil` before there were enough.
    public var link: LinkMeasurement?
    /// Strength of the board's signal in dBm when it was last heard. A linked board is not heard.
    public var rssi: Int?
    /// Charge of the board's battery in percent, as far as the daemon has it.
    public var battery: Int?
    /// Whether it waits because every adapter has as many boards as it takes.
    public var isCrowdedOut = false

    /// A board in a phase, with its streams.
    public init(identity: BoardIdentity, phase: BoardPhase, streams: [Stream] = []) {
      self.identity = identity
      self.phase = phase
      self.streams = streams
    }
  }

  /// One stream of one board.
  public struct Stream: Sendable {
    /// The signal it carries, and its form.
    public var description: StreamDescription
    /// The newest sample in units of the signal; empty before the first.
    public var latest: [Double] = []
    /// When the newest sample came; `nil` before the first.
    public var lastSample: BootTime?
    /// Samples per second over the last round or two, as measured by arrival.
    public var measuredRate = 0.0
    /// Samples in the open chunk.
    public var openChunkCount = 0
    /// Chunks stored.
    public var storedChunks: UInt64 = 0
    /// Samples received so far, without those of pauses.
    public var received: UInt64 = 0
    /// Samples lost so far, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// Samples of a session that wait until it is known whether the wearer walks on.
    public var waiting: UInt64 = 0
    /// Samples that came, whatever becomes of them.
    public var arrived: UInt64 { received + waiting + lost[.paused, default: 0] }

    /// A stream before its first sample.
    public init(description: StreamDescription) {
      self.description = description
    }
  }

  /// Something that keeps a recording from its boards or from a session, or a port from a reset.
  public struct Obstacle: Error, Hashable {
    /// The obstacle in words.
    public var text: String
    /// The remedy.
    public var remedy: String
  }

  /// The wait for a session, where sessions begin with walking.
  public struct Standby: Hashable, Sendable {
    /// Seconds by which walking leads.
    public var lead: Double
    /// Seconds that are held in memory.
    public var held: Double
    /// Whether walking leads.
    public var isWalk = false
    /// Whether a person stopped the recording of this walk. A stop just after the boards began to
    /// send counts for a walk that does not show yet.
    public var isStopped = false
    /// Why no session begins although one is wanted.
    public var refusal: Obstacle?
  }

  /// When it was taken.
  public var time = BootTime(nanoseconds: 0)
  /// The session that is open; `nil` before its first sample, between sessions, and where samples
  /// are only shown.
  public var session: UniqueID?
  /// The wait for a session; `nil` during a session, and where the whole recording is one.
  public var standby: Standby?
  /// Seconds since a person paused the recording; `nil` while it goes on.
  public var pause: Double?
  /// Seconds since the first sample of the session; 0 before it.
  public var elapsed = 0.0
  /// The statistics so far.
  public var statistics = SessionStatistics()
  /// The boards, in the order in which they were asked for.
  public var boards: [Board] = []
  /// What keeps every board from being linked; `nil` if nothing does.
  public var obstacle: Obstacle?
  /// State of the position source; `nil` without one.
  public var receiver: ReceiverState?
  /// The last fix.
  public var fix: Fix?
  /// Age of the last fix, seconds.
  public var fixAge: Double?

  /// A status before the first sample.
  public init() {}
}

extension LiveStatus.Board {
  /// Seconds without a sample after which a stream is silent.
  private static let patience = 2.0
  /// Samples of a slow stream that have to be missing.
  private static let patientSamples = 3.0

  /// Notes its present phase.
  mutating func note(_ present: LiveStatus.BoardPhase, at now: BootTime) {
    if phase != present { (phase, phaseStart) = (present, now) }
  }

  /// Whether samples should come, or would if its link were there.
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

  /// Seconds for which a board that has sent samples sends none of any stream; `nil` while it
  /// sends some.
  public func silence(at now: BootTime) -> Double? {
    let silences = streams.compactMap { $0.lastSample == nil ? nil : silence(of: $0, at: now) }
    return silences.count == streams.count ? silences.min() : nil
  }
}
