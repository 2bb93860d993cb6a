/// The configuration of a daemon, checked before anything is opened.
public struct DaemonPlan: Sendable {
  /// When the daemon uploads.
  public enum Uploads: String, Hashable, Sendable, CaseIterable {
    /// Whenever there is something to send and a network.
    case always
    /// Never; `footbridge upload` does it.
    case never
    /// Only while nothing is being recorded: radio and processor are the recording's.
    case notRecording = "not-recording"
  }

  /// How far the daemon goes to bring back samples that do not come.
  public enum Recovery: String, Hashable, Sendable, CaseIterable {
    /// Sensors are started again, and boards linked again.
    case links
    /// Also adapters are switched off and on.
    case adapter
    /// Also USB ports of adapters and receivers are reset.
    case usb
  }

  /// Boards, sensors, receiver and store of each recording.
  public var recording: RecordingPlan
  /// Path of the store.
  public var store: String
  /// When to record.
  public var rule = RecordingWish.Rule.always
  /// Seconds after which a session is closed and the next one begun: the record of a closed session
  /// is uploaded, and a damage stays in one.
  public var sessionSeconds = 86_400.0
  /// How far it goes to bring back samples that do not come.
  public var recovery = Recovery.usb
  /// The USB ports that it may reset.
  public var ports = USBPorts()
  /// When to upload.
  public var uploads = Uploads.always
  /// Names of the destinations to upload to; all of the store if it is empty.
  public var destinations: [String] = []
  /// The Firestore that is told where this computer is while it records, by its name in the store;
  /// `nil` for none.
  public var liveLocation: String?
  /// What the fleet is told; `nil` for nothing.
  public var sharing: SharingPlan?

  /// Whether definitions are pulled by themselves.
  public var pullsDefinitions = true
  /// Names of the destinations that definitions are pulled from, in the order in which they are
  /// asked; all of the store in its order if it is empty.
  public var definitionSources: [String] = []

  /// A plan for recordings into a store.
  public init(_ recording: RecordingPlan, store: String) {
    self.recording = recording
    self.store = store
  }
}
