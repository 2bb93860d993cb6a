/// A fault that a soak inflicts on a gateway at work.
enum SoakFault: String, CaseIterable, Sendable {
  case adapterGone = "adapter gone"
  case daemonKilled = "bluetoothd killed"
  case receiverUnplugged = "receiver unplugged"
  case networkCut = "network cut"
  case configurationBroken = "configuration broken"
  case boardRebooted = "board rebooted"
  case diskFull = "disk full"
  case storeDeleted = "store deleted"

  /// The parts under which the status may report it; empty if the line of the board shows it.
  func subjects(destination: String) -> Set<String> {
    switch self {
    case .adapterGone, .daemonKilled: ["bluetooth"]
    case .receiverUnplugged: ["receiver"]
    case .networkCut: [destination]
    case .configurationBroken: ["configuration"]
    case .boardRebooted: []
    case .diskFull: ["store", "recording"]
    case .storeDeleted: ["recording"]
    }
  }

  /// Seconds within which the status must report it. A network is missed only when there is
  /// something to send: the soak seals chunks every six seconds, and commits them as often.
  var namingSeconds: Double { self == .networkCut ? 20 : 10 }

  /// Its duration in seconds; 0 if it is over at once.
  var seconds: Double {
    switch self {
    case .networkCut: 25
    case .adapterGone, .daemonKilled, .receiverUnplugged, .configurationBroken, .diskFull,
      .storeDeleted:
      15
    case .boardRebooted: 0
    }
  }
}
