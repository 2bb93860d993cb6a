internal import ChunkFormat
internal import Recording
internal import Values

/// The data for the next commit, and the commits that the writer has not confirmed yet.
struct CommitQueue {
  /// A sealed chunk, and the index of its stream.
  typealias Sealed = (stream: Int, chunk: Chunk)

  /// The maximum time in seconds between transactions, and the number of sealed samples that
  /// triggers an earlier transaction. Transactions should be rare, because each one also writes
  /// index pages and partly filled blocks. Until the commit, the samples are in the tail.
  private static let longestSeconds = 60.0
  private static let enoughSamples = 20_000
  /// The minimum time between transactions, in seconds.
  private static let commitSeconds = 1.0

  private var sealed: [Sealed] = []
  private var fixes: [Fix] = []
  private var entries: [ClockTable.Entry] = []
  private var events: [SessionEvent] = []
  /// Commits that the writer has not confirmed yet, oldest first.
  private var underway: [(chunks: [Sealed], fixes: Int)] = []
  private var lastCommit: BootTime
  private let waitSeconds: Double

  /// - Parameter sealSeconds: The maximum time in seconds that a chunk stays open. A sealed chunk
  ///   waits no longer than this for its commit.
  init(at now: BootTime, sealSeconds: Double) {
    lastCommit = now
    waitSeconds = min(max(sealSeconds, Self.commitSeconds), Self.longestSeconds)
  }

  mutating func add(_ chunk: Chunk, of stream: Int) { sealed.append((stream, chunk)) }
  mutating func add(_ fix: Fix) { fixes.append(fix) }
  mutating func add(_ entry: ClockTable.Entry) { entries.append(entry) }
  mutating func add(_ event: SessionEvent) { events.append(event) }

  /// Whether the writer has confirmed every commit. The recorder starts only one commit at a time,
  /// because commits would otherwise pile up on a slow disk.
  var isIdle: Bool { underway.isEmpty }

  func isDue(at now: BootTime) -> Bool {
    guard isIdle else { return false }
    let seconds = now.seconds(since: lastCommit)
    guard seconds >= Self.commitSeconds else { return false }
    // Events do not wait for other data: they are rare, and a user may be looking for the latest
    // one.
    if !events.isEmpty { return true }
    guard seconds < waitSeconds else { return !sealed.isEmpty || !fixes.isEmpty }
    return sealed.reduce(0) { $0 + $1.chunk.count } >= Self.enoughSamples
  }

  /// Returns all waiting data and adds it to the unconfirmed commits.
  mutating func begin(at now: BootTime) -> StoreWriter.Batch {
    underway.append((sealed, fixes.count))
    let batch = StoreWriter.Batch(
      chunks: sealed.map(\.chunk), fixes: fixes, entries: entries, events: events)
    _ = drop(at: now)
    return batch
  }

  /// Discards the waiting data and returns the discarded chunks. Used when there is no store.
  mutating func drop(at now: BootTime) -> [Sealed] {
    lastCommit = now
    fixes.removeAll()
    entries.removeAll()
    events.removeAll()
    defer { sealed.removeAll() }
    return sealed
  }

  /// Removes the oldest commit, which the writer has just confirmed. Returns its chunks and its
  /// number of fixes.
  mutating func answered() -> (chunks: [Sealed], fixes: Int) { underway.removeFirst() }

  /// All waiting data as records for a tail.
  var records: [TailRecord] {
    entries.map { .clock($0) } + fixes.map { .fix($0) } + events.map { .event($0) }
      + sealed.compactMap { position, chunk in
        chunk.piece(from: ChunkPosition()).map { .samples(UInt16(position), $0) }
      }
  }
}
