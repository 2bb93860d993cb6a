internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import MQTT
internal import Positioning
internal import Statistics
internal import Upload
internal import Values

/// What `footbridge run` does, as its configuration file says it. A fresh one has all defaults.
struct GatewayConfiguration: Configurable {
  /// What the user calls this computer; `nil` for its host name.
  var gateway: String?
  /// Bluetooth adapters to use; all that are on if there is none.
  var adapters: [BoardAddress] = []
  /// How far it goes to bring back samples that do not come.
  var recovery = Recovery.usb
  /// The boards to record, in the order of the file.
  var boards: [ConfiguredBoard] = []
  /// What to record of each board.
  var sensors = RecordingPlan.gait
  /// How often boards and adapter meet; `nil` to let the number of boards decide.
  var pace: LinkPace?
  /// Where positions come from; `nil` to record without.
  var receiver: PositionSource?
  /// When it records.
  var recordingTime = RecordingTime.always
  /// The hours at which it records; `nil` unless the time of recording is `hours`.
  var hours: UploadHours?
  /// What looks for walking between sessions.
  var detector = WalkingSettings.Detector.gateway
  /// Seconds by which walking leads when a session begins, and rest when it ends.
  var leadSeconds = Int(WalkingTrigger.usualLead)
  /// Seconds that are kept before a session.
  var preRollSeconds = Int(WalkingSettings.longestPreRoll)
  /// What happens to a session that somebody's walk begins while the receiver is not there.
  var withoutReceiver = WithoutReceiver.wait
  /// Minutes after which a chunk is sealed although it is not full.
  var sealMinutes = RecordingPlan.usualSealSeconds / 60
  /// Seconds of samples that a power cut may cost.
  var atRiskSeconds = Int(RecordingPlan.usualAtRiskSeconds)
  /// Hours after which a session is closed and another one begun.
  var sessionHours = 24
  /// The remark on every session.
  var note: String?
  /// Who wears the boards.
  var wearer: String?
  /// Hazards of every session.
  var hazards: [HazardRequest] = []
  /// Path of the store.
  var store = "/var/lib/footbridge/recording.sqlite"
  /// Names of the destinations that are sent to; all of the store if there is none.
  var destinations: [String] = []
  /// When they are sent to.
  var uploadTime = UploadTime.always
  /// When it fetches its definitions by itself.
  var definitionsTime = DefinitionsTime.daily
  /// Names of the destinations that it asks for definitions; all of the store if there is none.
  var definitionSources: [String] = []
  /// The Firestore that is told where this computer is, by its name; `nil` for none.
  var liveLocation: String?
  /// The broker by which the fleet is told of this gateway; `nil` for none.
  var broker: BrokerAddress?
  /// The name of the fleet.
  var fleet: String?
  /// The file with the password for the broker.
  var passwordFile: String?
  /// The file with certificates to trust at the broker; `nil` for those of the system.
  var authorityFile: String?
  /// How much the fleet is told.
  var share = SharingPlan.Share.status
  /// When the fleet is told the position.
  var sharingTime = SharingTime.always
  /// The hours for that; `nil` unless the time is `hours`.
  var sharingHours: UploadHours?
  /// Metres between two positions that the fleet is told.
  var sharingDistance = 10
  /// Seconds between two messages to the fleet.
  var sharingSeconds = 5
  /// Seconds for which a message to the fleet holds.
  var sharingValidity = 60
  /// Path of the socket for the status; `nil` for none.
  var statusSocket: String? = "/run/footbridge/status.sock"
  /// Where Prometheus may read the status; `nil` for nowhere.
  var prometheus: ListenAddress?
  /// Where it serves its page; `nil` for nowhere.
  var page: ListenAddress?
  /// Names by which phones reach the page, besides this computer's own.
  var pageNames: [String] = []
  /// The file with a certificate for the page; `nil` without TLS.
  var pageCertificate: String?
  /// The file with the certificate's key.
  var pageCertificateKey: String?
  /// The MBTiles file with the map of the page; `nil` for none.
  var tiles: String?

  /// Reads and checks a configuration file. The error has all of its faults.
  static func read(_ path: String) throws(ConfigurationFaults) -> GatewayConfiguration {
    let reading = ConfigurationReading(path)
    if let faults = ConfigurationFaults(reading.faults) { throw faults }
    return reading.configuration
  }
}

/// A board that the configuration file names.
struct ConfiguredBoard: Configurable {
  /// The user's name for it.
  var name = ""
  /// Its address.
  var address = BoardAddress(value: 0)
  /// Where it is worn; `nil` where the file does not say.
  var placement: String?
}

/// How far the gateway goes to bring back samples that do not come; the raw value is the word in
/// the file.
enum Recovery: String, CaseIterable, Hashable, Sendable {
  /// Sensors are started again, and boards linked again.
  case links
  /// Also adapters are switched off and on.
  case adapter
  /// Also USB ports are reset.
  case usb
}

/// When the gateway records; the raw value is the word in the file.
enum RecordingTime: String, CaseIterable, Hashable, Sendable {
  /// As long as it runs.
  case always
  /// At certain hours of the day.
  case hours
  /// While somebody walks.
  case walking
  /// When somebody asks for it.
  case command
}

/// What a session does while the receiver is not there; the raw value is the word in the file.
enum WithoutReceiver: String, CaseIterable, Hashable, Sendable {
  /// It begins when the receiver is there.
  case wait
  /// It begins, and its samples have no position.
  case record
}

/// When the gateway uploads; the raw value is the word in the file.
enum UploadTime: String, CaseIterable, Hashable, Sendable {
  /// Whenever there is a network.
  case always
  /// Not at all.
  case never
  /// Between recordings.
  case notRecording = "not-recording"
}

/// When the gateway tells its fleet where it is; the raw value is the word in the file.
enum SharingTime: String, CaseIterable, Hashable, Sendable {
  /// Whenever it knows.
  case always
  /// While a session is recorded.
  case session
  /// At certain hours of the day.
  case hours
}

/// When the gateway pulls its definitions by itself; the raw value is the word in the file.
enum DefinitionsTime: String, CaseIterable, Hashable, Sendable {
  /// When there are none, and when the last pull is more than a day old.
  case daily
  /// Not at all.
  case never
}
