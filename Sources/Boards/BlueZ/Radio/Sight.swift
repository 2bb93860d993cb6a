/// A snapshot of the daemon's objects, limited to the properties that matter for links to boards.
public struct Sight: Hashable, Sendable {
  /// Whether the daemon is running and therefore owns its name on the bus.
  public var isDaemonPresent: Bool
  /// The adapters, sorted by path.
  public var adapters: [Adapter]
  /// The devices. A device is listed once for each adapter that found it.
  public var devices: [Device]

  public init(isDaemonPresent: Bool = false, adapters: [Adapter] = [], devices: [Device] = []) {
    self.isDaemonPresent = isDaemonPresent
    self.adapters = adapters
    self.devices = devices
  }

  func adapter(at path: String) -> Adapter? { adapters.first { $0.path == path } }

  func device(at path: String) -> Device? { devices.first { $0.path == path } }
}

/// The attributes that identify a device as a board.
public struct GATTShape: Hashable, Sendable {
  /// UUID of the board's service.
  public var service: String
  /// UUID of the characteristic that accepts commands.
  public var command: String
  /// UUID of the characteristic that sends notifications.
  public var notify: String
  /// UUID of the service that a device offers instead of the board's service while it runs its
  /// bootloader.
  public var bootloader: String

  public init(service: String, command: String, notify: String, bootloader: String) {
    self.service = service
    self.command = command
    self.notify = notify
    self.bootloader = bootloader
  }
}

/// Classifies a device by comparing its attributes with those expected of a board.
public enum Structure: Hashable, Sendable {
  /// The device's attributes are not yet known.
  case unknown
  /// The device has all the attributes of a board.
  case complete
  case bootloader
  /// The device may be a board, but the board's service or one of its characteristics is missing.
  case incomplete
  /// The device does not have the board's service.
  case foreign
}
