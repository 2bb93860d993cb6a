internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

extension StoreLocation {
  /// The sessions of the store that `word` may mean, with the leftovers of an interrupted recorder
  /// beside it.
  func sessions(like word: String, _ console: Console) throws -> SessionDirectory {
    let path = try existingPath()
    Self.takeInLeftovers(of: path, console)
    return try SessionDirectory(of: StoreReader(path: path), like: word, in: path)
  }

  /// Imports the leftovers of an interrupted recorder beside the store at `path`, and reports the
  /// parts that could not be read.
  ///
  /// Returns whether damaged chunks were set aside first.
  @discardableResult
  static func takeInLeftovers(of path: String, _ console: Console) -> Bool {
    guard let recovery = Store.takeInLeftovers(of: path) else { return false }
    if recovery.missing > 0 || recovery.damagedBytes > 0 || recovery.damagedChunks > 0 {
      console.report(LogEvent(recovery))
    }
    for file in recovery.kept { console.report(LogEvent(keptTail: file)) }
    return recovery.damagedChunks > 0
  }

  /// The instant of a note that is made now: now while the session is recorded, else its end. A
  /// note that the gateway makes for a person has the time of the request.
  func noteTime(in session: Session) throws -> BootTime {
    let latest = try latestTime(in: session)
    return asked.map { max(session.start, min($0, latest)) } ?? latest
  }

  private func latestTime(in session: Session) throws -> BootTime {
    if let end = session.end { return end }
    let path = try path()
    let isBeingRecorded = StoreReader.isBeingRecordedInto(path)
    // Asked after the recorder: one that has just come has ended the session of the one before.
    if let end = try StoreReader(path: path).session(session.id)?.end { return end }
    if isBeingRecorded, session.bootID == (try BootClock.bootID()) { return BootClock.now() }
    // A session that was cut off has its end in the tail until the next recording begins. The tail
    // is read before the store: what a recorder moves meanwhile is then in both.
    let tail = try StoreTail(store: path).lastTime(of: session.id)
    return try max(StoreReader(path: path).lastTime(of: session.id), tail ?? session.start)
  }

  /// The instant of a session that `--at` names, which must be within it.
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
