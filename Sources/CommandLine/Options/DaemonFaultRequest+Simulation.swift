internal import Simulation

extension DaemonFaultRequest {
  /// The fault as the simulation represents it.
  var scheduled: ScheduledDaemonFault {
    ScheduledDaemonFault(fault, at: seconds)
  }

  private var fault: DaemonFault {
    switch kind {
    case .noReply: .noReply(member)
    case .abort: .connectAborts(count: count)
    case .noObjects: .missingObjects(times: value == .word(Self.always) ? nil : count)
    case .lateObjects: .lateObjects(seconds: span)
    case .slowStop: .slowStopNotify(seconds: span)
    case .slowDisconnect: .slowDisconnect(seconds: span)
    case .empty: .emptyNotification
    case .early: .earlyNotifications(seconds: span)
    case .wedge: .wedgedDiscovery(value == .word("stop") ? .stop : .powerCycle)
    case .silence: .noAdvertisements(seconds: span)
    case .off: .adapterOff
    case .on: .adapterOn
    case .block: .adapterBlocked
    case .unblock: .adapterUnblocked
    case .unplug: .adapterRemoved
    case .plug: .adapterReturned(shift: count)
    case .gone: .daemonGone(seconds: span)
    case .restart: .daemonGone(seconds: span, keepsLinks: true)
    case .crash: .crashAtRemoveDevice(seconds: span)
    case .denied: .accessDenied(member: word)
    case .held: .heldByAnotherCentral(seconds: span)
    case .bootloader: .bootloader
    case .bond: .demandsBonding
    case .foreignNotify: .foreignNotify
    case .foreignScan: .foreignDiscovery
    case .foreignLink: .foreignLink
    }
  }

  private var member: DaemonFault.Member {
    switch word {
    case "acquire-notify": .acquireNotify
    case "stop-notify": .stopNotify
    case "listing": .getManagedObjects
    default: .connect
    }
  }

  private var count: Int {
    if case .count(let count) = value { count } else { 1 }
  }

  private var span: Double {
    if case .seconds(let seconds) = value { seconds } else { 0 }
  }

  private var word: String {
    if case .word(let word) = value { word } else { "" }
  }
}
