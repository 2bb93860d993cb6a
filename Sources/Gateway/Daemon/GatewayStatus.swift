public import Positioning
public import Recording
public import Storage
public import Values

/// The daemon at one moment: what it does, and how well. Every value that may be old has an age in
/// seconds.
public struct GatewayStatus: Hashable, Sendable {
  /// How far the daemon is with its recording.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// No recording is wanted now.
    case waiting
    /// The boards of a recording are being found and set up.
    case starting
    /// Samples arrive, and a session begins when somebody walks.
    case standby
    /// Samples arrive, or should.
    case recording
    /// The recording is being closed.
    case ending
    /// The last try failed, and another follows by itself.
    case retrying
  }

  /// The recording.
  public struct Recording: Hashable, Sendable {
    /// How far it is.
    public var phase: Phase
    /// Seconds since the phase began.
    public var phaseAge: Double
    /// When to record.
    public var rule: RecordingWish.Rule
    /// Whether a person stopped it.
    public var isStopped = false
    /// Seconds since a person paused it; `nil` while it goes on.
    public var pause: Double?
    /// The open session; `nil` before the first sample.
    public var session: UniqueID?
    /// The wait for a session, where sessions begin with walking.
    public var standby: LiveStatus.Standby?
    /// Seconds since the first sample of the session.
    public var elapsed = 0.0
    /// Recordings that ended by themselves since the daemon started, each of which was begun again.
    public var restarts = 0
    /// Why the last one of them failed.
    public var failure: Failure?
  }

  /// A failure with its remedy.
  public struct Failure: Hashable, Sendable {
    /// The failure in words.
    public var text: String
    /// The remedy; empty where none is known.
    public var remedy: String
    /// Seconds since it happened.
    public var age: Double
  }

  /// A board of the recording.
  public struct Board: Hashable, Sendable {
    /// Its address.
    public var address: BoardAddress
    /// The user's name for it, or the one it advertises.
    public var name: String
    /// Its phase.
    public var phase: LiveStatus.BoardPhase
    /// Seconds since the phase began.
    public var phaseAge: Double
    /// Seconds since its last sample; `nil` before the first.
    public var sampleAge: Double?
    /// Charge of its battery in percent.
    public var battery: Int?
    /// Strength of its signal in dBm when it was last heard.
    public var rssi: Int?
    /// Whether it answered over its link when it was last asked.
    public var isAnswering = false
    /// Whether it waits because every adapter has as many boards as it takes.
    public var isCrowdedOut = false
    /// Its streams.
    public var streams: [Stream] = []
    /// The steps that helped it, since the daemon started.
    public var help = HelpCounts.Board()
    /// Its fault, or else what it does; `nil` before the status is judged.
    public var condition: Trouble?
  }

  /// A stream of a board.
  public struct Stream: Hashable, Sendable {
    /// Its signal.
    public var signal: String
    /// Samples a second, as requested.
    public var requestedRate: Double
    /// Samples a second over the last round or two.
    public var measuredRate: Double
    /// Samples received in the session.
    public var received: UInt64
    /// Samples lost in the session, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// Seconds for which it has sent nothing although it should; `nil` while it sends.
    public var silence: Double?
    /// Samples that are missing in the session since then, as an estimate. They are counted as lost
    /// when the next one comes, or with the end.
    public var missing: UInt64 = 0
  }

  /// The way to the boards: bluetoothd and its adapters.
  public struct Bluetooth: Hashable, Sendable {
    /// Why no board can be linked; `nil` if nothing is in the way.
    public var obstacle: String?
    /// The remedy for the obstacle.
    public var remedy: String
    /// Seconds since it is so.
    public var age: Double
  }

  /// A Bluetooth adapter in use, or one that was.
  public struct Adapter: Hashable, Sendable {
    /// Its name, such as `hci0`.
    public var name: String
    /// The steps that helped it, since the daemon started.
    public var help = HelpCounts.Device()
    /// The fault that remains after every step; `nil` without one.
    public var complaint: String?
  }

  /// The source of positions.
  public struct Receiver: Hashable, Sendable {
    /// The source, as the user named it.
    public var source: String
    /// Its state; `nil` while nothing is recorded.
    public var state: ReceiverState?
    /// Seconds since the state began.
    public var stateAge: Double?
    /// Seconds since the last fix; `nil` before the first.
    public var fixAge: Double?
    /// The steps that helped it, since the daemon started.
    public var help = HelpCounts.Device()
    /// Whether no step helped it.
    public var isHelpless = false

    /// Whether its position is current.
    public var isCurrent: Bool { state?.isCurrent ?? false }
  }

  /// The system clock.
  public struct Clock: Hashable, Sendable {
    /// Whether it is synchronised.
    public var isSynchronised: Bool
    /// The most by which it may be wrong, in seconds, as the kernel estimates it; `nil` if it does
    /// not.
    public var uncertainty: Double?
  }

  /// The store and its disk.
  public struct Store: Hashable, Sendable {
    /// Path of its file.
    public var path: String
    /// Bytes of its content.
    public var used: UInt64
    /// Bytes that are left on its disk.
    public var free: UInt64
    /// How much room there is.
    public var space: SpacePolicy.State
    /// Seconds since the room is as `space` says.
    public var spaceAge: Double
    /// Bytes that a day of this recording adds, at the present rates.
    public var bytesPerDay: UInt64
    /// Seconds since these figures were taken.
    public var age: Double

    /// Days until the disk is full at this rate; `nil` if nothing is being added.
    public var daysLeft: Double? {
      bytesPerDay == 0 ? nil : Double(free) / Double(bytesPerDay)
    }
  }

  /// The upload to one destination.
  public struct Upload: Hashable, Sendable {
    /// Its name.
    public var destination: String
    /// Whether the configuration lets it be sent to now.
    public var isEnabled: Bool
    /// Chunks that it has.
    public var sent: Int
    /// Chunks that it does not have yet.
    public var waiting: Int
    /// Bytes of these.
    public var waitingBytes: UInt64
    /// Chunks that it refused.
    public var parked: Int
    /// Seconds since it last stored something; `nil` if it never did.
    public var successAge: Double?
    /// Seconds until it is tried again; `nil` if it does not rest.
    public var retry: Double?
    /// Why it rests; empty if it does not.
    public var error: String
    /// Seconds since these figures were taken.
    public var age: Double
  }

  /// What the gateway shares with its fleet.
  public struct Sharing: Hashable, Sendable {
    /// The broker.
    public var broker: String
    /// How much it shares.
    public var share: SharingPlan.Share
    /// Whether there is a connection.
    public var isConnected: Bool
    /// Why there is none; `nil` if there is one.
    public var failure: Failure?
  }

  /// Something that does not work, or will not for long; as a board's condition also what works.
  public struct Trouble: Hashable, Sendable {
    /// How much it matters.
    public enum Level: String, Hashable, Sendable, CaseIterable {
      /// Something that is wanted is not recorded.
      case fault
      /// A person should know it, and everything is recorded.
      case warning
      /// It is too early to say.
      case unknown
      /// It works.
      case ok
    }

    /// How much it matters.
    public var level: Level
    /// The part: a board's name, `recording`, `bluetooth`, `receiver`, `store`, `clock`,
    /// `configuration`, `sharing`, `page`, or a destination.
    public var subject: String
    /// The trouble in a few words, without the part.
    public var text: String
    /// Seconds since it began; `nil` if that is not known.
    public var age: Double?
    /// The remedy.
    public var remedy: String
  }

  /// Version of the daemon.
  public var version: String
  /// Seconds since the daemon started.
  public var uptime: Double
  /// The recording.
  public var recording: Recording
  /// Its boards; those of the configuration while nothing is recorded.
  public var boards: [Board] = []
  /// Bluetooth; `nil` while nothing is recorded.
  public var bluetooth: Bluetooth?
  /// The adapters in use, since the first recording looked for its boards.
  public var adapters: [Adapter] = []
  /// The source of positions; `nil` without one.
  public var receiver: Receiver?
  /// The system clock.
  public var clock: Clock
  /// The store; `nil` before it exists.
  public var store: Store?
  /// The destinations.
  public var uploads: [Upload] = []
  /// Destinations that the configuration names and the store does not know.
  public var unknownDestinations: [String] = []
  /// What the fleet is told; `nil` for nothing.
  public var sharing: Sharing?
  /// Why the configuration was not read when it was to be read again; `nil` if it was.
  public var refusedConfiguration: Failure?
  /// Why the page is not served; `nil` if it is, or if none is wanted.
  public var missingPage: Failure?
  /// Why recordings do not outlast the computer's next start; `nil` if they do.
  public var volatileStore: Failure?
  /// The troubles, faults first.
  public var troubles: [Trouble] = []

  /// How much the worst trouble matters.
  public var level: Trouble.Level { troubles.first?.level ?? .ok }
  /// Whether everything that is wanted is recorded.
  public var works: Bool { level != .fault }
}

extension GatewayStatus.Failure {
  init(_ since: Since<LiveStatus.Obstacle>, at now: BootTime) {
    self.init(text: since.value.text, remedy: since.value.remedy, age: since.seconds(at: now))
  }
}
