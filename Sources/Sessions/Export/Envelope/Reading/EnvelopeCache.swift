public import Recording
internal import Storage
internal import Values

/// The pyramids of the chunks read so far, kept beside the store in `STORE-envelopes`.
///
/// A cache never fails. If the file cannot be used, as on a read-only medium, envelopes are
/// computed from the chunks each time, and `fault` is the reason. One thread uses it.
public struct EnvelopeCache: ~Copyable {
  /// The most pyramids: 23 days of a stream of 100 Hz, in some 60 MB.
  public static let limit = 100_000

  private let store: String?
  private var file: ChunkSummaryFile?
  /// The reason why the file is not used; `nil` while it is.
  public private(set) var fault: StoreError?

  public init(store path: String) {
    store = path
    open()
  }

  /// A cache that keeps nothing.
  public init() {
    store = nil
  }

  /// The file of a store's cache. It may be deleted at any time.
  public static func path(ofStore path: String) -> String { path + suffix }

  private static let suffix = "-envelopes"

  /// Whether pyramids are kept.
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

  /// Stops using the file after an error. A damaged file is replaced for the next call.
  private mutating func drop(_ error: StoreError) {
    file = nil
    fault = error
    guard ChunkSummaryFile.isWorthless(error), let store else { return }
    ChunkSummaryFile.remove(Self.path(ofStore: store))
    open()
  }

  /// The bytes of pyramids, in the order of the chunks; `nil` for chunks without a stored pyramid.
  mutating func pyramids(of chunks: [UniqueID]) -> [[UInt8]?] {
    do throws(StoreError) {
      if let found = try file?.summaries(of: chunks) { return found }
    } catch {
      // While another program holds the file, its content can be read later.
      if error.kind != .busy { drop(error) }
    }
    return Array(repeating: nil, count: chunks.count)
  }

  /// Stores pyramids.
  mutating func keep(_ pyramids: [(chunk: UniqueID, bytes: [UInt8])]) {
    do throws(StoreError) {
      try file?.keep(pyramids)
    } catch {
      // With a full disk, or while another program holds the file, its content can still be read.
      guard error.kind != .full, error.kind != .busy else { return }
      drop(error)
    }
  }
}
