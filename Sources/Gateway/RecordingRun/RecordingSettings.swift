public import BoardDriver
public import DBus
public import Positioning
public import Values

/// Settings of a recording. New settings have the defaults.
public struct RecordingSettings: Hashable, Sendable {
  /// The address of bluetoothd's bus.
  public var bus = BusAddress.system
  /// Adapters to use, by address; if empty, all that are switched on.
  public var adapters: [BoardAddress] = []
  /// The sensors of each board.
  public var sensors = RecordingPlan.gait
  /// The connection intervals; `nil` to derive them from the number of boards.
  public var pace: LinkPace?
  /// The source of positions; `nil` to record without.
  public var receiver: PositionSource?
  /// Seconds of looking for the boards. Boards in reach wait that long for the others.
  public var scanSeconds = 15.0
  /// Minutes after which a chunk is sealed even if it is not full.
  public var sealMinutes = usualSealMinutes
  /// A chunk of a slow stream has little content after a quarter of an hour, but no sample waits
  /// longer for its upload.
  public static let usualSealMinutes = 15.0
  /// Seconds of samples that a power cut may lose.
  public var atRiskSeconds = usualAtRiskSeconds
  /// With more than a second, the disk is written less often.
  public static let usualAtRiskSeconds = 1.0
  /// The user's remark on the session.
  public var note: String?
  /// The wearer of the boards.
  public var wearer: String?
  /// The user's name for this computer.
  public var gateway: String?
  /// Hazards that are known before the start.
  public var hazards: [HazardRequest] = []

  public init() {}
}

public struct HazardRequest: Hashable, Sendable {
  /// One of the usual names, or any other.
  public var name: String
  /// From 0 to 3.
  public var intensity: Int

  public init(name: String, intensity: Int) {
    self.name = name
    self.intensity = intensity
  }
}
