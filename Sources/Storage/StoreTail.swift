public import Recording

/// What is in the tail of a store, for those who read a session that is being recorded, or that was cut off
/// and not opened for recording since.
public struct StoreTail: Sendable {
  /// The session it belongs to; `nil` where there is no tail.
  public var session: UniqueID?
  /// Chunks that are open, and others that may be in the store too, in the order of their streams' sequence.
  public var chunks: [Chunk] = []
  /// Fixes, of which the first may be in the store too.
  public var fixes: [Fix] = []
  /// Clock entries, some of which may be in the store too.
  public var entries: [ClockTable.Entry] = []

  /// Reads the tail of the store at `path`. Read it before the store: what a recorder moves from one to
  /// the other meanwhile is then in both, and not in neither.
  public init(store path: String) throws(StoreError) {
    // A recorder may remove a file between the look at the folder and the look at the file, and then has
    // written another.
    var found = try Self.content(path)
    if found == nil { found = try Self.content(path) }
    let content = found ?? TailContent()
    session = content.outlines.first?.session
    fixes = content.fixes
    entries = content.entries
    chunks = try content.chunks(fixes: content.fixes) { _ throws(StoreError) in true }.chunks
  }

  /// `nil` when a file disappeared meanwhile.
  private static func content(_ path: String) throws(StoreError) -> TailContent? {
    var content = TailContent()
    for file in TailFiles.existing(store: path) {
      guard let bytes = try TailFiles.readIfThere(file.path) else { return nil }
      content.read(bytes)
    }
    return content
  }
}
