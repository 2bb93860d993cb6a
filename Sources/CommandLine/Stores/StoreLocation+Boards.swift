internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal

extension StoreLocation {
  /// The boards that the store knows, for a command that needs only their names. If the store is
  /// unknown or unreadable, it warns and goes on, until a board is named.
  func names(_ console: Console) -> BoardDirectory {
    do {
      return try directory()
    } catch {
      let obstacle = Complaint(explaining: error)
      console.warning(
        "names of boards are not known",
        ["reason": obstacle.message, "remedy": obstacle.remedy])
      return BoardDirectory([], obstacle: obstacle)
    }
  }

  /// The boards the store knows; none where there is no store yet.
  func directory() throws -> BoardDirectory {
    let path = try readablePath()
    guard StoreReader.exists(at: path) else { return BoardDirectory([]) }
    let reader = try StoreReader(path: path)
    return BoardDirectory(try reader.boards())
  }

  /// The register of the store's boards; store and folder are created if they are missing.
  func register() throws -> BoardRegister {
    try BoardRegister(path: pathInFolder())
  }

  /// Notes which of the known boards were connected, with what they report now.
  func noteSeen(_ boards: [BoardIdentity], in directory: BoardDirectory) throws {
    // A board that was not asked got no further than its connection.
    let known = boards.filter { directory[$0.address] != nil && !$0.model.isEmpty }
    guard !known.isEmpty else { return }
    let register = try register()
    for board in known { try register.noteSeen(board, at: BootClock.systemTime()) }
  }

  /// Path of the store in a folder that exists and can be written to.
  func pathInFolder() throws(Complaint) -> String {
    let path = try readablePath()
    try StoreOwner.checkMaking(path)
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      _ = try WorkFolder(
        keeping: String(path[..<slash]), isPrivate: true,
        remedy: "name a file in a folder you may write to, as in --store ~/walk.sqlite")
    }
    return path
  }
}
