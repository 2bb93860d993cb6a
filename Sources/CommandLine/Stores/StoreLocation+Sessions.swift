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

  /// The instant of a session that `--at` names, which has to be within it.
  func instant(_ moment: Moment, in session: Session, of directory: SessionDirectory) throws
    -> BootTime
  {
    let clock = try StoreReader(path: path()).clock(of: session.id)
    guard let instant = moment.time(in: session, clock) else {
      throw Complaint(
        "the session has no universal time", remedy: "give --at in seconds since its start")
    }
    return try SessionSpan(
      session: session, latest: noteTime(in: session), name: directory.shortID(of: session)
    ).instant(instant, of: "--at")
  }
}
