internal import BlueZ
internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Storage
internal import Terminal
internal import Values

/// `footbridge pair`: asks a board who it is, and remembers it.
struct PairCommand: StoreVerb {
  /// The board, as it was written.
  var board = ""
  /// What it is to be called; `nil` to keep the name it has, or to take the usual one.
  var name: String?
  /// Where it is worn; `nil` to keep what is known.
  var placement: String?
  /// Whether to bond although the board does not demand it.
  var bonds = false
  /// Whether the result is JSON instead of text.
  var reportsJSON = false
  /// Bluetooth adapters to use; all that are on if there is none.
  var adapters: [BoardAddress] = []
  /// Where the boards are kept.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<PairCommand>] = [
    .option(
      "name", .boardName,
      help: "the name of the board (default: its advertised name and the end of its address)",
      sets: \.name),
    .option(
      "placement", .text("TEXT"), help: "where the board is worn, as in 'left wrist'",
      sets: \.placement),
    .flag(
      "bond", help: "exchange keys too (default: only if the board demands it)",
      sets: \.bonds),
    .flag("json", help: "print the board's answers as JSON", sets: \.reportsJSON),
    .adapters(adds: \.adapters),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<PairCommand>(
    name: "pair", summary: "make a board known, and show its details",
    discussion: """
      Connects to the board, asks for model, firmware, modules and battery, and blinks its \
      LED. From now on every command accepts the board's name, and the Bluetooth service \
      remembers the board. Whatever the board was doing continues.

      Needed once for each board. Run it again to rename the board, or after an update of its \
      firmware.
      """,
    initial: { PairCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.board, sets: \.board)])

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = try store.directory()
    let address = try directory.address(of: self.board)
    if let name = self.name { try directory.checkIsFree(name, for: address) }
    _ = try store.pathInFolder()
    let signals = Signals(console)
    console.notice("connecting", ["board": address.description])
    let found = try await signals.cancelling {
      try await BoardErrand(
        at: address, adapters: adapters, log: { console.report($0) }
      ).run(mayPair: true) { stay in
        try await Self.meet(stay, bonds: bonds, console)
      }
    }
    guard let found else { return signals.status }
    let known = directory[address]
    let now = BootClock.systemTime()
    let board = StoredBoard(
      address: address,
      name: self.name ?? known?.name
        ?? BoardName.usual(advertised: found.advertisedName, address),
      placement: placement ?? known?.placement ?? "",
      model: "\(found.profile.model)", firmware: found.profile.firmware, added: now, lastSeen: now)
    try store.register().remember(board)
    let report = PairReport(board: board, found: found)
    try console.print(
      reportsJSON
        ? report.json.text : report.lines(within: console.tableWidth).joined(separator: "\n"))
    return .ok
  }

  private static func meet(
    _ stay: BoardStay, bonds: Bool, _ console: Console
  ) async throws -> PairReport.Found {
    console.notice("identifying", ["board": stay.link.device.address.description])
    let profile = try await stay.visit.identify()
    if bonds { try await stay.link.pair() }
    try await stay.link.trust()
    if profile.modules.has(.led) { try await stay.visit.perform(IdentifyCommand.blinking) }
    let battery: Int? =
      if let told = profile.battery?.percent { Int(told) } else { await stay.link.battery }
    return PairReport.Found(
      advertisedName: stay.link.device.name, profile: profile, battery: battery,
      rssi: await stay.link.rssi, isBonded: await stay.isBonded)
  }
}
