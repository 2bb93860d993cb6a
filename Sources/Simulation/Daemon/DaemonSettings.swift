/// What a simulated bluetoothd and its adapters are like.
public struct DaemonSettings: Hashable, Sendable {
  /// The release it imitates.
  public var version = DaemonVersion.v5_72
  /// Adapters, each of which hears every board.
  public var adapters = 1
  /// Links the controller of one adapter takes; `nil` for as many as there are boards.
  public var slots: Int?
  /// Devices in reach that are no boards.
  public var strangers = 0
  /// Seconds for which an unconnected device is remembered after its last advertisement.
  public var expirySeconds = 30.0
  /// Seconds after which the kernel gives a board up that does not answer.
  public var connectSeconds = 20.0
  /// Seconds for which a link is held after `Disconnect`.
  public var graceSeconds = 2.0
  /// Seconds from a request to the board's answer, over a link with the usual interval.
  public var latencySeconds = 0.008
  /// Seconds that pairing takes.
  public var pairingSeconds = 0.3
  /// What goes wrong, and when.
  public var faults: [ScheduledDaemonFault] = []

  /// A healthy daemon with one adapter.
  public init() {}
}
