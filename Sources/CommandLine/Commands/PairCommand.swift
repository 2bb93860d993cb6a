internal import BlueZ
internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Storage
internal import Terminal
internal import Values

/// `footbridge pair`: reads a board's details, and adds it to the known boards.
struct PairCommand: StoreVerb {
  /// The board argument, as typed by the user.
  var board = ""
  /// The new name; `nil` to keep the current name, or to use the default for a new board.
  var name: String?
  /// The new placement; `nil` to keep the current one.
  var placement: String?
  /// Whether to bond even if the board does not require it.
  var bonds = false
  var reportsJSON = false
  /// The addresses of the Bluetooth adapters to use; empty for all adapters that are powered on.
  var adapters: [BoardAddress] = []
  var store: StoreLocation

  static let options: [Option<PairCommand>] = [
    .option(
      "name", .boardName,
      help: "the name of the board (default: its advertised name and the end of its address)",
      sets: \.name),
    .option(
      "placement", .text("TEXT"), help: "where the board is worn, as in 'left wrist'",
      sets: \.placement),
    .flag(
      "bond", help: "also bond with the board (default: only if the board requires it)",
      sets: \.bonds),
    .flag("json", help: "print the board's details as JSON", sets: \.reportsJSON),
    .adapters(adds: \.adapters),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<PairCommand>(
    name: "pair", summary: "register a board, and show its details",
    discussion: """
      Connects to the board, reads its model, firmware, modules and battery, and blinks its LED. \
      After that, every command accepts the board's name, and the Bluetooth service remembers \
      the board. This does not interrupt what the board is doing.

      Run this command once for each board, and again to rename it or after a firmware update.
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
