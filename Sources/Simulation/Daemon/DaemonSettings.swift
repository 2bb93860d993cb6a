/// The properties of a simulated bluetoothd and its adapters.
public struct DaemonSettings: Hashable, Sendable {
  public var version = DaemonVersion.v5_72
  /// The number of adapters, each of which can hear every board.
  public var adapters = 1
  /// Maximum number of links per adapter; `nil` for no limit.
  public var slots: Int?
  /// The number of devices in range that are not boards.
  public var strangers = 0
  /// Seconds between an unconnected device's last advertisement and its removal by the daemon.
  public var expirySeconds = 30.0
  /// Seconds before the kernel stops trying to connect to a board that does not respond.
  public var connectSeconds = 20.0
  /// Seconds between a call to `Disconnect` and the closing of the link.
  public var graceSeconds = 2.0
  /// Seconds between a request and the board's response, over a link with the usual interval.
  public var latencySeconds = 0.008
  /// Seconds between connection events, at which packets are delivered; 0 to deliver each packet
  /// immediately.
  public var eventSeconds = 0.0
  public var pairingSeconds = 0.3
  public var faults: [ScheduledDaemonFault] = []

  public init() {}
}
