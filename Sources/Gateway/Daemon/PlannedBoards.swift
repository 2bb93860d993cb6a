internal import LinuxSystem
internal import Storage
internal import Values

/// The configured boards, with the names and placements that the user gave.
struct PlannedBoards: Sendable {
  private let plan: RecordingPlan

  init(of plan: RecordingPlan) {
    self.plan = plan
  }

  /// Stores the names and placements for new sessions. Creates the store and its folder if they are
  /// missing: both may have been deleted since the last recording.
  func note(in store: String) throws {
    let addresses = plan.boards.addresses
    guard !addresses.isEmpty else { return }
    try Folder.make(forFile: store, isPrivate: true)
    let register = try BoardRegister(path: store)
    let known = Set(try register.boards().map(\.address))
    for address in addresses where known.contains(address) {
      _ = try register.change(
        address, name: plan.names[address], placement: plan.placements[address])
    }
    for address in addresses where !known.contains(address) {
      guard let name = plan.names[address] else { continue }
      try register.remember(
        StoredBoard(
          address: address, name: name, placement: plan.placements[address] ?? "", model: "",
          firmware: "", added: BootClock.systemTime(), lastSeen: nil))
    }
  }
}
