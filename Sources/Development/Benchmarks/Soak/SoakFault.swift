/// A fault that a soak injects while a gateway is working.
enum SoakFault: String, CaseIterable, Sendable {
  case adapterGone = "adapter gone"
  case daemonKilled = "bluetoothd killed"
  case receiverUnplugged = "receiver unplugged"
  case networkCut = "network cut"
  case configurationBroken = "configuration broken"
  case boardRebooted = "board rebooted"
  case diskFull = "disk full"
  case storeDeleted = "store deleted"

  /// Returns the subjects of the status lines that may report the fault, such as `bluetooth`; empty
  /// if only the board's own line reports it.
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

  /// The time limit in seconds for the status to report the fault. A network failure is detected
  /// only when there is something to send. In a soak, chunks are sealed and committed every six
  /// seconds.
  var namingSeconds: Double { self == .networkCut ? 20 : 10 }

  /// The fault's duration in seconds; 0 if it ends immediately.
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
