internal import LinuxSystem

/// The part of the configuration that the daemon works by. A new plan has all defaults.
public struct DaemonPlan: Hashable, Sendable {
  /// The raw value is the word in the configuration file.
  public enum Uploads: String, Hashable, Sendable, CaseIterable {
    /// Whenever there is something to send and a network.
    case always
    /// Never; `footbridge upload` does it.
    case never
    /// Only while nothing is being recorded, so that the recording has radio and processor to
    /// itself.
    case notRecording = "not-recording"
  }

  /// The strongest step that the daemon may take to bring back missing samples. The raw value is
  /// the word in the configuration file.
  public enum Recovery: String, Hashable, Sendable, CaseIterable {
    /// Sensors are restarted, and boards reconnected.
    case links
    /// Adapters are also switched off and on.
    case adapter
    /// USB ports of adapters and receivers are also reset.
    case usb
  }

  /// The schedule of automatic pulls. The raw value is the word in the configuration file.
  public enum DefinitionsTime: String, Hashable, Sendable, CaseIterable {
    /// If there are none, and if the last pull is more than a day old.
    case daily
    /// Not at all.
    case never
  }

  /// The boards to record, in the configuration's order.
  public var boards: [ConfiguredBoard] = []
  /// Sensors, rates and other settings of the recording.
  public var recording = RecordingSettings()
  /// Path of the store.
  public var store = "/var/lib/footbridge/recording.sqlite"
  public var rule = RecordingWish.Rule()
  /// The begin and end of sessions that depend on walking.
  public var walking = WalkingSettings()
  /// Seconds after which a session is closed and the next one begun. The record of a closed session
  /// is uploaded, and damage stays within one session.
  public var sessionSeconds = 86_400.0
  /// The strongest recovery step that is allowed.
  public var recovery = Recovery.usb
  public var uploads = Uploads.always
  /// Names of the destinations to upload to; all of the store's if empty.
  public var destinations: [String] = []
  /// The Firestore, by its name in the store, that receives this computer's position during
  /// recordings; `nil` for none.
  public var liveLocation: String?
  public var sharing = SharingPlan()
  public var definitionsTime = DefinitionsTime.daily
  /// Names of the destinations to pull definitions from, in the order in which they are asked. If
  /// empty, all of the store's, in its order.
  public var definitionSources: [String] = []

  public init() {}

  /// The name of this computer: the one that the user gave, or else the host's.
  public var gateway: String { recording.gateway ?? ThisComputer.name }

  public var nextRecording: RecordingPlan {
    var next = RecordingPlan(
      recording, boards: .addresses(boards.map(\.address)), destination: .store(store))
    next.settings.gateway = gateway
    for board in boards where !board.name.isEmpty { next.names[board.address] = board.name }
    for board in boards { next.placements[board.address] = board.placement }
    next.speedMemory = store + "-receivers"
    next.continuesSessions = true
    next.walking = rule.time == .walking ? walking : nil
    return next
  }
}
