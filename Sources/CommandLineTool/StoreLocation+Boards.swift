internal import Storage

extension StoreLocation {
  /// The boards the store knows; none where there is no store yet.
  func directory() throws -> BoardDirectory {
    let path = try path()
    guard StoreReader.exists(at: path) else { return BoardDirectory([]) }
    let reader = try StoreReader(path: path)
    return BoardDirectory(try reader.boards())
  }

  /// The register of the store's boards; store and folder are made where there are none.
  func register() throws -> BoardRegister {
    try BoardRegister(path: pathInFolder())
  }

  /// Path of the store in a folder that is there and can be written.
  func pathInFolder() throws(Complaint) -> String {
    let path = try path()
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      _ = try WorkFolder(
        keeping: String(path[..<slash]),
        remedy: "name a file in a folder you may write to, as in --store ~/walk.sqlite")
    }
    return path
  }
}
