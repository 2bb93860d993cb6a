internal import ChunkFormat
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// The schedule for writing and syncing the tail, and the records that wait for the next write.
struct RecorderTail: ~Copyable {
  /// Seconds between writes to the tail's file.
  private static let writeSeconds = 0.2
  /// Seconds between frames that begin a group. A torn frame makes the following frames unreadable
  /// until the next group, but none of these frames had been synced anyway.
  private static let groupSeconds = 1.0

  /// Seconds without records before a keep-alive record is written to the tail. If a board stays
  /// out of range for hours, the tail then shows how long its samples were missing.
  private static let aliveSeconds = 2.0

  /// Seconds until the streams' names are repeated in a file. Nothing in the file can be read
  /// without the names, so one damaged frame must not destroy the only copy.
  private static let namingSeconds = 60.0

  /// The time of the next repetition of the streams' names, or `nil` before the first file's first
  /// frame.
  private var nextNaming: BootTime?
  private var lastWrite = BootTime(nanoseconds: 0)
  private var tail: Tail
  private var waiting: [TailRecord] = []
  private var lastSync = BootTime(nanoseconds: 0)
  private var lastGroup = BootTime(nanoseconds: 0)
  /// The number of syncs that were requested but are not complete.
  private var syncs = 0
  /// Seconds between syncs of the tail's file.
  private let syncSeconds: Double
  private let syncer: TailSyncer

  /// Opens the tail for the store at `path`. At most `atRiskSeconds` of samples are lost in a power
  /// failure. `tell` is called from another thread after each sync.
  init(
    store path: String, atRiskSeconds: Double, _ tell: @escaping @Sendable (StoreError?) -> Void
  ) throws(SystemError) {
    tail = Tail(store: path)
    // Sync half a write interval early. Otherwise, if a write came a moment before the sync was
    // due, the sync would have to wait for the next write.
    syncSeconds = atRiskSeconds - 1.5 * Self.writeSeconds
    syncer = try TailSyncer(tell)
  }

  mutating func add(_ record: TailRecord) {
    waiting.append(record)
  }

  /// Writes the waiting records and these streams' new samples, and requests a sync if one is due.
  mutating func write(_ streams: inout [RecordedStream], at now: BootTime) throws(StoreError) {
    let beginsGroup = tail.beginsBlock || now.seconds(since: lastGroup) >= Self.groupSeconds
    for position in streams.indices {
      if let piece = streams[position].newPiece(at: now, beginsGroup: beginsGroup) {
        waiting.append(.samples(UInt16(position), piece))
      }
    }
    if let due = nextNaming, beginsGroup, now >= due, !waiting.isEmpty {
      waiting = Self.names(of: streams) + waiting
      nextNaming = now.advanced(bySeconds: Self.namingSeconds)
    }
    if waiting.isEmpty, tail.segment != nil, now.seconds(since: lastWrite) >= Self.aliveSeconds {
      waiting.append(.alive(now))
    }
    if !waiting.isEmpty {
      lastWrite = now
      // The streams' names are repeated with the next group, and then periodically.
      if nextNaming == nil { nextNaming = now.advanced(bySeconds: Self.groupSeconds) }
      let records = waiting
      waiting.removeAll(keepingCapacity: true)
      if beginsGroup { lastGroup = now }
      try tail.append(records, beginsGroup: beginsGroup)
    }
    guard tail.hasUnsynced, syncs == 0, now.seconds(since: lastSync) >= syncSeconds,
      let segment = tail.segment
    else { return }
    tail.noteSync()
    syncs += 1
    lastSync = now
    syncer.sync(segment)
  }

  private static func names(of streams: [RecordedStream]) -> [TailRecord] {
    streams.indices.map { .stream(UInt16($0), streams[$0].outline) }
  }

  mutating func noteSynced() {
    syncs -= 1
  }

  /// Whether the tail's file is still at the path where the next recorder will look for it.
  var isInPlace: Bool { tail.segment?.isInPlace ?? false }

  /// The error if the tail will soon run out of space, or `nil` if there is enough.
  var shortage: StoreError? { tail.shortage }

  /// Waits until no sync is running. Returns the last file, which can be removed once everything is
  /// stored.
  func finish() -> TailSegment? {
    syncer.finish()
    return tail.segment
  }

  /// Starts a new file if the old one is long. The new file contains the streams, the samples in
  /// their open chunks, and `rest`: the records that wait for a commit.
  mutating func shorten(
    _ streams: inout [RecordedStream], keeping rest: [TailRecord], at now: BootTime
  ) throws(StoreError) {
    guard tail.isLong else { return }
    var records = Self.names(of: streams) + rest
    for position in streams.indices {
      if let piece = streams[position].wholePiece(at: now) {
        records.append(.samples(UInt16(position), piece))
      }
    }
    // The new file already contains the waiting records.
    waiting.removeAll(keepingCapacity: true)
    nextNaming = now.advanced(bySeconds: Self.groupSeconds)
    if let former = try tail.restart(with: records), let segment = tail.segment {
      syncs += 1
      syncer.replace(former, by: segment)
    }
    for position in streams.indices { streams[position].noteTailBegun() }
  }
}
