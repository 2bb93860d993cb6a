internal import BlueZ
internal import DBus
internal import Gateway
internal import Storage
internal import Values

/// Body of `footbridge forget`: removes a board from the Bluetooth service and from the store.
enum ForgetRun {
  static let body: Commands.Body<ForgetConfiguration> = { configuration, console in
    let directory = try configuration.store.directory()
    let address = try directory.address(of: configuration.board)
    // The service first: while it cannot be asked, the board keeps its name for another try.
    let wasDevice = try await forget(address, console)
    let wasKnown = directory[address] != nil
    if wasKnown { _ = try configuration.store.register().forget(address) }
    guard wasDevice || wasKnown else {
      throw Complaint(
        "neither the store nor the Bluetooth service knows the board \(address)",
        remedy: "'footbridge boards' lists the known ones", status: .boardNotFound)
    }
    try console.print("\(TerminalText.harmless(directory.name(of: address))) is forgotten.")
    return .ok
  }

  /// Removes it from the Bluetooth service: whether it was there.
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
