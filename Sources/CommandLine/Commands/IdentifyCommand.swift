internal import BoardDriver
internal import Gateway
internal import MetaWearProtocol
internal import Terminal
internal import Values

/// `footbridge identify`: makes a board blink or vibrate.
struct IdentifyCommand: Verb {
  /// The board argument, as typed by the user.
  var board = ""
  /// Whether to vibrate instead of blinking.
  var vibrates = false
  /// The addresses of the Bluetooth adapters to use; empty for all adapters that are powered on.
  var adapters: [BoardAddress] = []
  var store: StoreLocation

  static let options: [Option<IdentifyCommand>] = [
    .flag("haptic", help: "run the board's vibration motor instead of its LED", sets: \.vibrates),
    .adapters(adds: \.adapters),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<IdentifyCommand>(
    name: "identify", summary: "make a board blink or vibrate, so that you can identify it",
    discussion: """
      Connects to the board and makes it blink for ten seconds. With --haptic it vibrates for \
      one second instead, if it has a motor. This does not interrupt what the board \
      is doing, except for a pattern on its LED.
      """,
    initial: { IdentifyCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.board, sets: \.board)])

  /// Makes the LED flash green for ten seconds; the LED stops automatically.
  static let blinking = [LED.stopAndClear, LED.blink(.green, repetitions: 20), LED.play]

  private static let vibrating = [Haptic.motor(percent: 100, milliseconds: 1_000).command]

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = store.names(console)
    let address = try directory.address(of: board)
    let signals = Signals(console)
    console.notice("connecting", ["board": address.description])
    let hasBeenTold = try await signals.cancelling {
      try await BoardErrand(
        at: address, adapters: adapters, log: { console.report($0) }
      ).run { stay in
        let needed = vibrates ? ModuleID.haptic : .led
        let modules = try await stay.visit.modules(among: [needed])
        guard modules.has(needed) else { throw Self.lacking(needed, directory.name(of: address)) }
        try await stay.visit.perform(vibrates ? Self.vibrating : Self.blinking)
        return true
      }
    }
    guard hasBeenTold != nil else { return signals.status }
    let name = TerminalText.harmless(directory.name(of: address))
    try console.print(
      vibrates
        ? "\(name) vibrates for a second, if it has a motor."
        : "\(name) blinks green for ten seconds.")
    return .ok
  }

  private static func lacking(_ module: ModuleID, _ board: String) -> Complaint {
    module == .led
      ? Complaint("\(board) has no LED", remedy: "use --haptic to make it vibrate")
      : Complaint(
        "\(board) has no motor driver", remedy: "leave out --haptic to make it blink")
  }
}
