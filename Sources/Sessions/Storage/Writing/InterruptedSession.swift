internal import ChunkFormat
internal import LinuxSystem
public import Recording
internal import SQLite
public import Values

/// A session that its recorder did not end, because the program or the computer was interrupted,
/// and that another recorder may continue.
public struct InterruptedSession: Sendable {
  /// A stream of the session, as it was at the interruption.
  public struct Stream: Sendable {
    public var board: BoardIdentity
    /// The signal and the format of the samples.
    public var description: StreamDescription
    /// Sequence number of the stream's next chunk.
    public var sequence: UInt32
    /// The stream's last chunk with samples; `nil` if there is none.
    public var newest: Chunk?
    /// The chunks after `newest`, which only record that the board was absent.
    public var absences: [Chunk]
  }

  /// Maximum number of seconds between the interruption and the start of another recorder that
  /// continues the session.
  public static let longestSeconds = 600.0

  public var session: Session
  /// The latest time for which data is stored.
  public var end: BootTime
  /// The session's streams; empty if the session belongs to another boot. Times from another boot
  /// cannot be compared with current times, so such a session ends, and a new one begins
  /// immediately.
  public var streams: [Stream]
  /// Whether the session was recorded during the computer's current boot.
  public var isOfThisBoot: Bool
  /// The time, on the boot clock, until which the session may be continued.
  public var goesOnUntil: BootTime
  public var fixCount: Int
  /// Time at which a user paused the session; `nil` if it is not paused.
  public var pausedSince: BootTime?
  /// Whether a user edited the session while it was being recorded.
  public var isEdited: Bool

  /// Returns the session in the store at `path` that a recorder may continue if it starts now;
  /// `nil` if there is none.
  public static func find(in path: String) -> Session? {
    guard StoreReader.exists(at: path), let boot = try? BootClock.bootID(),
      let reader = try? StoreReader(path: path)
    else { return nil }
    return try? reader.interruptedSession(boot: boot, at: BootClock.pair())?.session
  }

  /// Whether the session can be continued with these boards. It must include at least one of them,
  /// and their streams must have the same formats as in the session.
  public func canGoOn(with boards: [(board: BoardAddress, streams: [StreamDescription])]) -> Bool {
    boards.contains { has($0.board) }
      && boards.allSatisfy { canTake($0.streams, of: $0.board) }
  }

  /// Whether these streams of a board have the same formats as in the session. Streams that are not
  /// part of the session are accepted.
  public func canTake(_ descriptions: [StreamDescription], of board: BoardAddress) -> Bool {
    descriptions.allSatisfy { description in
      stream(description.signal, of: board)?.description.agrees(with: description) ?? true
    }
  }

  public func stream(_ signal: String, of board: BoardAddress) -> Stream? {
    streams.first { $0.board.address == board && $0.description.signal == signal }
  }

  private func has(_ board: BoardAddress) -> Bool { streams.contains { $0.board.address == board } }
}

extension Store {
  /// Returns the session that a recorder may continue if it starts now; `nil` if there is none.
  ///
  /// Only the newest session qualifies, and none of its chunks may be damaged. Times from different
  /// boots are compared using the computer's clock, which may go backwards if it has no battery.
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
  /// Returns the session that a recorder may continue if it starts now, without checking its
  /// chunks; `nil` if there is none.
  public func interruptedSession(
    boot: UniqueID, at now: (boot: BootTime, utc: UTCTime)
  ) throws(StoreError) -> InterruptedSession? {
    guard let session = try database.lastRecordedSession(), session.end == nil else { return nil }
    let end = try lastTime(of: session.id)
    let events = try events(of: session.id)
    // The recorder was already stopping the boards, so the session had been ended deliberately.
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
