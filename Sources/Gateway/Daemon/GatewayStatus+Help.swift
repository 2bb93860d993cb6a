internal import Values

/// The recovery steps for boards, adapters and the receiver, as part of the status.
extension GatewayStatus {
  /// Adds the recovery steps taken since the daemon started, and the devices that no step could
  /// fix.
  mutating func note(_ counts: HelpCounts, _ ladders: Ladders) {
    for index in boards.indices {
      boards[index].help = counts.boards[boards[index].address] ?? HelpCounts.Board()
    }
    receiver?.help = counts.receiver
    receiver?.isHelpless = ladders.isReceiverHelpless
    let helpless = ladders.helplessAdapters
    adapters = ladders.adapterNames.union(counts.adapters.keys).sorted().map { name in
      Adapter(
        name: name, help: counts.adapters[name] ?? HelpCounts.Device(),
        complaint: helpless[name].map { complaint(about: name, $0) })
    }
  }

  private func complaint(about adapter: String, _ sign: AdapterWatch.Sign) -> String {
    switch sign {
    case .silent(let boards): "\(names(of: boards)) sent nothing over \(adapter)"
    case .refusing(let boards): "cannot connect to \(names(of: boards)) over \(adapter)"
    case .deaf: "\(adapter) hears no devices"
    case .stuck: "\(adapter) cannot be switched on"
    }
  }

  private func names(of addresses: [BoardAddress]) -> String {
    addresses.map { address in
      boards.first { $0.address == address }?.name ?? address.description
    }.joined(separator: ", ")
  }
}

extension HelpCounts.Device {
  /// The steps as text, for example `switched off and on twice, USB port reset once`.
  public var words: String {
    var words: [String] = []
    if switches > 0 { words.append("switched off and on \(Self.times(switches))") }
    if resets > 0 { words.append("USB port reset \(Self.times(resets))") }
    if let problem { words.append("USB port not reset: \(problem.text)") }
    return words.joined(separator: ", ")
  }

  private static func times(_ count: Int) -> String {
    switch count {
    case 1: "once"
    case 2: "twice"
    default: "\(count) times"
    }
  }
}
