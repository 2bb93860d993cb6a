internal import LinuxSystem
public import Recording

/// The daemon's settings, as read from the configuration. A new plan has the default value for each
/// setting.
public struct DaemonPlan: Hashable, Sendable {
  /// The conditions under which the daemon uploads. The raw value is the word in the configuration
  /// file.
  public enum Uploads: String, Hashable, Sendable, CaseIterable {
    /// Upload whenever there is data to send and a network connection.
    case always
    /// Never upload automatically. Only `footbridge upload` sends data.
    case never
    /// Upload only while no recording is running, so that uploads do not compete for the radio and
    /// the processor.
    case notRecording = "not-recording"
  }

  /// The strongest recovery step that the daemon may take when samples are missing. The raw value
  /// is the word in the configuration file.
  public enum Recovery: String, Hashable, Sendable, CaseIterable {
    /// Restarts sensors and reconnects boards.
    case links
    /// Also power-cycles adapters.
    case adapter
    /// Also resets the USB ports of adapters and receivers.
    case usb
  }

  /// The schedule for pulling definitions automatically. The raw value is the word in the
  /// configuration file.
  public enum DefinitionsTime: String, Hashable, Sendable, CaseIterable {
    /// Pulls if the store has no definitions, or if the last pull is more than a day old.
    case daily
    case never
  }

  /// The boards to record, in the order in which the configuration lists them.
  public var boards: [ConfiguredBoard] = []
  /// The default participant's pseudonym. A user can name another participant when starting a
  /// recording.
  public var participant: String?
  /// The participants that the definitions list.
  public var participants: [Participant] = []
  public var recording = RecordingSettings()
  public var store = "/var/lib/footbridge/recording.sqlite"
  public var rule = RecordingWish.Rule()
  /// The settings for sessions that start when someone walks and end when they rest.
  public var walking = WalkingSettings()
  /// Maximum session length in seconds. When a session reaches it, the next session starts. Shorter
  /// sessions are uploaded sooner, and damage affects only one session.
  public var sessionSeconds = 86_400.0
  public var recovery = Recovery.usb
  public var uploads = Uploads.always
  /// Names of the destinations to upload to. If empty, the daemon uploads to all destinations in
  /// the store.
  public var destinations: [String] = []
  /// The name of the stored Firestore destination that receives this computer's position during
  /// recordings. If `nil`, no position is published.
  public var liveLocation: String?
  public var sharing = SharingPlan()
  public var definitionsTime = DefinitionsTime.daily
  /// Names of the destinations to pull definitions from, in the order in which to query them. If
  /// empty, all destinations are queried in the order in which the store lists them.
  public var definitionSources: [String] = []

  public init() {}

  /// This computer's name: the name chosen by the user, or else the host name.
  public var gateway: String { recording.gateway ?? ThisComputer.name }

  /// The configured participant, as described in the definitions. An unlisted pseudonym is also
  /// accepted, because a recording must not fail for that reason.
  var usualParticipant: Participant? {
    participant.map { id in Participant.find(id, among: participants) ?? Participant(id) }
  }

  public var nextRecording: RecordingPlan {
    var next = RecordingPlan(
      recording, boards: .addresses(boards.map(\.address)), destination: .store(store))
    next.settings.gateway = gateway
    next.settings.participant = usualParticipant
    for board in boards where !board.name.isEmpty { next.names[board.address] = board.name }
    for board in boards { next.placements[board.address] = board.placement }
    next.speedMemory = store + "-receivers"
    next.continuesSessions = true
    next.walking = rule.time == .walking ? walking : nil
    return next
  }
}
