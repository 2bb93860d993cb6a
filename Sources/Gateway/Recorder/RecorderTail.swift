internal import ChunkFormat
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// When the tail is written and synced, and the records that wait to be written into it.
struct RecorderTail: ~Copyable {
  /// Seconds from one sync to the next. With the fifth of a second from one write to the next it
  /// makes the second that a power cut may cost.
  private static let syncSeconds = 0.8
  /// Seconds from one frame that can be read by itself to the next. In between a torn one takes
  /// those after it along, none of which was synced yet.
  private static let groupSeconds = 1.0

  /// Seconds without anything to write after which it is written that the recorder is there. A
  /// board may be away for hours, and its missing samples are counted up to the last time that is
  /// known.
  private static let aliveSeconds = 2.0

  /// Seconds from one naming of the streams in a file to the next. Without their names nothing in
  /// it can be read, so a damaged frame must not be the only one that has them.
  private static let namingSeconds = 60.0

  /// When the streams are to be named again; `nil` before the first frame of the first file.
  private var nextNaming: BootTime?
  private var lastWrite = BootTime(nanoseconds: 0)
  private var tail: Tail
  private var waiting: [TailRecord] = []
  private var lastSync = BootTime(nanoseconds: 0)
  private var lastGroup = BootTime(nanoseconds: 0)
  private var hasUnsynced = false
  /// Syncs that were asked for and not answered.
  private var syncs = 0
  private let syncer: TailSyncer

  /// A tail of the store at `path`; `tell` is called from another thread after each sync.
  init(
    store path: String, _ tell: @escaping @Sendable (StoreError?) -> Void
  ) throws(SystemError) {
    tail = Tail(store: path)
    syncer = try TailSyncer(tell)
  }

  /// Adds something to the next write.
  mutating func add(_ record: TailRecord) {
    waiting.append(record)
  }

  /// Writes the waiting records and the new samples of these streams, and has them synced when due.
  mutating func write(_ streams: inout [RecordedStream], at now: BootTime) throws(StoreError) {
    let beginsGroup = now.seconds(since: lastGroup) >= Self.groupSeconds
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
      // With the next group, and then from time to time.
      if nextNaming == nil { nextNaming = now.advanced(bySeconds: Self.groupSeconds) }
      let records = waiting
      waiting.removeAll(keepingCapacity: true)
      if beginsGroup { lastGroup = now }
      try tail.append(records, beginsGroup: beginsGroup)
      hasUnsynced = true
    }
    guard hasUnsynced, syncs == 0, now.seconds(since: lastSync) >= Self.syncSeconds,
      let segment = tail.segment
    else { return }
    hasUnsynced = false
    syncs += 1
    lastSync = now
    syncer.sync(segment)
  }

  private static func names(of streams: [RecordedStream]) -> [TailRecord] {
    streams.indices.map { .stream(UInt16($0), streams[$0].outline) }
  }

  /// A sync was answered.
  mutating func noteSynced() {
    syncs -= 1
  }

  /// Why there will soon be no room to write in; `nil` while there is.
  var shortage: StoreError? { tail.shortage }

  /// Returns when nothing is being synced any more: the last file, which may go when all is stored.
  func finish() -> TailSegment? {
    syncer.finish()
    return tail.segment
  }

  /// Begins a new file when the old one is long. The new file holds the streams, the samples of
  /// their open chunks, and `rest`, the records that wait for a commit.
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
    // The waiting records are in them.
    waiting.removeAll(keepingCapacity: true)
    nextNaming = now.advanced(bySeconds: Self.groupSeconds)
    if let former = try tail.restart(with: records), let segment = tail.segment {
      syncs += 1
      syncer.replace(former, by: segment)
    }
  }
}
