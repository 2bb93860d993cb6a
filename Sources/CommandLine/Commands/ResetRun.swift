internal import BoardDriver
internal import Gateway
internal import Values

/// Body of `footbridge reset`: restarts a board.
enum ResetRun {
  /// A board ends the link at once. Where the packet that says so is lost, the link times out after
  /// 6 s.
  private static let seconds = 10.0

  static let body: Commands.Body<ResetConfiguration> = { configuration, console in
    let directory = try configuration.store.directory()
    let address = try directory.address(of: configuration.board)
    let name = TerminalText.harmless(directory.name(of: address))
    let signals = Signals(console)
    console.notice("connecting", ["board": address.description])
    let hasRestarted = try await signals.cancelling {
      try await BoardErrand(
        at: address, adapters: configuration.adapters, log: { console.report($0) }
      ).run { stay in
        try await stay.visit.reset(within: seconds)
      }
    }
    guard let hasRestarted else { return signals.status }
    guard hasRestarted else {
      throw Complaint(
        "\(name) does not restart",
        remedy: "press its button for ten seconds, or take its battery out for a moment")
    }
    try console.print("\(name) was restarted; it can be connected again in a few seconds.")
    return .ok
  }
}
