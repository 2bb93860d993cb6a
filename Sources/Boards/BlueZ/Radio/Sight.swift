/// The daemon's objects at one moment, as far as links to boards depend on them.
public struct Sight: Hashable, Sendable {
  /// Whether a client owns the daemon's name.
  public var isDaemonPresent: Bool
  /// The adapters, in order of their paths.
  public var adapters: [Adapter]
  /// The devices, one for each adapter that knows it.
  public var devices: [Device]

  /// A sight; without arguments, one without daemon and objects.
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
  /// UUID of the service.
  public var service: String
  /// UUID of the service's characteristic that takes commands.
  public var command: String
  /// UUID of the service's characteristic that notifies.
  public var notify: String
  /// UUID of the service that a device in its bootloader shows instead.
  public var bootloader: String

  public init(service: String, command: String, notify: String, bootloader: String) {
    self.service = service
    self.command = command
    self.notify = notify
    self.bootloader = bootloader
  }
}

/// Classification of a device by its attributes.
public enum Structure: Hashable, Sendable {
  /// The attributes are not known yet.
  case unknown
  /// All required attributes exist.
  case complete
  case bootloader
  /// The service exists, but one of its characteristics is missing.
  case incomplete
  /// The device does not have the service.
  case foreign
}
