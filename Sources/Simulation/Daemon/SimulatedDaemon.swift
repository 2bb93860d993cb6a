internal import DBus
internal import LinuxSystem
public import Values

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
  /// Samples that could not be sent, for no client was connected or listening.
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
    /// A fault for the daemon, now whatever its time says.
    case injectDaemon(ScheduledDaemonFault)
    /// A notification of the board at an index, which it did not make itself.
    case notify([UInt8], Int)
  }

  private let mailbox: Mailbox<Request>
  private let report: DaemonReport
  private let thread: NamedThread

  /// Connects to the bus at `address` and serves these boards until `stop`.
  public init(
    _ address: String, boards: [SimulatedBoard], settings: DaemonSettings = DaemonSettings()
  ) throws {
    let connection = try BusConnection(.at(address))
    try connection.own("org.bluez")
    let mailbox = try Mailbox<Request>()
    let report = DaemonReport()
    let owned = HandOver(connection)
    self.mailbox = mailbox
    self.report = report
    thread = try NamedThread("bluetoothd") {
      // Only the loop holds the connection, so that it closes when the daemon goes for a while.
      owned.take().map { DaemonLoop($0, at: address, mailbox, boards, settings, report) }?.run()
    }
  }

  deinit {
    stop()
  }

  /// What the boards have done so far, in the order in which they were given.
  public var boardCounts: [BoardCounts] { report.counts }

  /// What clients did so far that a real daemon or its boards would punish, in order; what a board
  /// itself ignores is in its counts.
  public var complaints: [String] { report.complaints }

  /// Makes a fault happen to the board at this place in the list, at once.
  public func inject(_ fault: BoardFault, into board: Int) {
    _ = mailbox.post(.inject(fault, board))
  }

  /// Makes a fault happen to the daemon at once: to the adapter at this place where it concerns
  /// one, and to the board at this place, or to all, where it concerns boards.
  public func inject(_ fault: DaemonFault, adapter: Int = 0, board: Int? = nil) {
    _ = mailbox.post(
      .injectDaemon(ScheduledDaemonFault(fault, at: 0, adapter: adapter, board: board)))
  }

  /// Delivers a notification as if the board at this place had sent it, for those who measure what
  /// becomes of it.
  public func notify(_ bytes: [UInt8], board: Int) {
    _ = mailbox.post(.notify(bytes, board))
  }

  /// Leaves the bus and ends the thread; links of clients hang up.
  public func stop() {
    _ = mailbox.post(.stop)
    thread.join()
  }
}

/// What there is to tell, left by the thread for whoever asks.
final class DaemonReport: Sendable {
  private struct Content {
    var counts: [BoardCounts] = []
    var complaints: [String] = []
  }

  private let held = Guarded(Content())

  var counts: [BoardCounts] {
    get { held.withLock { $0.counts } }
    set { held.withLock { $0.counts = newValue } }
  }

  var complaints: [String] { held.withLock { $0.complaints } }

  func add(_ complaint: String) {
    held.withLock { $0.complaints.append(complaint) }
  }
}
