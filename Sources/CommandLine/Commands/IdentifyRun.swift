internal import BoardDriver
internal import Gateway
internal import MetaWearProtocol
internal import Values

/// Body of `footbridge identify`: lets a board blink or vibrate.
enum IdentifyRun {
  /// Ten seconds of green flashes, which end by themselves.
  static let blinking = [LED.stopAndClear, LED.blink(.green, repetitions: 20), LED.play]

  private static let vibrating = [Haptic.motor(percent: 100, milliseconds: 1_000).command]

  static let body: Commands.Body<IdentifyConfiguration> = { configuration, console in
    let directory = try configuration.store.directory()
    let address = try directory.address(of: configuration.board)
    let signals = Signals(console)
    console.notice("connecting", ["board": address.description])
    let hasBeenTold = try await signals.cancelling {
      try await BoardErrand(
        at: address, adapters: configuration.adapters, log: { console.report($0) }
      ).run { stay in
        let needed = configuration.vibrates ? ModuleID.haptic : .led
        let modules = try await stay.visit.modules(among: [needed])
        guard modules.has(needed) else { throw lacking(needed, directory.name(of: address)) }
        try await stay.visit.perform(configuration.vibrates ? vibrating : blinking)
        return true
      }
    }
    guard hasBeenTold != nil else { return signals.status }
    let name = TerminalText.harmless(directory.name(of: address))
    try console.print(
      configuration.vibrates
        ? "\(name) vibrates for a second, if a motor is built in."
        : "\(name) blinks green for ten seconds.")
    return .ok
  }

  private static func lacking(_ module: ModuleID, _ board: String) -> Complaint {
    module == .led
      ? Complaint("\(board) has no LED", remedy: "let it vibrate with --haptic")
      : Complaint("\(board) has no driver for a motor", remedy: "let it blink: leave out --haptic")
  }
}
