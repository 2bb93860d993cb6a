internal import DBus
internal import LinuxSystem
internal import Recording

/// A board as the simulated daemon knows it: the board, its link, and who listens.
struct SimulatedDevice {
  /// Who gets the notifications.
  enum Listener {
    case nobody
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

  let path: String
  let adapterPath: String
  /// The attributes of its firmware.
  private let firmwareTable: GATTTable
  var board: SimulatedBoard
  /// What the link is doing. Each change makes a new generation, which tells timers of an older
  /// one that they are late.
  var link = Link.down { didSet { generation += 1 } }
  private(set) var generation = 0
  var areServicesResolved = false
  /// Whether the object is on the bus: from its first advertisement until it expires.
  var isKnown = false
  var isTrusted = false
  var isPaired = false
  var rssi: Int?
  var lastSeen = 0.0
  var listener = Listener.nobody
  var lastValue: [UInt8]?
  /// Notifications the listener's socket had no room for.
  var dropped = 0

  init(_ board: SimulatedBoard, adapterPath: String) {
    self.board = board
    self.adapterPath = adapterPath
    path =
      adapterPath + "/dev_" + String(board.address.description.map { $0 == ":" ? "_" : $0 })
    firmwareTable = GATTTable(of: board)
  }

  /// The attributes it shows now.
  var table: GATTTable { board.mode == .bootloader ? .bootloader : firmwareTable }

  var isConnected: Bool {
    link == .up || link == .disconnecting
  }
}

/// The daemon's end of a notify socket.
final class NotifyEnd {
  let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }
}

extension SimulatedDevice {
  /// The notify socket to be watched for its other end being closed.
  var socketNumber: Int32? {
    if case .socket(let end) = listener { end.descriptor.number } else { nil }
  }

  /// What the board has done so far.
  var counts: BoardCounts {
    BoardCounts(
      address: board.address, notifications: board.notificationsSent, samples: board.samplesSent,
      samplesLost: board.samplesDropped, samplesUnheard: board.samplesUnheard, dropped: dropped,
      complaints: board.complaints)
  }
}
