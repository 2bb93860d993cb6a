public import DBus
internal import LinuxSystem
public import Values

/// The counts of one simulated board, taken by the simulation itself.
public struct BoardCounts: Hashable, Sendable {
  public var address: BoardAddress
  /// Sent notifications: samples and answers.
  public var notifications: UInt64
  /// Samples in the sent notifications.
  public var samples: UInt64
  /// Sent samples that a fault of the simulation kept from arriving.
  public var samplesLost: UInt64
  /// Samples that could not be sent because no client was connected or listening.
  public var samplesUnheard: UInt64
  /// Notifications for which the client's socket had no room; they count as sent all the same.
  public var dropped: Int
  /// The client's mistakes that a real board would not accept.
  public var complaints: [String]
}

/// Events at the end of the air, for a witness: the truth about the data a client received.
public enum Delivery: Sendable {
  /// A client took over a notification of the board at this place. It is a leftover if no sensor of
  /// the board was started since that client subscribed.
  case notification(Int, SimulatedNotification, isLeftOver: Bool)
}

/// Called for each delivery, in order.
public typealias DeliveryWitness = @Sendable (Delivery) -> Void

/// A stand-in for bluetoothd: owns `org.bluez` on a private bus and serves simulated boards.
public final class SimulatedDaemon: Sendable {
  /// ATT MTU of every link, as for a central that has not requested another.
  static let mtu: UInt16 = 23

  /// Requests from outside to the thread.
  enum Request: Sendable {
    case stop
    /// A fault for the board at an index, now.
    case inject(BoardFault, Int)
    /// A fault for the daemon, now whatever its scheduled time.
    case injectDaemon(ScheduledDaemonFault)
    /// A notification for the board at an index, which the board did not send itself.
    case notify([UInt8], Int)
  }

  private let mailbox: Mailbox<Request>
  private let report: DaemonReport
  private let thread: NamedThread

  /// Connects to the bus at `address` and serves these boards until `stop`. The witness is called
  /// on the daemon's thread.
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
      // Only the loop holds the connection, so that it closes when the daemon ends for a while.
      owned.take().map { DaemonLoop($0, at: address, mailbox, boards, settings, report, witness) }
    }
  }

  deinit {
    stop()
  }

  /// The boards' counts so far, in the order of `boards`.
  public var boardCounts: [BoardCounts] { report.counts }

  /// The clients' mistakes so far that would fail with a real daemon or its boards, in order.
  /// Commands that a board itself ignores are in its counts.
  public var complaints: [String] { report.complaints }

  /// Starts a fault of the board at this place in the list, at once.
  public func inject(_ fault: BoardFault, into board: Int) {
    _ = mailbox.post(.inject(fault, board))
  }

  /// Starts a fault of the daemon at once. A fault of adapters affects the adapter at this place; a
  /// fault of boards affects the board at this place, or all.
  public func inject(_ fault: DaemonFault, adapter: Int = 0, board: Int? = nil) {
    _ = mailbox.post(
      .injectDaemon(ScheduledDaemonFault(fault, at: 0, adapter: adapter, board: board)))
  }

  /// Delivers a notification as if the board at this place had sent it, for measurements of its
  /// further way.
  public func notify(_ bytes: [UInt8], board: Int) {
    _ = mailbox.post(.notify(bytes, board))
  }

  /// Leaves the bus and ends the thread; the links of clients hang up.
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
