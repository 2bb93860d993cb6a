/// Something that goes wrong with the simulated bluetoothd, with an adapter of it, or between it
/// and the boards. It befalls every board unless one is named, and the first adapter unless another
/// is.
public enum DaemonFault: Hashable, Sendable {
  /// A method that may stay without an answer; the raw value is its name.
  public enum Member: String, Hashable, Sendable, CaseIterable {
    /// Of a device: its link stays half made.
    case connect = "Connect"
    /// Of a characteristic: see `DaemonVersion` for what that leaves behind.
    case acquireNotify = "AcquireNotify"
    /// Of a characteristic: done, and not answered.
    case stopNotify = "StopNotify"
    /// The listing of all objects.
    case getManagedObjects = "GetManagedObjects"
  }

  /// What brings a wedged discovery back.
  public enum Cure: Hashable, Sendable {
    /// A `StopDiscovery` of anybody.
    case stop
    /// Switching the adapter off and on, and nothing less.
    case powerCycle
  }

  /// So many of the next calls of a method are never answered.
  case noReply(Member, count: Int = 1)
  /// So many of the next attempts at a link end with `le-connection-abort-by-local`.
  case connectAborts(count: Int)
  /// So many of the next times services are resolved, their objects are missing; with `nil` it
  /// stays so until the device is removed.
  case missingObjects(times: Int?)
  /// From now on objects come so many seconds after services are said to be resolved.
  case lateObjects(seconds: Double)
  /// From now on `StopNotify` is answered after so many seconds.
  case slowStopNotify(seconds: Double)
  /// From now on `Disconnect` takes so many seconds more.
  case slowDisconnect(seconds: Double)
  /// A notification without a single byte.
  case emptyNotification
  /// From now on boards notify so many seconds before a subscription is answered; what they send
  /// until then is lost.
  case earlyNotifications(seconds: Double)
  /// `StartDiscovery` answers `InProgress` until it is cured.
  case wedgedDiscovery(Cure)
  /// Nothing is heard for so many seconds.
  case noAdvertisements(seconds: Double)
  /// The adapter is switched off by somebody.
  case adapterOff
  /// The adapter is switched on by somebody.
  case adapterOn
  /// The radio is blocked by its switch.
  case adapterBlocked
  /// The radio is free again, and as it was before: the daemon restores its power.
  case adapterUnblocked
  /// The adapter is pulled out.
  case adapterRemoved
  /// The adapter is plugged in again and has a number higher by so much.
  case adapterReturned(shift: Int = 1)
  /// bluetoothd goes and returns after so many seconds; the kernel may keep its links meanwhile.
  case daemonGone(seconds: Double, keepsLinks: Bool = false)
  /// Calls of this method are forbidden by the bus from now on.
  case accessDenied(member: String)
  /// The next `RemoveDevice` ends the daemon, which returns after so many seconds.
  case crashAtRemoveDevice(seconds: Double)
  /// Another central holds the board for so many seconds: it is not heard and cannot be linked.
  case heldByAnotherCentral(seconds: Double = .infinity)
  /// The board restarts into its bootloader and stays there.
  case bootloader
  /// The board refuses everything from those it is not bonded with.
  case demandsBonding
  /// Another client of this daemon has acquired the notifications.
  case foreignNotify
  /// Another client of this daemon scans all the time, with a filter of its own.
  case foreignDiscovery
  /// Another client of this daemon has linked the board, and keeps it linked.
  case foreignLink
}

/// A fault of the daemon, when it happens, and to whom.
public struct ScheduledDaemonFault: Hashable, Sendable {
  /// Seconds after the start.
  public var time: Double
  /// What happens.
  public var fault: DaemonFault
  /// The adapter's place, from 0.
  public var adapter: Int
  /// The board's place, from 0; `nil` for all.
  public var board: Int?

  /// A fault at a time.
  public init(_ fault: DaemonFault, at time: Double, adapter: Int = 0, board: Int? = nil) {
    self.fault = fault
    self.time = time
    self.adapter = adapter
    self.board = board
  }
}
