internal import ChunkFormat
internal import Recording
internal import Values

/// The data for the next commit, and the commits that the writer has not answered yet.
struct CommitQueue {
  /// A sealed chunk, and the position of its stream.
  typealias Sealed = (stream: Int, chunk: Chunk)

  /// The most seconds from one transaction to the next, and the samples of sealed chunks that are
  /// enough for one. Each also writes index pages and partly filled blocks, which one transaction a
  /// minute keeps few. The tail has the samples meanwhile.
  private static let longestSeconds = 60.0
  private static let enoughSamples = 20_000
  /// Seconds from one transaction to the next at least.
  private static let commitSeconds = 1.0

  private var sealed: [Sealed] = []
  private var fixes: [Fix] = []
  private var entries: [ClockTable.Entry] = []
  private var events: [SessionEvent] = []
  /// Commits that wait for an answer, the oldest first.
  private var underway: [(chunks: [Sealed], fixes: Int)] = []
  private var lastCommit: BootTime
  private let waitSeconds: Double

  /// - Parameter sealSeconds: how long a chunk may stay open. A sealed one waits no longer.
  init(at now: BootTime, sealSeconds: Double) {
    lastCommit = now
    waitSeconds = min(max(sealSeconds, Self.commitSeconds), Self.longestSeconds)
  }

  mutating func add(_ chunk: Chunk, of stream: Int) { sealed.append((stream, chunk)) }
  mutating func add(_ fix: Fix) { fixes.append(fix) }
  mutating func add(_ entry: ClockTable.Entry) { entries.append(entry) }
  mutating func add(_ event: SessionEvent) { events.append(event) }

  /// Whether the writer has answered every commit. The recorder has one commit under way at a time:
  /// a slow disk would gather them faster than it writes them.
  var isIdle: Bool { underway.isEmpty }

  /// Whether the next commit is due.
  func isDue(at now: BootTime) -> Bool {
    guard isIdle else { return false }
    let seconds = now.seconds(since: lastCommit)
    guard seconds >= Self.commitSeconds else { return false }
    // Events are few, and somebody may be looking for the one that has just happened.
    if !events.isEmpty { return true }
    guard seconds < waitSeconds else { return !sealed.isEmpty || !fixes.isEmpty }
    return sealed.reduce(0) { $0 + $1.chunk.count } >= Self.enoughSamples
  }

  /// All waiting data, which count as under way to the writer from now on.
  mutating func begin(at now: BootTime) -> StoreWriter.Batch {
    underway.append((sealed, fixes.count))
    let batch = StoreWriter.Batch(
      chunks: sealed.map(\.chunk), fixes: fixes, entries: entries, events: events)
    _ = drop(at: now)
    return batch
  }

  /// Forgets the waiting data where there is no store to take them, and returns the chunks.
  mutating func drop(at now: BootTime) -> [Sealed] {
    lastCommit = now
    fixes.removeAll()
    entries.removeAll()
    events.removeAll()
    defer { sealed.removeAll() }
    return sealed
  }

  /// The chunks of the oldest commit, which the writer has just answered, and its number of fixes.
  mutating func answered() -> (chunks: [Sealed], fixes: Int) { underway.removeFirst() }

  /// All waiting data as records of a tail.
  var records: [TailRecord] {
    entries.map { .clock($0) } + fixes.map { .fix($0) } + events.map { .event($0) }
      + sealed.compactMap { position, chunk in
        chunk.piece(from: ChunkPosition()).map { .samples(UInt16(position), $0) }
      }
  }
}
