internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

extension StoreLocation {
  /// Returns the store's sessions that `word` may match. First imports the files that an
  /// interrupted recorder left behind.
  func sessions(like word: String, _ console: Console) throws -> SessionDirectory {
    let path = try existingPath()
    Self.takeInLeftovers(of: path, console)
    return try SessionDirectory(of: StoreReader(path: path), like: word, in: path)
  }

  /// Imports the files that an interrupted recorder left next to the store at `path`. Reports the
  /// parts that could not be read.
  ///
  /// Returns whether damaged chunks in the store had to be set aside before the recorder's files
  /// could be imported.
  @discardableResult
  static func takeInLeftovers(of path: String, _ console: Console) -> Bool {
    guard let recovery = Store.takeInLeftovers(of: path) else { return false }
    if recovery.missing > 0 || recovery.damagedBytes > 0 || recovery.damagedChunks > 0 {
      console.report(LogEvent(recovery))
    }
    for file in recovery.kept { console.report(LogEvent(keptTail: file)) }
    return recovery.damagedChunks > 0
  }

  /// Returns the time to store with a note that is being made: the current time while the session
  /// is being recorded, or else the session's end. If the gateway makes a note on behalf of a user,
  /// the time of the user's request is used instead of the current time.
  func noteTime(in session: Session) throws -> BootTime {
    let latest = try latestTime(in: session)
    return asked.map { max(session.start, min($0, latest)) } ?? latest
  }

  private func latestTime(in session: Session) throws -> BootTime {
    if let end = session.end { return end }
    let path = try path()
    let isBeingRecorded = StoreReader.isBeingRecordedInto(path)
    // The end is read after checking for a recorder, because a recorder that has just started
    // closes the previous recorder's session.
    if let end = try StoreReader(path: path).session(session.id)?.end { return end }
    if isBeingRecorded, session.bootID == (try BootClock.bootID()) { return BootClock.now() }
    // An interrupted session's end is in the tail until the next recording begins. The tail is read
    // before the store, so samples that move from the tail to the store in between appear in both.
    let tail = try StoreTail(store: path).lastTime(of: session.id)
    return try max(StoreReader(path: path).lastTime(of: session.id), tail ?? session.start)
  }

  /// Returns the time in the session that `--at` specifies. Throws if the time is outside the
  /// session.
  func instant(_ moment: Moment, in session: Session, of directory: SessionDirectory) throws
    -> BootTime
  {
    let clock = try StoreReader(path: path()).clock(of: session.id)
    guard let instant = moment.time(in: session, clock) else {
      throw Complaint(
        "no UTC time is known for the session",
        remedy: "give --at in seconds since the start of the session")
    }
    return try SessionSpan(
      session: session, latest: noteTime(in: session), name: directory.shortID(of: session)
    ).instant(instant, of: "--at")
  }
}
