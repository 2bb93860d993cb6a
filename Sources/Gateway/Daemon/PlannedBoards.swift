internal import LinuxSystem
internal import Storage
internal import Values

/// The configured boards, with the names and placements specified by the user.
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
    let names = Dictionary(
      uniqueKeysWithValues: try register.boards().map { ($0.address, $0.name) })
    let known = Set(names.keys)
    // Two boards may have swapped names, and no two boards may share a name, even for a moment.
    let renamed = addresses.filter { names[$0] != nil && plan.names[$0] ?? names[$0] != names[$0] }
    if renamed.count > 1 {
      for address in renamed {
        _ = try register.change(address, name: address.description, placement: nil)
      }
    }
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
