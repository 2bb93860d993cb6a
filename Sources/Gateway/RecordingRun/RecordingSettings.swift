public import BoardDriver
public import DBus
public import Positioning
public import Recording
public import Values

/// The settings for a recording. Each setting has a default value.
public struct RecordingSettings: Hashable, Sendable {
  /// The address of the D-Bus bus that bluetoothd uses.
  public var bus = BusAddress.system
  /// Addresses of the adapters to use. If empty, all adapters that are switched on are used.
  public var adapters: [BoardAddress] = []
  public var sensors = RecordingPlan.gait
  /// The connection intervals, or `nil` to derive them from the number of boards.
  public var pace: LinkPace?
  /// The position source, or `nil` to record without positions.
  public var receiver: PositionSource?
  /// Seconds to search for the boards. Boards that have been found wait this long for the others.
  public var scanSeconds = 15.0
  /// The maximum time in minutes that a chunk stays open. It is then sealed even if it is not full.
  public var sealMinutes = usualSealMinutes
  /// Default value of `sealMinutes`. A chunk of a slow stream is small after 15 minutes, but no
  /// sample should wait longer for its upload.
  public static let usualSealMinutes = 15.0
  /// The maximum number of seconds of samples that a power failure may destroy.
  public var atRiskSeconds = usualAtRiskSeconds
  /// Default value of `atRiskSeconds`. A longer time reduces the number of disk writes.
  public static let usualAtRiskSeconds = 1.0
  /// The user's note on the session.
  public var note: String?
  /// A remark about the person who wears the boards.
  public var wearer: String?
  /// The study participant who wears the boards.
  public var participant: Participant?
  /// The user's name for this computer.
  public var gateway: String?
  /// Hazards that are known before the recording starts.
  public var hazards: [HazardRequest] = []

  public init() {}
}

public struct HazardRequest: Hashable, Sendable {
  /// One of the standard hazard names, or any other name.
  public var name: String
  /// The hazard's intensity, from 0 to 3.
  public var intensity: Int

  public init(name: String, intensity: Int) {
    self.name = name
    self.intensity = intensity
  }
}
