internal import DiskFaults
internal import Simulation

/// Something that happens in the field at a given time.
struct FieldEvent: Sendable {
  /// Seconds since the start of the trip.
  var time: Double
  var kind: Kind
  /// Events with the same number belong together, such as a fault and its end. A shrinking step
  /// keeps or removes them together.
  var occasion: Int

  enum Kind: Sendable {
    /// The user starts a recording.
    case start
    /// The user presses Ctrl-C.
    case stop
    /// A fault in a board or its link.
    case board(Int, BoardFault)
    /// A person recharges an empty battery, or switches a hung board off and on again.
    case recharge(Int)
    /// A fault in bluetoothd or an adapter.
    case daemon(DaemonFault)
    /// The user starts an upload.
    case upload
    case network(FieldServer.State)
    /// The system clock is set forward by this many seconds, or back if the number is negative.
    case clock(seconds: Double)
    case receiver(isOn: Bool)
    /// The disk starts to fail, fills up, or works again.
    case disk(SimulatedDisk.Fault?)
    /// The program is killed, for example by the kernel when memory runs out.
    case kill
    case powerCut
  }

  /// The event's description in the trip's report.
  var story: String {
    switch kind {
    case .start: "the user starts a recording"
    case .stop: "the user presses Ctrl-C"
    case .board(let board, let fault): "board \(board): \(Self.words(fault))"
    case .recharge(let board): "board \(board): switched off and on, with a full battery"
    case .daemon(let fault): "Bluetooth: \(Self.words(fault))"
    case .upload: "the user starts an upload"
    case .network(let state): "the network is now: \(state.rawValue)"
    case .clock(let seconds): "the system clock is changed by \(seconds) s"
    case .receiver(let isOn): "the receiver is switched \(isOn ? "on" : "off")"
    case .disk(.full): "the disk is full"
    case .disk(.failure): "the disk fails"
    case .disk(nil): "the disk works again"
    case .kill: "the program is killed"
    case .powerCut: "the power is cut"
    }
  }

  private static func words(_ fault: BoardFault) -> String {
    switch fault {
    case .drop(let count): "\(count) packets are lost over the air"
    case .dropAll(let seconds): "nothing arrives for \(Int(seconds)) s"
    case .delay(let seconds): "packets are late by up to \(seconds) s"
    case .duplicate(let count): "\(count) packets arrive twice"
    case .disconnect: "the link drops"
    case .reboot: "it loses power for a moment"
    case .stopAnswering(let seconds): "it ignores commands for \(Int(seconds)) s"
    case .hang(let seconds): "its firmware hangs for \(Int(seconds)) s"
    case .garbage(let count): "\(count) packets are damaged"
    case .haltSensor(let module): "its \(module) falls silent"
    case .lowBattery(let seconds): "its battery will be empty in \(Int(seconds)) s"
    }
  }

  private static func words(_ fault: DaemonFault) -> String {
    switch fault {
    case .noReply(let member, let count): "\(member.rawValue) gets no reply, \(count) times"
    case .connectAborts(let count): "\(count) attempts to connect are aborted"
    case .missingObjects(let times): "objects are missing, \(times ?? 0) times"
    case .lateObjects(let seconds): "objects appear \(seconds) s late"
    case .slowStopNotify(let seconds): "StopNotify takes \(seconds) s"
    case .slowDisconnect(let seconds): "Disconnect takes \(seconds) s"
    case .emptyNotification: "an empty notification"
    case .wedgedDiscovery(let cure): "discovery is wedged until \(cure)"
    case .confusedAdapter(let cure): "the adapter drops every link until \(cure)"
    case .noAdvertisements(let seconds): "no advertisement for \(Int(seconds)) s"
    case .heldByAnotherCentral(let seconds): "boards cannot be reached for \(Int(seconds)) s"
    case .adapterOff: "another program switches the adapter off"
    case .adapterOn: "the adapter is switched on"
    case .adapterBlocked: "the radio is blocked"
    case .adapterUnblocked: "the radio is unblocked"
    case .adapterRemoved: "the adapter is unplugged"
    case .adapterReturned(let shift): "the adapter is plugged in; its number increases by \(shift)"
    case .daemonGone(let seconds, let keepsLinks):
      "bluetoothd is down for \(seconds) s, its links \(keepsLinks ? "stay" : "drop")"
    default: "\(fault)"
    }
  }
}
