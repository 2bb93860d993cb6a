public import Positioning
public import Recording
public import Storage
public import Values

/// The daemon's state at one point in time. Every value that may be outdated comes with its age in
/// seconds.
public struct GatewayStatus: Hashable, Sendable {
  /// The stage of the daemon's recording.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// No recording is wanted at the moment.
    case waiting
    /// The gateway is looking for the recording's boards and setting them up.
    case starting
    /// The boards stream or detect walking themselves, and a session starts when someone walks.
    case standby
    /// A session is open, and samples should arrive.
    case recording
    case ending
    /// The last attempt failed, and the gateway will retry automatically.
    case retrying
  }

  public struct Recording: Hashable, Sendable {
    public var phase: Phase
    public var phaseAge: Double
    public var rule: RecordingWish.Rule
    /// Whether a user stopped the recording.
    public var isStopped = false
    /// Seconds since a user paused the recording, or `nil` if it is not paused.
    public var pause: Double?
    /// The open session's id, or `nil` if none is open or it has no sample yet.
    public var session: UniqueID?
    /// The pseudonym of the session's participant, or `nil` if none was chosen.
    public var participant: String?
    /// The state between sessions, if sessions start when someone walks.
    public var standby: LiveStatus.Standby?
    /// Seconds since the session's first sample.
    public var elapsed = 0.0
    /// The number of recordings that ended unexpectedly since the daemon started.
    public var restarts = 0
    public var failure: Failure?
  }

  public struct Failure: Hashable, Sendable {
    public var text: String
    /// An instruction for the user. Empty if no remedy is known.
    public var remedy: String
    public var age: Double
  }

  public struct Board: Hashable, Sendable {
    public var address: BoardAddress
    /// The user's name for the board, or its advertised name.
    public var name: String
    public var phase: LiveStatus.BoardPhase
    public var phaseAge: Double
    /// Seconds since the board's last sample, or `nil` before the first.
    public var sampleAge: Double?
    /// Battery charge in percent.
    public var battery: Int?
    /// Signal strength in dBm when the board was last heard.
    public var rssi: Int?
    /// Whether the board responded to the last request over its link.
    public var isAnswering = false
    /// Whether the board is waiting because every adapter has reached its maximum number of links.
    public var isCrowdedOut = false
    public var streams: [Stream] = []
    /// Recovery steps taken since the daemon started.
    public var help = HelpCounts.Board()
    /// The board's fault or, if it has none, its activity. `nil` until the status has been checked
    /// for problems.
    public var condition: Trouble?
  }

  public struct Stream: Hashable, Sendable {
    public var signal: String
    /// The requested number of samples per second.
    public var requestedRate: Double
    /// Samples per second, measured over the last one or two seconds.
    public var measuredRate: Double
    /// The number of samples received in the session.
    public var received: UInt64
    /// The number of samples lost in the session, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// Seconds since a stream that should be sending fell silent, or `nil` while it is sending.
    public var silence: Double?
    /// Estimated samples missing since the stream went silent. They are added to the lost samples
    /// when the next sample arrives or the session ends.
    public var missing: UInt64 = 0
  }

  /// The state of bluetoothd and its adapters.
  public struct Bluetooth: Hashable, Sendable {
    /// The reason why no board can be connected, or `nil` if nothing prevents a connection.
    public var obstacle: String?
    public var remedy: String
    /// Seconds since `obstacle`, the reason why no board can be connected, last changed.
    public var age: Double
  }

  /// A Bluetooth adapter that is or was in use.
  public struct Adapter: Hashable, Sendable {
    /// The adapter's name, such as `hci0`.
    public var name: String
    /// Recovery steps taken since the daemon started.
    public var help = HelpCounts.Device()
    /// The fault that remains after all recovery steps have been tried, or `nil` if the adapter
    /// works.
    public var complaint: String?
  }

  /// The state of the position source.
  public struct Receiver: Hashable, Sendable {
    /// The source, as configured by the user.
    public var source: String
    /// The receiver's state, or `nil` while nothing is recorded.
    public var state: ReceiverState?
    public var stateAge: Double?
    /// Seconds since the last fix, or `nil` before the first.
    public var fixAge: Double?
    /// Recovery steps taken for the receiver since the daemon started.
    public var help = HelpCounts.Device()
    /// Whether every recovery step failed.
    public var isHelpless = false
    /// The reason why the receiver's port cannot be used even though it exists.
    public var problem: LiveStatus.Obstacle?

    public var isCurrent: Bool { state?.isCurrent ?? false }
  }

  public struct Clock: Hashable, Sendable {
    public var isSynchronised: Bool
    /// The kernel's estimate of the clock's maximum error in seconds, or `nil` if unknown.
    public var uncertainty: Double?
  }

  public struct Store: Hashable, Sendable {
    public var path: String
    /// Size of the store's content in bytes.
    public var used: UInt64
    /// Free space on the store's disk in bytes.
    public var free: UInt64
    public var space: SpacePolicy.State
    /// Seconds since `space`, the state of the free space, last changed.
    public var spaceAge: Double
    /// The number of bytes per day that the recording adds to the store at its current sample
    /// rates.
    public var bytesPerDay: UInt64
    /// Seconds since the store was last measured.
    public var age: Double

    /// The number of days until the disk is full at the current rate, or `nil` if no data is being
    /// added.
    public var daysLeft: Double? {
      bytesPerDay == 0 ? nil : Double(free) / Double(bytesPerDay)
    }
  }

  /// The state of one destination's uploads.
  public struct Upload: Hashable, Sendable {
    public var destination: String
    /// Whether the configuration currently allows uploads to this destination.
    public var isEnabled: Bool
    /// The number of chunks that the destination has stored.
    public var sent: Int
    /// The number of chunks that are waiting to be sent.
    public var waiting: Int
    /// Total size of the waiting chunks in bytes.
    public var waitingBytes: UInt64
    /// The number of chunks that the destination rejected.
    public var parked: Int
    /// Seconds since the destination last stored an item, or `nil` if it never has.
    public var successAge: Double?
    /// Seconds until the next attempt, or `nil` if no retry is pending.
    public var retry: Double?
    /// The reason why the upload is waiting, followed by the remedy on separate lines. Empty if no
    /// retry is pending.
    public var error: String
    /// Seconds since the backlog was last counted.
    public var age: Double
  }

  /// A board that is swapped, turned or loose.
  public struct Mounting: Hashable, Sendable {
    public var fault: MountingFault

    public init(fault: MountingFault) { self.fault = fault }
  }

  /// The state of sharing with the fleet.
  public struct Sharing: Hashable, Sendable {
    public var broker: String
    public var share: SharingPlan.Share
    public var isConnected: Bool
    /// The reason why the broker is not connected, or `nil` while it is connected.
    public var failure: Failure?
  }

  /// A current or imminent problem. A board's condition has the same type, and may also describe
  /// normal operation.
  public struct Trouble: Hashable, Sendable {
    public enum Level: String, Hashable, Sendable, CaseIterable {
      /// Something that should be recorded is not being recorded.
      case fault
      /// The user should know about the problem, but everything is being recorded.
      case warning
      /// It is too early to know whether recording is working.
      case unknown
      case ok
    }

    public var level: Level
    /// The name of a board or destination, the label of a badly mounted board, or one of
    /// `recording`, `bluetooth`, `receiver`, `store`, `clock`, `configuration`, `sharing` and
    /// `page`.
    public var subject: String
    /// The problem in a few words, without the subject.
    public var text: String
    /// Seconds since the problem began, or `nil` if unknown.
    public var age: Double?
    public var remedy: String
  }

  public var version: String
  /// Seconds since the daemon started.
  public var uptime: Double
  public var recording: Recording
  /// The boards being recorded, or the configured boards while nothing is being recorded.
  public var boards: [Board] = []
  /// The state of Bluetooth, or `nil` while nothing is recorded.
  public var bluetooth: Bluetooth?
  /// The adapters used since the daemon's first search for boards.
  public var adapters: [Adapter] = []
  /// The state of the position source, or `nil` if there is no source.
  public var receiver: Receiver?
  public var clock: Clock
  /// The state of the store, or `nil` before it exists.
  public var store: Store?
  public var uploads: [Upload] = []
  /// Configured destinations that are missing from the store.
  public var unknownDestinations: [String] = []
  /// The state of sharing, or `nil` if nothing is shared.
  public var sharing: Sharing?
  /// The reason why the configuration was not reloaded, or `nil` if it was.
  public var refusedConfiguration: Failure?
  /// The reason why the page is not served. `nil` if it is served, or if no page is configured.
  public var missingPage: Failure?
  /// The reason why recordings would not survive a computer restart, or `nil` if they would.
  public var volatileStore: Failure?
  /// The session's boards that are swapped, turned or loose.
  public var mountings: [Mounting] = []
  /// The current problems, faults first.
  public var troubles: [Trouble] = []

  /// The level of the most serious problem.
  public var level: Trouble.Level { troubles.first?.level ?? .ok }
  /// Whether everything that should be recorded is being recorded.
  public var works: Bool { level != .fault }
}

extension GatewayStatus.Failure {
  init(_ since: Since<LiveStatus.Obstacle>, at now: BootTime) {
    self.init(text: since.value.text, remedy: since.value.remedy, age: since.seconds(at: now))
  }
}
