internal import DBus
internal import LinuxSystem
internal import Values

/// A board as the simulated daemon knows it through one adapter: its link and its listeners.
struct SimulatedDevice {
  /// The receiver of notifications.
  enum Listener {
    case nobody
    /// A client that waits for a socket.
    case acquiring
    /// The holder of the other end of this socket.
    case socket(NotifyEnd)
    /// These clients, by signals.
    case signals(Set<String>)
  }

  enum Link {
    case down
    case connecting
    case up
    case disconnecting
  }

  /// The objects that are missing when services are resolved.
  enum MissingObjects: Equatable {
    case times(Int)
    case untilRemoved
  }

  let peripheral: SimulatedPeripheral
  /// The adapter's place in the list.
  let adapter: Int
  /// The adapter's path, which changes with the adapter's number.
  var adapterPath: String { didSet { path = Self.path(of: peripheral, below: adapterPath) } }
  private(set) var path: String
  /// The state of the link.
  ///
  /// Each attempt and each end starts a new generation, so that timers of an older one are ignored.
  var link = Link.down { didSet { if link == .down || link == .connecting { generation += 1 } } }
  private(set) var generation = 0
  var areServicesResolved = false
  /// Whether the GATT objects are on the bus too.
  var areObjectsShown = true
  /// Whether the battery is on the bus.
  var isBatteryShown = false
  /// The last reported battery level.
  var batteryPercent: UInt8 = 0
  /// Whether the object is on the bus: from its first advertisement until it expires.
  var isKnown = false
  var isTrusted = false
  var isPaired = false
  var rssi: Int?
  var lastSeen = 0.0
  /// The time at which the last link ended.
  var lastLinked = -Double.infinity
  var listener = Listener.nobody
  /// Time at which its listener subscribed.
  var subscribedAt = -Double.infinity
  var lastValue: [UInt8]?
  /// Clients whose notifications the daemon starts again with every new link.
  var rearmed: Set<String> = []
  /// Whether the daemon wrongly and permanently believes that the notifications are acquired.
  var isStuckAcquired = false
  var missingObjects = MissingObjects.times(0)
  /// Whether the attempt at a link waits for an advertisement.
  var awaitsBoard = false
  /// Whether the use of this link before a subscription is already among the complaints.
  var isComplainedOf = false
  var calls = DeviceCalls()

  init(_ peripheral: SimulatedPeripheral, adapter: Int, adapterPath: String) {
    self.peripheral = peripheral
    self.adapter = adapter
    self.adapterPath = adapterPath
    path = Self.path(of: peripheral, below: adapterPath)
  }

  /// The board, which its devices on all adapters share.
  var board: SimulatedBoard {
    get { peripheral.board }
    nonmutating _modify { yield &peripheral.board }
  }

  var isConnected: Bool { link == .up || link == .disconnecting }

  /// Whether the device uses one of the controller's slots.
  var takesSlot: Bool { link != .down }

  /// Whether the device stays known without advertisements.
  var isKept: Bool { isTrusted || isPaired || isConnected || link == .connecting }

  /// The notify socket, to detect that its other end is closed.
  var socketNumber: Int32? {
    if case .socket(let end) = listener { end.descriptor.number } else { nil }
  }

  private static func path(of peripheral: SimulatedPeripheral, below adapter: String) -> String {
    adapter + "/dev_" + String(peripheral.board.address.description.map { $0 == ":" ? "_" : $0 })
  }
}

/// Calls that wait for an event of a device.
struct DeviceCalls {
  var connect: DaemonCall?
  var disconnects: [DaemonCall] = []
  var pair: DaemonCall?
  /// The read or the acknowledged write under way; the daemon allows one at a time.
  var request: DaemonCall?
  /// Subscriptions under way.
  var subscriptions: [DaemonCall] = []
}

/// The daemon's end of a notify socket.
final class NotifyEnd {
  let descriptor: OwnedDescriptor
  /// Unique name of the client that asked for the other end.
  let client: String

  init(_ descriptor: consuming OwnedDescriptor, of client: String) {
    self.descriptor = descriptor
    self.client = client
  }
}
