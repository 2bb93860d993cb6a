internal import BlueZ
internal import DBus
internal import Gateway
internal import Storage
internal import Terminal
internal import Values

/// `footbridge forget`: removes a board from the Bluetooth service and from the store.
struct ForgetCommand: StoreVerb {
  /// The board argument, as typed by the user.
  var board = ""
  var store: StoreLocation

  static let options: [Option<ForgetCommand>] = [.store(sets: \.store)]

  static let definition = CommandDefinition<ForgetCommand>(
    name: "forget", summary: "remove a known board",
    discussion: """
      Removes the board from the store's list and from the Bluetooth service, with its keys if it \
      was bonded. Its recordings are kept. The board need not be in range.
      """,
    initial: { ForgetCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.board, sets: \.board)])

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = try store.directory()
    let address = try directory.address(of: board)
    // The board is removed from the Bluetooth service first. If that fails, the store still lists
    // the board, so the command can be repeated.
    let wasDevice = try await Self.forget(address, console)
    let wasKnown = directory[address] != nil
    if wasKnown { _ = try store.register().forget(address) }
    guard wasDevice || wasKnown else {
      throw Complaint(
        "the board \(address) is unknown to both the store and the Bluetooth service",
        remedy: "'footbridge boards' lists the known boards", status: .boardNotFound)
    }
    try console.print("\(TerminalText.harmless(directory.name(of: address))) was removed.")
    return .ok
  }

  /// Returns whether the Bluetooth service had listed the board.
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
