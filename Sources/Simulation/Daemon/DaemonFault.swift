/// A fault in the simulated bluetoothd, in one of its adapters, or between the daemon and the
/// boards. A board fault affects every board unless one is specified. An adapter fault affects the
/// first adapter unless another is specified.
public enum DaemonFault: Hashable, Sendable {
  /// A method that the daemon may fail to answer. The raw value is the method's name.
  public enum Member: String, Hashable, Sendable, CaseIterable {
    /// A method of a device. If the daemon does not reply, the link remains half established.
    case connect = "Connect"
    /// A method of a characteristic. `DaemonVersion` describes the consequences of a missing reply.
    case acquireNotify = "AcquireNotify"
    /// A method of a characteristic. The daemon executes the call but does not reply.
    case stopNotify = "StopNotify"
    /// The method that lists all objects on the bus.
    case getManagedObjects = "GetManagedObjects"
  }

  /// The action that ends a stuck discovery.
  public enum Cure: Hashable, Sendable {
    /// A `StopDiscovery` call by any client.
    case stop
    /// Switching the adapter off and on, or unplugging it.
    case powerCycle
  }

  /// The action that makes an adapter work again.
  public enum AdapterCure: Hashable, Sendable {
    /// Switching the adapter off and on.
    case powerCycle
    /// Unplugging the adapter or resetting its USB port.
    case replug
  }

  /// The next `count` calls to a method are never answered.
  case noReply(Member, count: Int = 1)
  /// The next `count` connection attempts fail with `le-connection-abort-by-local`.
  case connectAborts(count: Int)
  /// For the next `times` service resolutions, the services' objects are missing. If `times` is
  /// `nil`, they are missing until the device is removed.
  case missingObjects(times: Int?)
  /// The services' objects appear this many seconds after the services are reported as resolved.
  case lateObjects(seconds: Double)
  /// The daemon answers `StopNotify` only after this many seconds.
  case slowStopNotify(seconds: Double)
  /// `Disconnect` takes this many seconds longer.
  case slowDisconnect(seconds: Double)
  case emptyNotification
  /// Boards start sending notifications this many seconds before the daemon replies to a
  /// subscription. The packets sent before the reply are lost.
  case earlyNotifications(seconds: Double)
  /// `StartDiscovery` fails with `InProgress` until the given action is taken.
  case wedgedDiscovery(Cure)
  /// Until the given action is taken, the adapter closes all links and establishes no others,
  /// although it hears the boards' advertisements.
  case confusedAdapter(until: AdapterCure)
  /// No advertisements arrive for this many seconds.
  case noAdvertisements(seconds: Double)
  /// Another program switches the adapter off.
  case adapterOff
  /// Another program switches the adapter on.
  case adapterOn
  /// The radio switch blocks the adapter.
  case adapterBlocked
  /// The radio switch unblocks the adapter, and the daemon restores the adapter's previous power
  /// state.
  case adapterUnblocked
  case adapterRemoved
  /// The adapter is plugged in again, and its number, as in `hci0`, increases by `shift`.
  case adapterReturned(shift: Int = 1)
  /// The daemon exits and restarts after this many seconds. In the meantime, the kernel may keep
  /// its links.
  case daemonGone(seconds: Double, keepsLinks: Bool = false)
  /// The bus forbids calls to this method.
  case accessDenied(member: String)
  /// The next `RemoveDevice` crashes the daemon, which restarts after this many seconds.
  case crashAtRemoveDevice(seconds: Double)
  /// Another central is connected to the board for this many seconds, so scans and connection
  /// attempts fail.
  case heldByAnotherCentral(seconds: Double = .infinity)
  /// The board restarts into its bootloader and stays there.
  case bootloader
  /// The board rejects every request from a host that is not bonded with it.
  case demandsBonding
  /// Another client of this daemon has acquired the board's notifications.
  case foreignNotify
  /// Another client of this daemon scans continuously, without a filter.
  case foreignDiscovery
  /// Another client of this daemon has connected to the board, and keeps the link.
  case foreignLink
}

/// A daemon fault, its start time, and the adapter and board that it affects.
public struct ScheduledDaemonFault: Hashable, Sendable {
  public var time: Double
  public var fault: DaemonFault
  /// Index of the adapter in the daemon's list.
  public var adapter: Int
  /// Index of the board; `nil` if the fault affects all boards.
  public var board: Int?

  public init(_ fault: DaemonFault, at time: Double, adapter: Int = 0, board: Int? = nil) {
    self.fault = fault
    self.time = time
    self.adapter = adapter
    self.board = board
  }
}
