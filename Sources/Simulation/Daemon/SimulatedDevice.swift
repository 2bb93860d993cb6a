internal import DBus
internal import LinuxSystem
internal import Values

/// A board as the simulated daemon knows it over one adapter: its link, and who listens.
struct SimulatedDevice {
  /// Who gets the notifications.
  enum Listener {
    case nobody
    /// Somebody who waits for a socket.
    case acquiring
    /// The holder of the other end of this socket.
    case socket(NotifyEnd)
    /// These clients, as signals.
    case signals(Set<String>)
  }

  enum Link {
    case down
    case connecting
    case up
    case disconnecting
  }

  /// Which objects stay away when services are resolved.
  enum MissingObjects: Equatable {
    case times(Int)
    case untilRemoved
  }

  let peripheral: SimulatedPeripheral
  /// The adapter's place among all.
  let adapter: Int
  /// The adapter's path; it gets another one when the adapter does.
  var adapterPath: String { didSet { path = Self.path(of: peripheral, below: adapterPath) } }
  private(set) var path: String
  /// What the link is doing.
  ///
  /// Each attempt and each end makes a new generation, which tells timers of an older one that they
  /// are late.
  var link = Link.down { didSet { if link == .down || link == .connecting { generation += 1 } } }
  private(set) var generation = 0
  var areServicesResolved = false
  /// Whether the GATT objects are on the bus too.
  var areObjectsShown = true
  /// Whether the battery is.
  var isBatteryShown = false
  /// The level told last.
  var batteryPercent: UInt8 = 0
  /// Whether the object is on the bus: from its first advertisement until it expires.
  var isKnown = false
  var isTrusted = false
  var isPaired = false
  var rssi: Int?
  var lastSeen = 0.0
  /// When its last link ended.
  var lastLinked = -Double.infinity
  var listener = Listener.nobody
  var lastValue: [UInt8]?
  /// Clients whose notifications the daemon starts again by itself with every new link.
  var rearmed: Set<String> = []
  /// Whether the daemon believes for ever that the notifications are acquired.
  var isStuckAcquired = false
  var missingObjects = MissingObjects.times(0)
  /// Whether the attempt at a link waits for the board to be heard.
  var awaitsBoard = false
  /// Whether somebody was told already that this link is used before it was listened to.
  var isComplainedOf = false
  var calls = DeviceCalls()

  init(_ peripheral: SimulatedPeripheral, adapter: Int, adapterPath: String) {
    self.peripheral = peripheral
    self.adapter = adapter
    self.adapterPath = adapterPath
    path = Self.path(of: peripheral, below: adapterPath)
  }

  /// The board, which all devices of it share.
  var board: SimulatedBoard {
    get { peripheral.board }
    nonmutating _modify { yield &peripheral.board }
  }

  var isConnected: Bool { link == .up || link == .disconnecting }

  /// Whether it takes one of the controller's places.
  var takesSlot: Bool { link != .down }

  /// Whether it stays known without being heard.
  var isKept: Bool { isTrusted || isPaired || isConnected || link == .connecting }

  /// The notify socket to be watched for its other end being closed.
  var socketNumber: Int32? {
    if case .socket(let end) = listener { end.descriptor.number } else { nil }
  }

  private static func path(of peripheral: SimulatedPeripheral, below adapter: String) -> String {
    adapter + "/dev_" + String(peripheral.board.address.description.map { $0 == ":" ? "_" : $0 })
  }
}

/// Calls that wait for something to happen to a device.
struct DeviceCalls {
  var connect: DaemonCall?
  var disconnects: [DaemonCall] = []
  var pair: DaemonCall?
  /// The read or the acknowledged write on its way; the daemon has one at a time.
  var request: DaemonCall?
  /// Subscriptions on their way.
  var subscriptions: [DaemonCall] = []
}

/// The daemon's end of a notify socket.
final class NotifyEnd {
  let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }
}
