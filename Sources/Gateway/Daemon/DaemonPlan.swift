internal import LinuxSystem

/// What the daemon does: the part of the configuration that it works by. A fresh one has all
/// defaults.
public struct DaemonPlan: Hashable, Sendable {
  /// When the daemon uploads; the raw value is the word in the configuration file.
  public enum Uploads: String, Hashable, Sendable, CaseIterable {
    /// Whenever there is something to send and a network.
    case always
    /// Never; `footbridge upload` does it.
    case never
    /// Only while nothing is being recorded: radio and processor are the recording's.
    case notRecording = "not-recording"
  }

  /// How far the daemon goes to bring back samples that do not come; the raw value is the word in
  /// the configuration file.
  public enum Recovery: String, Hashable, Sendable, CaseIterable {
    /// Sensors are started again, and boards linked again.
    case links
    /// Also adapters are switched off and on.
    case adapter
    /// Also USB ports of adapters and receivers are reset.
    case usb
  }

  /// When the daemon pulls its definitions by itself; the raw value is the word in the
  /// configuration file.
  public enum DefinitionsTime: String, Hashable, Sendable, CaseIterable {
    /// When there are none, and when the last pull is more than a day old.
    case daily
    /// Not at all.
    case never
  }

  /// The boards to record, in the order of the configuration.
  public var boards: [ConfiguredBoard] = []
  /// What is recorded of them, and how.
  public var recording = RecordingSettings()
  /// Path of the store.
  public var store = "/var/lib/footbridge/recording.sqlite"
  /// When to record.
  public var rule = RecordingWish.Rule()
  /// How sessions begin and end, where walking decides.
  public var walking = WalkingSettings()
  /// Seconds after which a session is closed and the next one begun: the record of a closed session
  /// is uploaded, and a damage stays in one.
  public var sessionSeconds = 86_400.0
  /// How far it goes to bring back samples that do not come.
  public var recovery = Recovery.usb
  /// When to upload.
  public var uploads = Uploads.always
  /// Names of the destinations to upload to; all of the store if it is empty.
  public var destinations: [String] = []
  /// The Firestore that is told where this computer is while it records, by its name in the store;
  /// `nil` for none.
  public var liveLocation: String?
  /// What the gateway shares with its fleet.
  public var sharing = SharingPlan()
  /// When to pull definitions.
  public var definitionsTime = DefinitionsTime.daily
  /// Names of the destinations that definitions are pulled from, in the order in which they are
  /// asked; all of the store in its order if it is empty.
  public var definitionSources: [String] = []

  /// A plan with all defaults.
  public init() {}

  /// The name of this computer: the user's, or that of the host.
  public var gateway: String { recording.gateway ?? ThisComputer.name }

  /// The next recording.
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
