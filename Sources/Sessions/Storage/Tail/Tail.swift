public import ChunkFormat
public import Recording

/// Saves the data that a recorder has received but not yet committed, in a file next to the store.
/// These are the samples of open chunks, and sealed chunks that are being written to the database.
/// Not thread-safe.
///
/// The file only grows, so each sample is written once. Once the file is too long, a new file
/// starts with the records that are still needed, and the old file can be removed.
public struct Tail: ~Copyable {
  /// File size in bytes above which a new file should be started.
  private static let longest = 4 << 20

  private let store: String
  private var number: UInt64 = 0
  /// Number of bytes in the frames written since the last sync.
  private var unsynced = 0
  /// Number of bytes that the last sync had to write.
  private var synced = 0
  /// Encodes the records of the current file as frames.
  private var encoder = TailEncoder(tail: 0)
  /// The reason why no more disk space can be reserved; `nil` while reserving works. The space
  /// already reserved suffices for an orderly shutdown.
  public private(set) var shortage: StoreError?
  /// The file that is being written; `nil` before the first record.
  public private(set) var segment: TailSegment?

  /// Creates the tail of the store at `path`, for its recorder. No file is created yet.
  public init(store path: String) {
    store = path
    number = TailFiles.existing(store: path).last?.number ?? 0
  }

  /// Whether the current file is long enough that a new file should be started.
  public var isLong: Bool { (segment?.length ?? 0) > Self.longest }

  public var hasUnsynced: Bool { unsynced > 0 }

  /// Whether to begin the next frame on a block boundary, because the next sync would otherwise
  /// have to write an extra block. Assumes that the next frames are as long as the previous frames.
  /// On a full disk, no bytes are skipped.
  public var beginsBlock: Bool {
    guard shortage == nil, !hasUnsynced, synced > 0, let segment else { return false }
    return TailBlock.isStraddled(by: synced, at: segment.length)
  }

  /// Records that a sync of all frames written so far is starting.
  public mutating func noteSync() {
    synced = unsynced
    unsynced = 0
  }

  /// Appends records. Once this call has returned, the records survive the end of this process.
  /// Once the file has been synced, they also survive a power cut.
  ///
  /// - Parameter beginsGroup: whether the records must be readable independently of earlier
  ///   records. Otherwise, the new records are shorter, but a reader needs the records before them.
  ///   A torn write then makes all records up to the next group unreadable.
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

  /// Starts a new file with these records, which must include everything from the previous file
  /// that is still needed.
  ///
  /// Returns the previous file, which the caller must remove once the new file is synced.
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
