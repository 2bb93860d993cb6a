/// The properties of a simulated bluetoothd and its adapters.
public struct DaemonSettings: Hashable, Sendable {
  /// The imitated release.
  public var version = DaemonVersion.v5_72
  /// The number of adapters, each of which hears every board.
  public var adapters = 1
  /// The greatest number of links of one adapter's controller; `nil` for one per board.
  public var slots: Int?
  /// The number of devices in reach that are not boards.
  public var strangers = 0
  /// Seconds for which an unconnected device is kept after its last advertisement.
  public var expirySeconds = 30.0
  /// Seconds after which the kernel gives up a board that does not answer.
  public var connectSeconds = 20.0
  /// Seconds for which a link is held after `Disconnect`.
  public var graceSeconds = 2.0
  /// Seconds from a request to the board's answer, over a link with the usual interval.
  public var latencySeconds = 0.008
  /// Seconds from one connection event to the next, when packets are handed over; 0 to hand over
  /// each packet at once.
  public var eventSeconds = 0.0
  /// Seconds that pairing takes.
  public var pairingSeconds = 0.3
  /// The faults and their times.
  public var faults: [ScheduledDaemonFault] = []

  public init() {}
}
