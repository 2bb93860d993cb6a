public import DBus
internal import LinuxSystem
public import Values

/// Counts for one simulated board, kept by the simulation itself.
public struct BoardCounts: Hashable, Sendable {
  public var address: BoardAddress
  /// Number of notifications sent, both samples and replies.
  public var notifications: UInt64
  /// Number of samples in the notifications sent.
  public var samples: UInt64
  /// Number of samples that were sent but lost because of a simulated fault or a dropped link.
  public var samplesLost: UInt64
  /// Number of samples that could not be sent because no client was connected or subscribed.
  public var samplesUnheard: UInt64
  /// Number of notifications that did not fit into the client's socket, or that arrived before the
  /// client had its socket. They are still counted as sent.
  public var dropped: Int
  /// Descriptions of the client's errors, such as commands that a real board would ignore.
  public var complaints: [String]
}

/// A delivery of data from the simulated radio to a client. Tests use deliveries to compare the
/// client's data with the ground truth.
public enum Delivery: Sendable {
  /// A client received a notification from the board at this index. `isLeftOver` is true if the
  /// board's sensors were last started before that client subscribed.
  case notification(Int, SimulatedNotification, isLeftOver: Bool)
}

/// Called for each delivery of data from the radio to a client, in order.
public typealias DeliveryWitness = @Sendable (Delivery) -> Void

/// A replacement for bluetoothd: owns `org.bluez` on a private bus and serves simulated boards.
public final class SimulatedDaemon: Sendable {
  /// ATT MTU of every link: the default, which applies until a central requests another value.
  static let mtu: UInt16 = 23

  /// Requests from other threads to the daemon's thread.
  enum Request: Sendable {
    case stop
    /// Immediately start a fault in the board at this index.
    case inject(BoardFault, Int)
    /// Immediately start a daemon fault, regardless of its scheduled time.
    case injectDaemon(ScheduledDaemonFault)
    /// Deliver a notification that the board at this index did not send itself.
    case notify([UInt8], Int)
  }

  private let mailbox: Mailbox<Request>
  private let report: DaemonReport
  private let thread: NamedThread

  /// Connects to the bus at `address` and serves these boards until `stop`. `witness` is called for
  /// each delivery to a client, on the daemon's thread.
  public init(
    _ address: BusAddress, boards: [SimulatedBoard], settings: DaemonSettings = DaemonSettings(),
    witness: DeliveryWitness? = nil
  ) throws {
    let connection = try BusConnection(address)
    try connection.own("org.bluez")
    let mailbox = try Mailbox<Request>()
    let report = DaemonReport()
    let owned = HandOver(connection)
    self.mailbox = mailbox
    self.report = report
    thread = try NamedThread("bluetoothd") { () -> DaemonLoop? in
      // Only the loop has a reference to the connection, so the connection is closed while the
      // daemon is absent.
      owned.take().map { DaemonLoop($0, at: address, mailbox, boards, settings, report, witness) }
    }
  }

  deinit {
    stop()
  }

  /// Each board's current counts, in the order of `boards`.
  public var boardCounts: [BoardCounts] { report.counts }

  /// Descriptions, in chronological order, of client behaviour that would fail with a real daemon
  /// or real boards. Commands that a board itself ignores are listed in its counts.
  public var complaints: [String] { report.complaints }

  /// Immediately starts a fault in the board at this index.
  public func inject(_ fault: BoardFault, into board: Int) {
    _ = mailbox.post(.inject(fault, board))
  }

  /// Immediately starts a daemon fault. An adapter fault affects the adapter at this index. A board
  /// fault affects the board at this index, or all boards if `board` is `nil`.
  public func inject(_ fault: DaemonFault, adapter: Int = 0, board: Int? = nil) {
    _ = mailbox.post(
      .injectDaemon(ScheduledDaemonFault(fault, at: 0, adapter: adapter, board: board)))
  }

  /// Delivers a notification as if the board at this index had sent it, for measuring the path from
  /// the board to the client.
  public func notify(_ bytes: [UInt8], board: Int) {
    _ = mailbox.post(.notify(bytes, board))
  }

  /// Leaves the bus and ends the thread. The clients' links are closed.
  public func stop() {
    _ = mailbox.post(.stop)
    thread.join()
  }
}

/// The daemon's counts and complaints, written by its thread and read by any other.
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
