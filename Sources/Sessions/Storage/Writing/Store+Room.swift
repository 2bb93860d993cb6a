internal import Glibc
internal import LinuxSystem
public import Recording
internal import SQLite
public import Values

extension Store {
  /// The amount of data that was deleted to free space.
  public struct Dropped: Hashable, Sendable {
    public var chunks = 0
    /// Number of deleted chunks that at least one destination has not received. Without a
    /// destination, all deleted chunks are counted.
    public var unsent = 0
    public var samples = 0
    /// Total size of the deleted chunks in bytes.
    public var bytes: UInt64 = 0

    public init(chunks: Int = 0, unsent: Int = 0, samples: Int = 0, bytes: UInt64 = 0) {
      self.chunks = chunks
      self.unsent = unsent
      self.samples = samples
      self.bytes = bytes
    }

    public static func += (left: inout Dropped, right: Dropped) {
      left.chunks += right.chunks
      left.unsent += right.unsent
      left.samples += right.samples
      left.bytes += right.bytes
    }
  }

  /// Returns the limits for recordings that the user chose, or the default limits.
  public func spacePolicy() throws(StoreError) -> SpacePolicy { try database.spacePolicy() }

  public func spaceUsage() throws(StoreError) -> SpacePolicy.Usage { try database.spaceUsage() }

  /// Returns the error with which a recording ends when space runs out.
  public func isFull(_ policy: SpacePolicy, _ usage: SpacePolicy.Usage) -> StoreError {
    policy.refusal(usage, of: database.path)
  }

  /// Deletes whole chunks, oldest first: initially only chunks that every destination has received,
  /// and then, unless `uploadedOnly` is true, other chunks. Stops when `bytes` are free for new
  /// chunks, or when no chunk may be deleted.
  ///
  /// Each transaction deletes at most 64 chunks and adds events to their sessions, so the events
  /// are exact even after a crash. The file keeps its size, and its free space is reused. `time` is
  /// the current time.
  public func makeRoom(
    bytes: UInt64, uploadedOnly: Bool, at time: UTCTime
  ) throws(StoreError) -> Dropped {
    var dropped = Dropped()
    for isSent in uploadedOnly ? [true] : [true, false] {
      while dropped.bytes < bytes {
        let before = dropped.chunks
        try database.transaction(doing: "free space in") { () throws(StoreError) in
          try database.dropOldest(
            sent: isSent, bytes: bytes - dropped.bytes, at: time, counting: &dropped)
        }
        if dropped.chunks == before { break }
      }
    }
    return dropped
  }
}

extension Store {
  /// Deletes whole chunks that every destination had received by `limit`, oldest first. Stops when
  /// at least `count` chunks have been deleted.
  public func dropSent(
    before limit: UTCTime, upTo count: Int = .max, at time: UTCTime
  ) throws(StoreError) -> Dropped {
    try database.dropSent(before: limit, upTo: count, at: time)
  }
}

extension SpacePolicy {
  fileprivate func refusal(_ usage: Usage, of path: String) -> StoreError {
    let isQuota = quota.map { usage.used > $0 } ?? false
    return StoreError(
      .full,
      "cannot write to \(path): "
        + (isQuota
          ? "the quota for recordings is used up"
          : "only \(usage.free / 1_000_000) MB are free on its disk, and \(floor / 1_000_000) MB are "
            + "kept in reserve"),
      remedy: whenFull == .dropUploaded
        ? "free some space, or upload sessions so that they can be deleted: footbridge upload"
        : "free some space, or change the limits: footbridge store space --help")
  }
}

extension StoreReader {
  /// Throws `.full` if there is no space and no chunk may be deleted, so that a recording into the
  /// store would have to end immediately.
  public func checkRoom() throws(StoreError) {
    let (policy, usage) = (try spacePolicy(), try spaceUsage())
    let hasRoom =
      switch policy.advice(usage) {
      case .record: true
      case .stop: false
      case .drop(_, let uploadedOnly): try database.hasDroppable(sentOnly: uploadedOnly)
      }
    if !hasRoom { throw policy.refusal(usage, of: database.path) }
  }

  public func spacePolicy() throws(StoreError) -> SpacePolicy {
    try database.spacePolicy()
  }

  public func spaceUsage() throws(StoreError) -> SpacePolicy.Usage { try database.spaceUsage() }
}

extension StoreEditor {
  /// Sets the limits for recordings. A running recorder also observes the new limits.
  public func set(_ policy: SpacePolicy) throws(StoreError) {
    try database.set(policy)
  }

  /// Deletes whole chunks that every destination had received by `limit`, oldest first, 64 per
  /// transaction. Stops when at least `count` chunks have been deleted. Also works while a recorder
  /// is using the store.
  public func dropSent(
    before limit: UTCTime, upTo count: Int = .max, at time: UTCTime
  ) throws(StoreError) -> Store.Dropped {
    try database.dropSent(before: limit, upTo: count, at: time)
  }
}

extension Database {
  fileprivate func spacePolicy() throws(StoreError) -> SpacePolicy {
    var policy = SpacePolicy()
    if let quota = try setting(.quota) { policy.quota = UInt64(quota) }
    if let floor = try setting(.floor).flatMap({ UInt64($0) }) { policy.floor = floor }
    if let word = try setting(.whenFull), let choice = SpacePolicy.WhenFull(rawValue: word) {
      policy.whenFull = choice
    }
    policy.keepSent = try setting(.keepSent).flatMap { Double($0) }
    return policy
  }

  fileprivate func set(_ policy: SpacePolicy) throws(StoreError) {
    try transaction(doing: "store a setting in") { () throws(StoreError) in
      try set(.quota, to: policy.quota.map { "\($0)" })
      try set(.floor, to: "\(policy.floor)")
      try set(.whenFull, to: policy.whenFull.rawValue)
      try set(.keepSent, to: policy.keepSent.map { "\($0)" })
    }
  }

  fileprivate func spaceUsage() throws(StoreError) -> SpacePolicy.Usage {
    let pageSize = UInt64(max(0, try integer("PRAGMA page_size")))
    let pages = UInt64(max(0, try integer("PRAGMA page_count")))
    let unused = UInt64(max(0, try integer("PRAGMA freelist_count")))
    var log = stat()
    let hasLog = unsafe stat(path + "-wal", &log) == 0
    let free = try StoreError.explained("determine the free space for", path) {
      () throws(SystemError) in try FileSystem.room(at: path)
    }
    return SpacePolicy.Usage(
      used: (pages - min(unused, pages)) * pageSize + (hasLog ? UInt64(log.st_size) : 0),
      free: free + unused * pageSize)
  }

  /// Number of chunks deleted per transaction. A chunk takes up about 15 kB, so a transaction
  /// delays other writers by only a few milliseconds.
  private static var chunksPerTransaction: Int { 64 }

  /// Deletes the oldest chunks that every destination has received. If `isSent` is false, deletes
  /// the oldest of the remaining chunks instead. Must be called in a transaction.
  fileprivate func dropOldest(
    sent isSent: Bool, bytes: UInt64, at time: UTCTime, counting dropped: inout Store.Dropped
  ) throws(StoreError) {
    try drop(
      "is_sent IS \(isSent ? "" : "NOT") TRUE", bytes: bytes, doing: "free space in", at: time,
      counting: &dropped)
  }

  /// Whether there is any chunk that may be deleted. With `sentOnly`, only chunks that every
  /// destination has received may be deleted.
  fileprivate func hasDroppable(sentOnly: Bool) throws(StoreError) -> Bool {
    guard sentOnly else { return try integer("SELECT EXISTS (SELECT 1 FROM chunk)") != 0 }
    return try integer("SELECT EXISTS (\(Schema.droppable) WHERE is_sent IS TRUE)") != 0
  }

  /// Deletes a session's oldest chunks, at most `chunksPerTransaction`. Must be called in a
  /// transaction.
  func dropOldest(
    of session: UniqueID, at time: UTCTime, counting dropped: inout Store.Dropped
  ) throws(StoreError) {
    try drop(
      "session = ?", [session], doing: "delete a session from", at: time, counting: &dropped)
  }

  fileprivate func dropSent(
    before limit: UTCTime, upTo count: Int, at time: UTCTime
  ) throws(StoreError) -> Store.Dropped {
    var dropped = Store.Dropped()
    while dropped.chunks < count {
      let before = dropped.chunks
      try transaction(doing: "free space in") { () throws(StoreError) in
        // Start from the upload rows, which avoids reading a long backlog of chunks that were not
        // uploaded.
        try drop(
          """
          number IN (
            SELECT chunk FROM upload JOIN destination ON destination.number = destination
            WHERE state = 1 AND name IS NOT NULL
            GROUP BY chunk HAVING max(utc_ns) <= ?)
          AND is_sent IS TRUE
          """, [limit], doing: "free space in", at: time, counting: &dropped)
      }
      if dropped.chunks == before { break }
    }
    return dropped
  }

  /// Deletes the oldest chunks that satisfy a condition, and adds events to their sessions. Stops
  /// at `chunksPerTransaction` chunks, or when their total size reaches `wanted` bytes.
  private func drop(
    _ condition: String, _ values: [any SQLiteValue] = [], bytes wanted: UInt64 = .max,
    doing: String, at time: UTCTime, counting dropped: inout Store.Dropped
  ) throws(StoreError) {
    var query = try prepare(
      """
      \(Schema.droppable) WHERE \(condition) ORDER BY number LIMIT \(Self.chunksPerTransaction)
      """, values, doing: doing)
    var going: [(number: Int64, isSent: Bool)] = []
    var bySession: [UniqueID: Store.Dropped] = [:]
    var bytes: UInt64 = 0
    while bytes < wanted, try query.step() {
      let size = query.amount(3)
      bytes += size
      let isSent = query.bool(4)
      going.append((query.integer(0), isSent))
      let samples = query.int(2)
      bySession[try query.id(1), default: Store.Dropped()]
        .add(samples: samples, bytes: size, isSent: isSent)
      dropped.add(samples: samples, bytes: size, isSent: isSent)
    }
    for chunk in going {
      // The chunk remains listed in later records of the session.
      try run(
        """
        INSERT OR REPLACE INTO absent (id, stream, sequence, samples, lost, first_ns, reason)
        SELECT id, stream, sequence, samples, lost, first_ns, CASE WHEN ?2 THEN \(Absence.sent)
          WHEN EXISTS (SELECT 1 FROM upload WHERE upload.chunk = ?1 AND state = 1)
          THEN \(Absence.sentToSome) ELSE \(Absence.unsent) END
        FROM chunk WHERE number = ?1
        """, [chunk.number, chunk.isSent], doing: "delete from")
      try run("DELETE FROM chunk WHERE number = ?", [chunk.number], doing: "delete from")
    }
    for (session, count) in bySession {
      let event = SessionEvent(
        .dropped, at: try lastTime(of: session), utc: time, value: Double(count.samples),
        text: count.text)
      try insert([event], session: session)
    }
  }
}

extension Schema {
  /// Selects chunks with the data needed to delete them. A chunk is considered sent if every
  /// destination that was not removed has received it. If there is no destination, no chunk is
  /// considered sent.
  fileprivate static let droppable = """
    SELECT number, session, samples, size, is_sent IS TRUE FROM (
      SELECT chunk.number AS number, stream.session AS session,
        \(Schema.samples) AS samples, length(bytes) AS size,
        (SELECT count(*) FROM upload JOIN destination ON destination.number = upload.destination
          WHERE upload.chunk = chunk.number AND state = 1 AND name IS NOT NULL)
          = (SELECT nullif(count(*), 0) FROM destination WHERE name IS NOT NULL) AS is_sent
      FROM chunk JOIN stream ON stream.number = chunk.stream)
    """
}

/// The reason why a known chunk is not in the store, as encoded in `absent.reason`.
enum Absence {
  /// The chunk was deleted before any destination received it.
  static let unsent = 0
  /// The chunk was deleted after only some destinations had received it, or was set aside as
  /// damaged after at least one had received it.
  static let sentToSome = 1
  /// The chunk was deleted after every destination had received it.
  static let sent = 2
  /// The chunk was recorded elsewhere and has not been received yet.
  static let expected = 3
}

extension Store.Dropped {
  fileprivate mutating func add(samples: Int, bytes: UInt64, isSent: Bool) {
    chunks += 1
    if !isSent { unsent += 1 }
    self.samples += samples
    self.bytes += bytes
  }

  /// The text of the event that records the deletion.
  fileprivate var text: String {
    (chunks == 1 ? "1 chunk" : "\(chunks) chunks") + " of \(bytes) bytes, "
      + (unsent == 0
        ? "already sent" : unsent == chunks ? "not sent" : "\(unsent) of them not sent")
  }
}
