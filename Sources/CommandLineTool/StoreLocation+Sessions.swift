internal import LinuxSystem
internal import Recording
internal import Storage

extension StoreLocation {
  /// The sessions of the store, with what a recorder that was cut off left beside it.
  func sessions() throws -> SessionDirectory {
    let path = try existingPath()
    Store.takeInLeftovers(of: path)
    let reader = try StoreReader(path: path)
    return SessionDirectory(try reader.sessions(), in: path)
  }

  /// The instant at which something said now is noted in a session: now while it is recorded, else
  /// the end of it.
  func noteTime(in session: Session) throws -> BootTime {
    if let end = session.end { return end }
    let path = try path()
    if StoreReader.isBeingRecordedInto(path), session.bootID == (try BootClock.bootID()) {
      return BootClock.now()
    }
    let reader = try StoreReader(path: path)
    return try reader.lastTime(of: session.id)
  }
}
