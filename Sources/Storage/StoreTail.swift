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

  /// None.
  public init() {}

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

extension StoreTail {
  /// What the tail has of a session beyond what the store has.
  public struct Rest: Sendable {
    /// The streams of the session, as the store has them.
    public var streams: [StoredStream]
    /// The last chunk of each in the store, which may have been set aside; `nil` for a stream without any.
    public var lastSequences: [UInt32?]
    /// The chunks of each that are in the tail alone, in their order.
    public var chunks: [[Chunk]]
    /// Fixes that are in the tail alone.
    public var fixes: [Fix]
    /// How many are in the store.
    public var storedFixes: Int
    /// The clock entries that date it.
    public var entries: [ClockTable.Entry]

    /// The latest arrival of a sample or a fix; `nil` where there are none.
    public var lastTime: BootTime? {
      (chunks.compactMap { $0.last?.arrivals.last } + [fixes.last?.arrival].compactMap(\.self))
        .max()
    }
  }

  /// Compares the tail with the store, which was opened after it was read.
  public func rest(
    of id: UniqueID, behind reader: borrowing StoreReader
  ) throws(StoreError) -> Rest {
    let streams = try reader.streams(of: id)
    var last: [UInt32?] = []
    for stream in streams { last.append(try reader.lastSequence(of: stream)) }
    let fixCount = try reader.fixCount(of: id)
    var rest = Rest(
      streams: streams, lastSequences: last, chunks: streams.map { _ in [] }, fixes: [],
      storedFixes: fixCount,
      entries: try reader.datingEntries(of: id, tail: session == id ? entries : []))
    guard session == id else { return rest }
    rest.chunks = zip(streams, last).map { stream, last in
      chunks.filter { chunk in
        chunk.board.address == stream.board.address
          && chunk.stream.signal == stream.description.signal
          && last.map { chunk.sequence > $0 } ?? true
      }
    }
    let newest = try reader.fixes(of: id, from: max(0, fixCount - 1), limit: 1).last?.arrival
    rest.fixes = fixes.filter { fix in newest.map { fix.arrival > $0 } ?? true }
    return rest
  }
}
