public import LinuxSystem
internal import Recording
public import Storage
public import Values

/// A store with sessions of small chunks, ready to be uploaded.
public struct UploadStore {
  public let folder: TemporaryFolder
  public var path: String { folder.path + "/store.sqlite" }
  /// The chunks of each session, in the order in which they were stored.
  public private(set) var chunks: [UniqueID: [UniqueID]] = [:]
  /// The sessions in the order in which they were recorded.
  public private(set) var sessions: [UniqueID] = []

  private static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")

  private static let stream = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100, lossAccounting: .counted)

  /// Creates an object without sessions. The store's file does not exist yet.
  public init() throws {
    folder = try TemporaryFolder(prefix: "upload")
  }

  /// Records a session with `count` chunks, optionally dated by satellites. A chunk gets the id
  /// that `known` contains for its sequence number, or a new id. Unless `ends` is true, the session
  /// is still being recorded.
  public mutating func record(
    chunks count: Int, isDated: Bool = true, samples: Int = 50, ids known: [Int: UniqueID] = [:],
    fixes: Int = 5, ends: Bool = true
  ) throws {
    let session = Session(
      bootID: .random(),
      start: BootTime(nanoseconds: Int64(sessions.count + 1) * 1_000_000_000_000),
      note: "walk \(sessions.count)")
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.addBoard(Self.board, session: session.id)
    try store.addStream(Self.stream, board: Self.board.address, session: session.id)
    try store.commit(
      chunks: [],
      fixes: (0..<fixes).map {
        Fix(
          arrival: session.start.advanced(bySeconds: Double($0)),
          utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000 + Int64($0) * 1_000_000_000),
          latitude: 50, longitude: 14)
      },
      clock: isDated
        ? [
          ClockTable.Entry(
            boot: session.start, utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000),
            source: .satellites)
        ] : [])
    var ids: [UniqueID] = []
    for first in stride(from: 0, to: count, by: 64) {
      let chunks = (first..<min(count, first + 64)).map {
        Self.chunk(known[$0] ?? .random(), UInt32($0), of: session, samples)
      }
      ids += chunks.map(\.id)
      try store.commit(chunks: chunks, fixes: [], clock: [])
    }
    if ends {
      try store.end(session: session.id, at: session.start.advanced(bySeconds: Double(count + 1)))
    }
    try store.close()
    sessions.append(session.id)
    chunks[session.id] = ids
  }

  private static func chunk(
    _ id: UniqueID, _ sequence: UInt32, of session: Session, _ count: Int
  ) -> Chunk {
    let first = session.start.nanoseconds + Int64(sequence) * 1_000_000_000
    return Chunk(
      id: id, session: session.id, bootID: session.bootID, board: board, stream: stream,
      sequence: sequence,
      clock: Chunk.Clock(first: BootTime(nanoseconds: first), period: 10_000_000),
      counters: (0..<count).map { UInt32($0) + sequence * UInt32(count) },
      arrivals: (0..<count).map { BootTime(nanoseconds: first + Int64($0) * 10_000_000) },
      ticks: [],
      columns: (0..<3).map { axis in
        (0..<count).map { Int32(truncatingIfNeeded: ($0 &* 7_919 &+ axis &* 104_729) % 4_096) }
      },
      gaps: [], fixes: [])
  }

  /// Adds a destination with this name. Its address has the same name unless another address is
  /// given.
  public func destination(_ name: String, at place: String? = nil) throws -> StoredDestination {
    try StoreEditor(path: path).addDestination(
      named: name, place: place ?? "folder /\(name)", settings: "{}", at: UTCTime(nanoseconds: 1))
  }

  public func counts(_ destination: StoredDestination) throws -> UploadCounts {
    try StoreReader(path: path).uploadCounts(for: destination)
  }

  public func bytes(_ id: UniqueID) throws -> [UInt8] {
    try StoreReader(path: path).bytes(ofChunk: id)
  }
}
