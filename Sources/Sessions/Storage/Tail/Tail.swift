public import ChunkFormat
public import Recording

/// The data that a recorder has received and not yet committed, in a file beside the store: the
/// samples of open chunks, and sealed chunks on their way into the database. One thread uses it.
///
/// The file only grows, so that each sample is written once. When it has become long, a new file
/// begins with the records that are still needed, and the old one can be removed.
public struct Tail: ~Copyable {
  /// Bytes after which a new file is due.
  private static let longest = 4 << 20

  private let store: String
  private var number: UInt64 = 0
  /// Bytes of the frames since the last sync, and bytes that the last sync wrote.
  private var unsynced = 0
  private var synced = 0
  /// Encoder of the file's records.
  private var encoder = TailEncoder(tail: 0)
  /// The reason why the disk cannot reserve more space; the reserved space remains for an orderly
  /// end.
  public private(set) var shortage: StoreError?
  /// The file being written; `nil` before the first record.
  public private(set) var segment: TailSegment?

  /// A tail of the store at `path`, whose recorder is the caller. No file is created yet.
  public init(store path: String) {
    store = path
    number = TailFiles.existing(store: path).last?.number ?? 0
  }

  /// Whether a new file would be shorter.
  public var isLong: Bool { (segment?.length ?? 0) > Self.longest }

  /// Whether frames were written since the last sync.
  public var hasUnsynced: Bool { unsynced > 0 }

  /// Whether the next frame begins a block. If the frames up to the next sync are as long as the
  /// last ones, they would otherwise touch one more block, which the sync would write. On a full
  /// disk frames use every byte.
  public var beginsBlock: Bool {
    guard shortage == nil, !hasUnsynced, synced > 0, let segment else { return false }
    return TailBlock.isStraddled(by: synced, at: segment.length)
  }

  /// Notes that a sync of all written frames begins.
  public mutating func noteSync() {
    synced = unsynced
    unsynced = 0
  }

  /// Appends records. From then on they survive the end of this process, and after a sync of the
  /// segment also a power cut.
  ///
  /// - Parameter beginsGroup: whether the records can be read by themselves. Other records are
  ///   shorter, but a reader needs the records before them: a torn write makes all records up to
  ///   the next group unreadable.
  public mutating func append(
    _ records: [TailRecord], beginsGroup: Bool
  ) throws(StoreError) {
    if segment == nil { try begin() }
    guard let segment, !records.isEmpty else { return }
    if beginsGroup, beginsBlock { segment.beginBlock() }
    let frame = encoder.encode(records, beginsGroup: beginsGroup)
    do throws(StoreError) {
      try segment.write(frame)
    } catch {
      encoder.breakOff()
      throw error
    }
    unsynced += frame.count
    reserve()
  }

  private mutating func reserve() {
    do throws(StoreError) {
      try segment?.reserve()
    } catch {
      shortage = error
    }
  }

  /// Begins a new file with these records, which are all that is still needed of the former file.
  ///
  /// Returns the former file: remove it once the new one is synced.
  public mutating func restart(with records: [TailRecord]) throws(StoreError) -> TailSegment? {
    let former = segment
    try begin()
    try append(records, beginsGroup: true)
    return former
  }

  private mutating func begin() throws(StoreError) {
    let segment = try TailSegment(store: store, number: number + 1)
    encoder = TailEncoder(tail: segment.tail)
    self.segment = segment
    number += 1
    unsynced = 0
    synced = 0
    reserve()
  }
}
