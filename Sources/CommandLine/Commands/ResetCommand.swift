internal import BoardDriver
internal import Gateway
internal import Terminal
internal import Values

/// `footbridge reset`: restarts a board.
struct ResetCommand: Verb {
  /// The board argument, as typed by the user.
  var board = ""
  /// The addresses of the Bluetooth adapters to use; empty for all adapters that are powered on.
  var adapters: [BoardAddress] = []
  var store: StoreLocation

  static let options: [Option<ResetCommand>] = [
    .adapters(adds: \.adapters), .store(sets: \.store),
  ]

  static let definition = CommandDefinition<ResetCommand>(
    name: "reset", summary: "restart a board",
    discussion: """
      Restarts the board. It loses everything that software has set up on it (streams, timers, \
      events, processors); its log and its macros are kept.
      """,
    initial: { ResetCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.board, sets: \.board)])

  /// The timeout for a restart. A restarting board terminates the link immediately. If the packet
  /// that terminates the link is lost, the link times out after 6 s.
  private static let seconds = 10.0

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = store.names(console)
    let address = try directory.address(of: board)
    let name = TerminalText.harmless(directory.name(of: address))
    let signals = Signals(console)
    console.notice("connecting", ["board": address.description])
    let hasRestarted = try await signals.cancelling {
      try await BoardErrand(
        at: address, adapters: adapters, log: { console.report($0) }
      ).run { stay in
        try await stay.visit.reset(within: Self.seconds)
      }
    }
    guard let hasRestarted else { return signals.status }
    guard hasRestarted else {
      throw Complaint(
        "\(name) did not restart",
        remedy: "hold its button for ten seconds, or remove its battery for a moment")
    }
    try console.print("\(name) was restarted; it can be connected again in a few seconds.")
    return .ok
  }
}
