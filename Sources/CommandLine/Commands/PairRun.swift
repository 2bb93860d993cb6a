internal import BlueZ
internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Storage
internal import Values

/// Body of `footbridge pair`: asks a board who it is, and remembers it.
enum PairRun {
  static let body: Commands.Body<PairConfiguration> = { configuration, console in
    let directory = try configuration.store.directory()
    let address = try directory.address(of: configuration.board)
    if let name = configuration.name { try directory.checkIsFree(name, for: address) }
    _ = try configuration.store.pathInFolder()
    let signals = Signals(console)
    console.notice("connecting", ["board": address.description])
    let found = try await signals.cancelling {
      try await BoardErrand(
        at: address, adapters: configuration.adapters, log: { console.report($0) }
      ).run(mayPair: true) { stay in
        try await meet(stay, bonds: configuration.bonds, console)
      }
    }
    guard let found else { return signals.status }
    let known = directory[address]
    let now = BootClock.systemTime()
    let board = StoredBoard(
      address: address,
      name: configuration.name ?? known?.name
        ?? BoardName.usual(advertised: found.advertisedName, address),
      placement: configuration.placement ?? known?.placement ?? "",
      model: "\(found.profile.model)", firmware: found.profile.firmware, added: now, lastSeen: now)
    try configuration.store.register().remember(board)
    let report = PairReport(board: board, found: found)
    try console.print(
      configuration.reportsJSON ? report.json.text : report.lines.joined(separator: "\n"))
    return .ok
  }

  private static func meet(
    _ stay: BoardStay, bonds: Bool, _ console: Console
  ) async throws -> PairReport.Found {
    console.notice("identifying", ["board": stay.link.device.address.description])
    let profile = try await stay.visit.identify()
    if bonds { try await stay.link.pair() }
    try await stay.link.trust()
    if profile.modules.has(.led) { try await stay.visit.perform(IdentifyRun.blinking) }
    let battery: Int? =
      if let told = profile.battery?.percent { Int(told) } else { await stay.link.battery }
    return PairReport.Found(
      advertisedName: stay.link.device.name, profile: profile, battery: battery,
      rssi: await stay.link.rssi, isBonded: await stay.isBonded)
  }
}
