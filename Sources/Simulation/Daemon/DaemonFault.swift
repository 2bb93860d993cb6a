/// A fault of the simulated bluetoothd, of one of its adapters, or between it and the boards. It
/// affects every board unless one is named, and the first adapter unless another is named.
public enum DaemonFault: Hashable, Sendable {
  /// A method that may stay unanswered; the raw value is its name.
  public enum Member: String, Hashable, Sendable, CaseIterable {
    /// Of a device: its link stays half established.
    case connect = "Connect"
    /// Of a characteristic: see `DaemonVersion` for the consequences.
    case acquireNotify = "AcquireNotify"
    /// Of a characteristic: carried out but not answered.
    case stopNotify = "StopNotify"
    /// The listing of all objects.
    case getManagedObjects = "GetManagedObjects"
  }

  /// The action that ends a wedged discovery.
  public enum Cure: Hashable, Sendable {
    /// A `StopDiscovery` by any client.
    case stop
    /// Only switching the adapter off and on.
    case powerCycle
  }

  /// The action that ends an adapter's confusion.
  public enum AdapterCure: Hashable, Sendable {
    /// Switching it off and on.
    case powerCycle
    /// Unplugging it, or a reset of its USB port.
    case replug
  }

  /// This many of the next calls of a method are never answered.
  case noReply(Member, count: Int = 1)
  /// This many of the next attempts at a link end with `le-connection-abort-by-local`.
  case connectAborts(count: Int)
  /// The next `times` times that services are resolved, their objects are missing. With `nil` they
  /// are missing until the device is removed.
  case missingObjects(times: Int?)
  /// From now on objects appear this many seconds after services are reported as resolved.
  case lateObjects(seconds: Double)
  /// From now on `StopNotify` is answered after this many seconds.
  case slowStopNotify(seconds: Double)
  /// From now on `Disconnect` takes this many seconds longer.
  case slowDisconnect(seconds: Double)
  /// A notification without bytes.
  case emptyNotification
  /// From now on boards notify this many seconds before a subscription is answered; their packets
  /// until then are lost.
  case earlyNotifications(seconds: Double)
  /// `StartDiscovery` answers `InProgress` until the cure.
  case wedgedDiscovery(Cure)
  /// Until the cure, the adapter ends all links and makes no other, although it hears the boards.
  case confusedAdapter(until: AdapterCure)
  /// No advertisements arrive for this many seconds.
  case noAdvertisements(seconds: Double)
  /// Another program switches the adapter off.
  case adapterOff
  /// Another program switches the adapter on.
  case adapterOn
  /// The radio is blocked by its switch.
  case adapterBlocked
  /// The radio is unblocked, and the daemon restores its earlier power state.
  case adapterUnblocked
  /// The adapter is unplugged.
  case adapterRemoved
  /// The adapter is plugged in again, with a number higher by `shift`.
  case adapterReturned(shift: Int = 1)
  /// The daemon ends and returns after this many seconds; the kernel may keep its links meanwhile.
  case daemonGone(seconds: Double, keepsLinks: Bool = false)
  /// From now on the bus forbids calls of this method.
  case accessDenied(member: String)
  /// The next `RemoveDevice` crashes the daemon, which returns after this many seconds.
  case crashAtRemoveDevice(seconds: Double)
  /// Another central holds the board for this many seconds: scans and links do not reach it.
  case heldByAnotherCentral(seconds: Double = .infinity)
  /// The board restarts into its bootloader and stays there.
  case bootloader
  /// The board refuses every request from a host that is not bonded with it.
  case demandsBonding
  /// Another client of this daemon has acquired the notifications.
  case foreignNotify
  /// Another client of this daemon scans all the time, with a separate filter.
  case foreignDiscovery
  /// Another client of this daemon has linked the board, and keeps the link.
  case foreignLink
}

/// A fault of the daemon, its time, and the adapter and board that it affects.
public struct ScheduledDaemonFault: Hashable, Sendable {
  public var time: Double
  public var fault: DaemonFault
  /// The adapter's place, from 0.
  public var adapter: Int
  /// The board's place, from 0; `nil` for all.
  public var board: Int?

  public init(_ fault: DaemonFault, at time: Double, adapter: Int = 0, board: Int? = nil) {
    self.fault = fault
    self.time = time
    self.adapter = adapter
    self.board = board
  }
}
