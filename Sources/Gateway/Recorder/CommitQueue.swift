internal import ChunkFormat
internal import Recording
internal import Values

/// The data for the next commit, and the commits that the writer has not answered yet.
struct CommitQueue {
  /// A sealed chunk, and the index of its stream.
  typealias Sealed = (stream: Int, chunk: Chunk)

  /// The most seconds between two transactions, and the number of sealed samples that triggers one.
  /// Each transaction also writes index pages and partly filled blocks, which one transaction a
  /// minute keeps few. Meanwhile the tail holds the samples.
  private static let longestSeconds = 60.0
  private static let enoughSamples = 20_000
  /// Least seconds between two transactions.
  private static let commitSeconds = 1.0

  private var sealed: [Sealed] = []
  private var fixes: [Fix] = []
  private var entries: [ClockTable.Entry] = []
  private var events: [SessionEvent] = []
  /// Commits that wait for an answer, oldest first.
  private var underway: [(chunks: [Sealed], fixes: Int)] = []
  private var lastCommit: BootTime
  private let waitSeconds: Double

  /// - Parameter sealSeconds: How long a chunk may stay open. A sealed chunk waits no longer than
  ///   that.
  init(at now: BootTime, sealSeconds: Double) {
    lastCommit = now
    waitSeconds = min(max(sealSeconds, Self.commitSeconds), Self.longestSeconds)
  }

  mutating func add(_ chunk: Chunk, of stream: Int) { sealed.append((stream, chunk)) }
  mutating func add(_ fix: Fix) { fixes.append(fix) }
  mutating func add(_ entry: ClockTable.Entry) { entries.append(entry) }
  mutating func add(_ event: SessionEvent) { events.append(event) }

  /// Whether the writer has answered every commit. The recorder has only one commit under way: with
  /// a slow disk, commits would pile up.
  var isIdle: Bool { underway.isEmpty }

  /// Whether the next commit is due.
  func isDue(at now: BootTime) -> Bool {
    guard isIdle else { return false }
    let seconds = now.seconds(since: lastCommit)
    guard seconds >= Self.commitSeconds else { return false }
    // Events are few, and someone may be looking for the latest one.
    if !events.isEmpty { return true }
    guard seconds < waitSeconds else { return !sealed.isEmpty || !fixes.isEmpty }
    return sealed.reduce(0) { $0 + $1.chunk.count } >= Self.enoughSamples
  }

  /// All waiting data. They count as under way from now on.
  mutating func begin(at now: BootTime) -> StoreWriter.Batch {
    underway.append((sealed, fixes.count))
    let batch = StoreWriter.Batch(
      chunks: sealed.map(\.chunk), fixes: fixes, entries: entries, events: events)
    _ = drop(at: now)
    return batch
  }

  /// Discards the waiting data if there is no store for them, and returns the chunks.
  mutating func drop(at now: BootTime) -> [Sealed] {
    lastCommit = now
    fixes.removeAll()
    entries.removeAll()
    events.removeAll()
    defer { sealed.removeAll() }
    return sealed
  }

  /// The chunks and the number of fixes of the oldest commit, which the writer has just answered.
  mutating func answered() -> (chunks: [Sealed], fixes: Int) { underway.removeFirst() }

  /// All waiting data as records of a tail.
  var records: [TailRecord] {
    entries.map { .clock($0) } + fixes.map { .fix($0) } + events.map { .event($0) }
      + sealed.compactMap { position, chunk in
        chunk.piece(from: ChunkPosition()).map { .samples(UInt16(position), $0) }
      }
  }
}
