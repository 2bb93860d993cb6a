public import Recording
internal import Storage
internal import Values

/// Caches the pyramids of chunks that have been read, in the file `STORE-envelopes` next to the
/// store.
///
/// The cache never throws. If its file cannot be used, for example on a read-only medium, envelopes
/// are computed from the chunks each time, and `fault` contains the reason. Not thread-safe.
public struct EnvelopeCache: ~Copyable {
  /// The maximum number of pyramids in the cache. They cover 23 days of a 100 Hz stream and take
  /// about 60 MB.
  public static let limit = 100_000

  private let store: String?
  private var file: ChunkSummaryFile?
  /// The reason why the cache does not use its file; `nil` while it does.
  public private(set) var fault: StoreError?

  public init(store path: String) {
    store = path
    open()
  }

  /// Creates a cache that stores nothing.
  public init() {
    store = nil
  }

  /// Path of a store's cache. The file may be deleted at any time.
  public static func path(ofStore path: String) -> String { path + suffix }

  private static let suffix = "-envelopes"

  /// Whether pyramids are written to the cache file.
  public var isKeeping: Bool { file != nil }

  private mutating func open() {
    guard let store else { return }
    do throws(StoreError) {
      file = try ChunkSummaryFile(
        store: store, suffix: Self.suffix, version: Int32(ChunkPyramid.version),
        limit: Self.limit)
      fault = nil
    } catch {
      fault = error
    }
  }

  /// Stops using the file after an error. A damaged file is replaced immediately, so that later
  /// calls can use the new file.
  private mutating func drop(_ error: StoreError) {
    file = nil
    fault = error
    guard ChunkSummaryFile.isWorthless(error), let store else { return }
    ChunkSummaryFile.remove(Self.path(ofStore: store))
    open()
  }

  /// Returns the chunks' encoded pyramids in the same order, with `nil` for each chunk that is not
  /// in the cache.
  mutating func pyramids(of chunks: [UniqueID]) -> [[UInt8]?] {
    do throws(StoreError) {
      if let found = try file?.summaries(of: chunks) { return found }
    } catch {
      // A cache file that another program has locked remains in use, since it can be read later.
      if error.kind != .busy { drop(error) }
    }
    return Array(repeating: nil, count: chunks.count)
  }

  mutating func keep(_ pyramids: [(chunk: UniqueID, bytes: [UInt8])]) {
    do throws(StoreError) {
      try file?.keep(pyramids)
    } catch {
      // The cache file remains in use if the disk is full or another program has locked the file,
      // since the pyramids in it can still be read.
      guard error.kind != .full, error.kind != .busy else { return }
      drop(error)
    }
  }
}
