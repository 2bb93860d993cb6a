internal import BlueZ
internal import DBus
internal import Gateway
internal import Storage
internal import Terminal
internal import Values

/// `footbridge forget`: removes a board from the Bluetooth service and from the store.
struct ForgetCommand: StoreVerb {
  /// The board as typed.
  var board = ""
  /// The store of the known boards.
  var store: StoreLocation

  /// In the order of the help.
  static let options: [Option<ForgetCommand>] = [.store(sets: \.store)]

  static let definition = CommandDefinition<ForgetCommand>(
    name: "forget", summary: "forget a known board",
    discussion: """
      Removes the board from the store's list and from the Bluetooth service, with its keys if it \
      was bonded. Its recordings stay. The board need not be in range.
      """,
    initial: { ForgetCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.board, sets: \.board)])

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = try store.directory()
    let address = try directory.address(of: board)
    // The Bluetooth service comes first: if it fails, the board keeps its name for another try.
    let wasDevice = try await Self.forget(address, console)
    let wasKnown = directory[address] != nil
    if wasKnown { _ = try store.register().forget(address) }
    guard wasDevice || wasKnown else {
      throw Complaint(
        "neither the store nor the Bluetooth service knows the board \(address)",
        remedy: "'footbridge boards' lists the known boards", status: .boardNotFound)
    }
    try console.print("\(TerminalText.harmless(directory.name(of: address))) is forgotten.")
    return .ok
  }

  /// Removes the board from the Bluetooth service. Returns whether the service knew it.
  private static func forget(_ address: BoardAddress, _ console: Console) async throws -> Bool {
    let radio = try await BlueZRadio(
      .system, Radio.Settings(shape: .metaWear), BlueZRadio.Listener { console.report($0) })
    do {
      let wasDevice = try await radio.forget(address)
      await radio.close()
      return wasDevice
    } catch {
      await radio.close()
      throw error
    }
  }
}
