public import ChunkFormat
public import Recording

/// What a recorder has taken and not yet committed, in a file beside the store: the samples of open
/// chunks, and sealed ones on their way into the database. One thread uses it.
///
/// It only grows, so that each sample is written once. When it has become long, a new file begins
/// with the records that are still needed, and the old one can go.
public struct Tail: ~Copyable {
  /// Bytes after which a new file is due.
  private static let longest = 4 << 20

  private let store: String
  private var number: UInt64 = 0
  private var written = 0
  /// How the records of the file go on.
  private var encoder = TailEncoder(tail: 0)
  /// Why the disk gives no more room ahead; the reserved room is left for an orderly end.
  public private(set) var shortage: StoreError?
  /// The file that is written to; `nil` before the first record.
  public private(set) var segment: TailSegment?

  /// A tail of the store at `path`, whose recorder the caller is. No file is made yet.
  public init(store path: String) {
    store = path
    number = TailFiles.existing(store: path).last?.number ?? 0
  }

  /// Whether a new file would be shorter.
  public var isLong: Bool { written > Self.longest }

  /// Writes records after the others. They survive the end of this process from here on, and a
  /// power cut once the segment was synced.
  ///
  /// - Parameter beginsGroup: whether they can be read by themselves. Others are shorter, and are
  ///   read after those before, so that a torn write costs all up to the next that begins a group.
  public mutating func append(
    _ records: [TailRecord], beginsGroup: Bool
  ) throws(StoreError) {
    if segment == nil { try begin() }
    guard let segment, !records.isEmpty else { return }
    let frame = encoder.encode(records, beginsGroup: beginsGroup)
    do throws(StoreError) {
      try segment.write(frame)
    } catch {
      encoder.breakOff()
      throw error
    }
    written += frame.count
    reserve()
  }

  private mutating func reserve() {
    do throws(StoreError) {
      try segment?.reserve()
    } catch {
      shortage = error
    }
  }

  /// Begins a new file with these records, which are all that is still needed of the one before.
  ///
  /// That one is returned: remove it when the new one was synced.
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
    written = 0
    reserve()
  }
}
