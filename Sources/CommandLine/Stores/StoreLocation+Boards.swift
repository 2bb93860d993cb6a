internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal

extension StoreLocation {
  /// Returns the boards that the store lists, for a command that needs only their names. If the
  /// store is missing or unreadable, a warning is printed, and the command fails only if it needs a
  /// name.
  func names(_ console: Console) -> BoardDirectory {
    do {
      return try directory()
    } catch {
      let obstacle = Complaint(explaining: error)
      console.warning(
        "names of boards are unknown",
        ["reason": obstacle.message, "remedy": obstacle.remedy])
      return BoardDirectory([], obstacle: obstacle)
    }
  }

  /// Returns the boards that the store lists; empty if the store does not exist yet.
  func directory() throws -> BoardDirectory {
    let path = try readablePath()
    guard StoreReader.exists(at: path) else { return BoardDirectory([]) }
    let reader = try StoreReader(path: path)
    return BoardDirectory(try reader.boards())
  }

  /// Opens the store's board register. Creates the store and its folder if they are missing.
  func register() throws -> BoardRegister {
    try BoardRegister(path: pathInFolder())
  }

  /// Records which known boards were connected, and the details that they reported.
  func noteSeen(_ boards: [BoardIdentity], in directory: BoardDirectory) throws {
    // If a board's details were not read during the connection, its stored details are kept.
    let known = boards.filter { directory[$0.address] != nil && !$0.model.isEmpty }
    guard !known.isEmpty else { return }
    let register = try register()
    for board in known { try register.noteSeen(board, at: BootClock.systemTime()) }
  }

  /// Returns the store's path, after checking that its folder exists and is writable.
  func pathInFolder() throws(Complaint) -> String {
    let path = try readablePath()
    try StoreOwner.checkMaking(path)
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      _ = try WorkFolder(
        keeping: String(path[..<slash]), isPrivate: true,
        remedy: "specify a file in a folder that you can write to, as in --store ~/walk.sqlite")
    }
    return path
  }
}
