public import BoardDriver
public import DBus
public import Positioning
public import Values

/// What is recorded, and how. Fresh settings are the usual ones.
public struct RecordingSettings: Hashable, Sendable {
  /// Where bluetoothd is.
  public var bus = BusAddress.system
  /// Adapters to use, by address; when empty, those that are on.
  public var adapters: [BoardAddress] = []
  /// The sensors of each board.
  public var sensors = RecordingPlan.gait
  /// How often boards and adapter meet; `nil` to derive it from the number of boards.
  public var pace: LinkPace?
  /// Where positions come from; `nil` to record without.
  public var receiver: PositionSource?
  /// Seconds to look for the boards. Those in reach wait so long for those that are not.
  public var scanSeconds = 15.0
  /// Minutes after which a chunk is sealed although it is not full.
  public var sealMinutes = usualSealMinutes
  /// A chunk of a slow stream holds little after a quarter of an hour, but no sample waits longer
  /// for its upload.
  public static let usualSealMinutes = 15.0
  /// Seconds of samples that a power cut may cost.
  public var atRiskSeconds = usualAtRiskSeconds
  /// A second: with more, the disk is written less often.
  public static let usualAtRiskSeconds = 1.0
  /// The user's remark on the session.
  public var note: String?
  /// The wearer of the boards.
  public var wearer: String?
  /// The user's name for this computer.
  public var gateway: String?
  /// Hazards that are known before the start.
  public var hazards: [HazardRequest] = []

  /// The usual settings.
  public init() {}
}

/// A hazard that is known before the start.
public struct HazardRequest: Hashable, Sendable {
  /// One of the usual names, or another.
  public var name: String
  /// From 0 to 3.
  public var intensity: Int

  /// A hazard by its parts.
  public init(name: String, intensity: Int) {
    self.name = name
    self.intensity = intensity
  }
}
