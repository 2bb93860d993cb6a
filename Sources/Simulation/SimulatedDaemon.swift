internal import DBus
internal import LinuxSystem
public import Recording

/// What one simulated board has done so far, as counted by the simulation itself.
public struct BoardCounts: Hashable, Sendable {
  /// The board's address.
  public var address: BoardAddress
  /// Notifications it sent: samples and answers.
  public var notifications: UInt64
  /// Samples in them.
  public var samples: UInt64
  /// Samples of those that a fault of the simulation kept from arriving.
  public var samplesLost: UInt64
  /// Samples that could not be sent, for nobody was connected or listening.
  public var samplesUnheard: UInt64
  /// Notifications the client's socket had no room for; they count as sent all the same.
  public var dropped: Int
  /// What the client did that a real board would not accept.
  public var complaints: [String]
}

/// A stand-in for bluetoothd: owns `org.bluez` on a private bus and serves simulated boards.
public final class SimulatedDaemon: Sendable {
  /// ATT MTU of every link, as of a central that asked for no other.
  static let mtu: UInt16 = 23

  /// Requests from outside to the thread.
  enum Request: Sendable {
    case stop
    /// A fault for the board at an index, now.
    case inject(BoardFault, Int)
  }

  private let mailbox: Mailbox<Request>
  private let box: CountsBox
  private let thread: NamedThread

  /// Connects to the bus at `address` and serves these boards until `stop`.
  public init(_ address: String, boards: [SimulatedBoard]) throws {
    let connection = try BusConnection(.at(address))
    try connection.own("org.bluez")
    let mailbox = try Mailbox<Request>()
    let box = CountsBox()
    let owned = HandOver(connection)
    self.mailbox = mailbox
    self.box = box
    thread = try NamedThread("bluetoothd") {
      guard let connection = owned.take() else { return }
      let loop = DaemonLoop(connection, mailbox, boards, box)
      loop.run()
    }
  }

  deinit {
    stop()
  }

  /// What the boards have done so far, in the order in which they were given.
  public var boardCounts: [BoardCounts] { box.counts }

  /// Makes a fault happen to the board at this place in the list, at once.
  public func inject(_ fault: BoardFault, into board: Int) {
    _ = mailbox.post(.inject(fault, board))
  }

  /// Leaves the bus and ends the thread; links of clients hang up.
  public func stop() {
    _ = mailbox.post(.stop)
    thread.join()
  }
}

/// The counts, left by the thread for whoever asks.
final class CountsBox: Sendable {
  private let held = Guarded<[BoardCounts]>([])

  var counts: [BoardCounts] {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }
}
