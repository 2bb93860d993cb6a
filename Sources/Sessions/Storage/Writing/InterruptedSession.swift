internal import ChunkFormat
internal import LinuxSystem
public import Recording
internal import SQLite
public import Values

/// A session that its recorder did not end, because the program or the computer was interrupted,
/// and that is recent enough to be continued.
public struct InterruptedSession: Sendable {
  /// One of its streams, up to the interruption.
  public struct Stream: Sendable {
    /// The board it came from.
    public var board: BoardIdentity
    /// Its signal and the form of its samples.
    public var description: StreamDescription
    /// Position of its next chunk.
    public var sequence: UInt32
    /// Its last chunk with samples; `nil` if there is none.
    public var newest: Chunk?
    /// The chunks after it, which only count an absence.
    public var absences: [Chunk]
  }

  /// The most seconds from the interruption to the start of another recorder.
  public static let longestSeconds = 600.0

  public var session: Session
  /// The last instant with stored data.
  public var end: BootTime
  /// Its streams, if it is of this boot. The times of another boot cannot be compared with the
  /// present ones, so such a session ends, and another one begins at once.
  public var streams: [Stream]
  /// Whether it was recorded after the computer started.
  public var isOfThisBoot: Bool
  /// The latest time of this boot at which it may be continued.
  public var goesOnUntil: BootTime
  public var fixCount: Int
  /// Time at which a person paused it; `nil` if it is not paused.
  public var pausedSince: BootTime?
  /// Whether a person edited it while it was recorded.
  public var isEdited: Bool

  /// Whether the store at `path` has a session that a recorder starting now may continue.
  public static func exists(in path: String) -> Bool {
    guard StoreReader.exists(at: path), let boot = try? BootClock.bootID(),
      let reader = try? StoreReader(path: path)
    else { return false }
    return (try? reader.interruptedSession(boot: boot, at: BootClock.pair())) != nil
  }

  /// Whether it can be continued with boards: it includes at least one of them, and none of their
  /// streams in another form.
  public func canGoOn(with boards: [(board: BoardAddress, streams: [StreamDescription])]) -> Bool {
    boards.contains { has($0.board) }
      && boards.allSatisfy { canTake($0.streams, of: $0.board) }
  }

  /// Whether it can accept these streams of a board.
  public func canTake(_ descriptions: [StreamDescription], of board: BoardAddress) -> Bool {
    descriptions.allSatisfy { description in
      stream(description.signal, of: board)?.description.agrees(with: description) ?? true
    }
  }

  /// Its stream of a signal; `nil` if it has none.
  public func stream(_ signal: String, of board: BoardAddress) -> Stream? {
    streams.first { $0.board.address == board && $0.description.signal == signal }
  }

  private func has(_ board: BoardAddress) -> Bool { streams.contains { $0.board.address == board } }
}

extension Store {
  /// The session that a recorder starting now may continue; `nil` if there is none.
  ///
  /// It is the newest one, and none of its chunks is damaged. The times of two boots are compared
  /// by the computer's clock, which may go back without a battery.
  public func interruptedSession(
    boot: UniqueID, at now: (boot: BootTime, utc: UTCTime)
  ) throws(StoreError) -> InterruptedSession? {
    guard recovery?.damagedChunks ?? 0 == 0, tailRecovery?.damagedChunks ?? 0 == 0 else {
      return nil
    }
    return try StoreReader(path: database.path).interruptedSession(boot: boot, at: now)
  }
}

extension StoreReader {
  /// The session that a recorder starting now may continue, judged by rows only; `nil` if there is
  /// none.
  public func interruptedSession(
    boot: UniqueID, at now: (boot: BootTime, utc: UTCTime)
  ) throws(StoreError) -> InterruptedSession? {
    guard let session = try database.lastRecordedSession(), session.end == nil else { return nil }
    let end = try lastTime(of: session.id)
    let events = try events(of: session.id)
    // Its boards were being stopped: a person had ended it.
    guard !events.contains(where: { $0.kind == .stopping }) else { return nil }
    let isOfThisBoot = session.bootID == boot
    if !isOfThisBoot {
      guard let utc = ClockTable(try clockEntries(of: session.id)).utc(at: end),
        now.boot.seconds(since: BootTime(nanoseconds: 0)) <= InterruptedSession.longestSeconds,
        abs(Double(now.utc.nanoseconds) - Double(utc.nanoseconds))
          <= InterruptedSession.longestSeconds * 1e9
      else { return nil }
    }
    let pause = events.last { $0.kind == .paused || $0.kind == .resumed }
    let found = InterruptedSession(
      session: session, end: end, streams: isOfThisBoot ? try streamsToContinue(session.id) : [],
      isOfThisBoot: isOfThisBoot,
      goesOnUntil: (isOfThisBoot ? end : now.boot).advanced(
        bySeconds: InterruptedSession.longestSeconds),
      fixCount: try fixCount(of: session.id),
      pausedSince: pause.flatMap { $0.kind == .paused ? $0.time : nil },
      isEdited: events.contains { $0.kind == .edited })
    return now.boot <= found.goesOnUntil ? found : nil
  }

  private func streamsToContinue(
    _ session: UniqueID
  ) throws(StoreError) -> [InterruptedSession.Stream] {
    let newest = try database.newestChunks(of: session)
    var streams: [InterruptedSession.Stream] = []
    for stream in try self.streams(of: session) {
      let last = newest.first {
        $0.chunk.board.address == stream.board.address
          && $0.chunk.stream.signal == stream.description.signal
      }
      streams.append(
        InterruptedSession.Stream(
          board: stream.board, description: stream.description,
          sequence: try lastSequence(of: stream).map { $0 + 1 } ?? 0, newest: last?.chunk,
          absences: last?.absences ?? []))
    }
    return streams
  }
}
