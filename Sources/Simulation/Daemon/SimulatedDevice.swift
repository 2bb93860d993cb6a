internal import DBus
internal import LinuxSystem
internal import Values

/// The simulated daemon's view of a board through one adapter, with the board's link and listeners.
struct SimulatedDevice {
  /// The client or clients that receive a device's notifications.
  enum Listener {
    case nobody
    /// A client has requested a socket and is waiting for it.
    case acquiring
    /// The client at the other end of this socket receives the notifications.
    case socket(NotifyEnd)
    /// These clients receive the notifications as signals.
    case signals(Set<String>)
  }

  enum Link {
    case down
    case connecting
    case up
    case disconnecting
  }

  /// The number of service resolutions at which the GATT objects will be missing.
  enum MissingObjects: Equatable {
    case times(Int)
    case untilRemoved
  }

  let peripheral: SimulatedPeripheral
  /// Index of the adapter in the daemon's list.
  let adapter: Int
  /// The adapter's path, which changes whenever the adapter's number does.
  var adapterPath: String { didSet { path = Self.path(of: peripheral, below: adapterPath) } }
  private(set) var path: String
  /// A new generation starts with each connection attempt and at the end of each link. Timers from
  /// older generations are ignored.
  var link = Link.down { didSet { if link == .down || link == .connecting { generation += 1 } } }
  private(set) var generation = 0
  var areServicesResolved = false
  /// Whether the GATT objects are on the bus once services are resolved.
  var areObjectsShown = true
  /// Whether the battery's interface is on the bus.
  var isBatteryShown = false
  /// The last reported battery level.
  var batteryPercent: UInt8 = 0
  /// Whether the device's object is on the bus. The object appears with the device's first
  /// advertisement and stays until the device expires.
  var isKnown = false
  var isTrusted = false
  var isPaired = false
  var rssi: Int?
  var lastSeen = 0.0
  /// The time at which the last link ended.
  var lastLinked = -Double.infinity
  var listener = Listener.nobody
  var subscribedAt = -Double.infinity
  var lastValue: [UInt8]?
  /// Clients for which the daemon restarts notifications on every new link.
  var rearmed: Set<String> = []
  /// Whether the daemon incorrectly treats the notifications as acquired and will never release
  /// them.
  var isStuckAcquired = false
  var missingObjects = MissingObjects.times(0)
  /// Whether the connection attempt is waiting for an advertisement.
  var awaitsBoard = false
  /// Whether the daemon has already complained that this link was used before a subscription.
  var isComplainedOf = false
  var calls = DeviceCalls()

  init(_ peripheral: SimulatedPeripheral, adapter: Int, adapterPath: String) {
    self.peripheral = peripheral
    self.adapter = adapter
    self.adapterPath = adapterPath
    path = Self.path(of: peripheral, below: adapterPath)
  }

  /// The board, which is shared by its devices on all adapters.
  var board: SimulatedBoard {
    get { peripheral.board }
    nonmutating _modify { yield &peripheral.board }
  }

  var isConnected: Bool { link == .up || link == .disconnecting }

  /// Whether the device counts towards the controller's maximum number of links.
  var takesSlot: Bool { link != .down }

  /// Whether the daemon keeps the device even while the board is not advertising.
  var isKept: Bool { isTrusted || isPaired || isConnected || link == .connecting }

  /// The notify socket, used to detect that its other end is closed.
  var socketNumber: Int32? {
    if case .socket(let end) = listener { end.descriptor.number } else { nil }
  }

  private static func path(of peripheral: SimulatedPeripheral, below adapter: String) -> String {
    adapter + "/dev_" + String(peripheral.board.address.description.map { $0 == ":" ? "_" : $0 })
  }
}

/// Calls that are waiting for an event from a device.
struct DeviceCalls {
  var connect: DaemonCall?
  var disconnects: [DaemonCall] = []
  var pair: DaemonCall?
  /// The pending read or acknowledged write. The daemon allows only one at a time.
  var request: DaemonCall?
  var subscriptions: [DaemonCall] = []
}

/// The daemon's end of a notify socket.
final class NotifyEnd {
  let descriptor: OwnedDescriptor
  /// Unique name of the client that requested the other end.
  let client: String

  init(_ descriptor: consuming OwnedDescriptor, of client: String) {
    self.descriptor = descriptor
    self.client = client
  }
}
