public import Positioning
public import Recording
public import Storage
public import Values

/// The daemon's state at one moment. Every value that may be outdated has an age in seconds.
public struct GatewayStatus: Hashable, Sendable {
  /// The stage of the daemon's recording.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// No recording is wanted now.
    case waiting
    /// The boards of a recording are being found and set up.
    case starting
    /// Samples arrive, and a session begins with walking.
    case standby
    /// Samples arrive, or should arrive.
    case recording
    /// The recording is being closed.
    case ending
    /// The last attempt failed, and another follows automatically.
    case retrying
  }

  public struct Recording: Hashable, Sendable {
    public var phase: Phase
    public var phaseAge: Double
    public var rule: RecordingWish.Rule
    /// Whether a person stopped it.
    public var isStopped = false
    /// Seconds since a person paused it; `nil` if it is not paused.
    public var pause: Double?
    /// `nil` before the first sample.
    public var session: UniqueID?
    /// The wait for a session, if sessions begin with walking.
    public var standby: LiveStatus.Standby?
    /// Seconds since the first sample of the session.
    public var elapsed = 0.0
    /// Recordings that ended by themselves since the daemon started; each was restarted.
    public var restarts = 0
    /// The last reason for a restart.
    public var failure: Failure?
  }

  public struct Failure: Hashable, Sendable {
    public var text: String
    /// Empty if none is known.
    public var remedy: String
    public var age: Double
  }

  public struct Board: Hashable, Sendable {
    public var address: BoardAddress
    /// The user's name for it, or its advertised name.
    public var name: String
    public var phase: LiveStatus.BoardPhase
    public var phaseAge: Double
    /// Seconds since its last sample; `nil` before the first.
    public var sampleAge: Double?
    /// In percent.
    public var battery: Int?
    /// In dBm, as last heard.
    public var rssi: Int?
    /// Whether it answered the last request over its link.
    public var isAnswering = false
    /// Whether it waits because every adapter is full.
    public var isCrowdedOut = false
    public var streams: [Stream] = []
    /// Recovery steps since the daemon started.
    public var help = HelpCounts.Board()
    /// Its fault, or else its activity; `nil` before the status is judged.
    public var condition: Trouble?
  }

  public struct Stream: Hashable, Sendable {
    public var signal: String
    /// Samples per second, as requested.
    public var requestedRate: Double
    /// Samples per second over the last round or two.
    public var measuredRate: Double
    /// Samples received in the session.
    public var received: UInt64
    /// Samples lost in the session, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// Seconds for which it has sent nothing although it should; `nil` while it sends.
    public var silence: Double?
    /// Estimate of the samples missing from the session since then. They count as lost with the
    /// next sample, or at the end.
    public var missing: UInt64 = 0
  }

  /// bluetoothd and its adapters.
  public struct Bluetooth: Hashable, Sendable {
    /// The reason why no board can be connected; `nil` if there is none.
    public var obstacle: String?
    public var remedy: String
    /// Seconds since this has been so.
    public var age: Double
  }

  /// A Bluetooth adapter in use, or formerly in use.
  public struct Adapter: Hashable, Sendable {
    /// As in `hci0`.
    public var name: String
    /// Recovery steps since the daemon started.
    public var help = HelpCounts.Device()
    /// The fault that remains after every recovery step; `nil` without one.
    public var complaint: String?
  }

  /// The source of positions.
  public struct Receiver: Hashable, Sendable {
    /// In the user's words.
    public var source: String
    /// `nil` while nothing is recorded.
    public var state: ReceiverState?
    public var stateAge: Double?
    /// Seconds since the last fix; `nil` before the first.
    public var fixAge: Double?
    /// Recovery steps since the daemon started.
    public var help = HelpCounts.Device()
    /// Whether every recovery step failed.
    public var isHelpless = false
    /// The reason why its port cannot be used although it exists.
    public var problem: LiveStatus.Obstacle?

    public var isCurrent: Bool { state?.isCurrent ?? false }
  }

  public struct Clock: Hashable, Sendable {
    public var isSynchronised: Bool
    /// The largest error that the kernel estimates, in seconds; `nil` without an estimate.
    public var uncertainty: Double?
  }

  /// The store and its disk.
  public struct Store: Hashable, Sendable {
    public var path: String
    /// Bytes of its content.
    public var used: UInt64
    /// Free bytes on its disk.
    public var free: UInt64
    public var space: SpacePolicy.State
    /// Seconds since `space` last changed.
    public var spaceAge: Double
    /// Bytes that a day of this recording adds at the present rates.
    public var bytesPerDay: UInt64
    /// Seconds since the figures were taken.
    public var age: Double

    /// Days until the disk is full at this rate; `nil` if nothing is being added.
    public var daysLeft: Double? {
      bytesPerDay == 0 ? nil : Double(free) / Double(bytesPerDay)
    }
  }

  /// The upload to one destination.
  public struct Upload: Hashable, Sendable {
    public var destination: String
    /// Whether the configuration permits sending to it now.
    public var isEnabled: Bool
    /// Chunks that it has stored.
    public var sent: Int
    /// Chunks not yet sent.
    public var waiting: Int
    /// Bytes of the waiting chunks.
    public var waitingBytes: UInt64
    /// Chunks that it rejected.
    public var parked: Int
    /// Seconds since it last stored something; `nil` for never.
    public var successAge: Double?
    /// Seconds until the next attempt; `nil` if it does not rest.
    public var retry: Double?
    /// The reason and the remedy, a line each; empty if it does not rest.
    public var error: String
    /// Seconds since the figures were taken.
    public var age: Double
  }

  /// The sharing with the fleet.
  public struct Sharing: Hashable, Sendable {
    public var broker: String
    public var share: SharingPlan.Share
    public var isConnected: Bool
    /// The reason for a missing connection; `nil` while connected.
    public var failure: Failure?
  }

  /// Something that does not work, or soon will not. As a board's condition, also something that
  /// works.
  public struct Trouble: Hashable, Sendable {
    public enum Level: String, Hashable, Sendable, CaseIterable {
      /// Something that is wanted is not recorded.
      case fault
      /// A person should know, but everything is recorded.
      case warning
      /// It is too early to say.
      case unknown
      /// It works.
      case ok
    }

    public var level: Level
    /// A board's name, a destination, or one of `recording`, `bluetooth`, `receiver`, `store`,
    /// `clock`, `configuration`, `sharing` and `page`.
    public var subject: String
    /// In a few words, without the subject.
    public var text: String
    /// Seconds since it began; `nil` if unknown.
    public var age: Double?
    public var remedy: String
  }

  public var version: String
  /// Seconds since the daemon started.
  public var uptime: Double
  public var recording: Recording
  /// The recording's boards, or the configured ones while nothing is recorded.
  public var boards: [Board] = []
  /// `nil` while nothing is recorded.
  public var bluetooth: Bluetooth?
  /// The adapters in use, since the first recording looked for its boards.
  public var adapters: [Adapter] = []
  /// `nil` without a source of positions.
  public var receiver: Receiver?
  public var clock: Clock
  /// `nil` before it exists.
  public var store: Store?
  public var uploads: [Upload] = []
  /// Configured destinations that are missing from the store.
  public var unknownDestinations: [String] = []
  /// `nil` if nothing is shared.
  public var sharing: Sharing?
  /// The reason why the configuration was not reloaded; `nil` if it was.
  public var refusedConfiguration: Failure?
  /// The reason why the page is not served; `nil` if it is, or if none is wanted.
  public var missingPage: Failure?
  /// The reason why recordings do not survive the computer's next start; `nil` if they do.
  public var volatileStore: Failure?
  /// Faults first.
  public var troubles: [Trouble] = []

  /// The level of the worst trouble.
  public var level: Trouble.Level { troubles.first?.level ?? .ok }
  /// Whether everything is recorded that should be.
  public var works: Bool { level != .fault }
}

extension GatewayStatus.Failure {
  init(_ since: Since<LiveStatus.Obstacle>, at now: BootTime) {
    self.init(text: since.value.text, remedy: since.value.remedy, age: since.seconds(at: now))
  }
}
