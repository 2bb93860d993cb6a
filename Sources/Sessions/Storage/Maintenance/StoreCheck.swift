public import Recording
internal import SQLite
public import Values

/// The result of a check of a store.
public struct StoreCheck: Hashable, Sendable {
  /// A damaged chunk.
  public struct Finding: Hashable, Sendable {
    /// The session of the chunk.
    public var session: UniqueID
    /// The board of the chunk.
    public var board: BoardAddress
    /// The name of the chunk's signal.
    public var signal: String
    /// Position of the chunk in its stream.
    public var sequence: Int
    public var samples: Int
    /// The damage.
    public var why: String
  }

  /// Damage in the structure of the database, a line each; empty if there is none.
  public var structure: [String] = []
  public var sessions = 0
  /// Number of chunks read.
  public var chunks = 0
  /// Number of damaged chunks among them.
  public var damaged = 0
  /// The first of the damaged chunks, at most `listed`.
  public var findings: [Finding] = []
  /// Number of chunks set aside earlier.
  public var setAside = 0

  /// The most findings in memory. A failing card may damage hundreds of thousands of chunks, too
  /// many for a reader and for the memory of a small computer.
  public static let listed = 1_000

  /// Whether the store has no damage, apart from chunks set aside earlier.
  public var isWhole: Bool { structure.isEmpty && damaged == 0 }
}

extension StoreReader {
  /// Reads the whole store, even while a recorder writes into it, and reports its damage.
  ///
  /// `nil` if `progress`, which is called for each chunk, ended the check.
  public func check(_ progress: StoreProgress = { _, _ in true }) throws(StoreError) -> StoreCheck?
  {
    try database.check(progress)
  }
}

extension Database {
  /// - Parameter noting: called with the number of each damaged chunk, and the reason.
  func check(
    _ progress: StoreProgress, noting: (Int64, String) -> Void = { _, _ in }
  ) throws(StoreError) -> StoreCheck? {
    var check = StoreCheck()
    check.structure = try structureDamage(limit: 20, withIndexes: true)
    // If the trees of pages are torn, counting rows may stop anywhere.
    guard check.structure.isEmpty else { return check }
    check.sessions = Int(try integer("SELECT count(*) FROM session"))
    check.setAside = Int(try integer("SELECT count(*) FROM damaged"))
    let numbers = try chunkNumbers()
    for number in numbers {
      guard progress(check.chunks, numbers.count) else { return nil }
      if let why = try chunkDamage(number), let finding = try finding(number, why) {
        check.damaged += 1
        if check.findings.count < StoreCheck.listed { check.findings.append(finding) }
        noting(number, why)
      }
      check.chunks += 1
    }
    check.structure = try streamDamage()
    return progress(check.chunks, numbers.count) ? check : nil
  }

  func chunkNumbers() throws(StoreError) -> [Int64] {
    // Reads the index of streams, which is small compared to the chunks.
    return try rows("SELECT number FROM chunk ORDER BY stream, sequence") { $0.integer(0) }
  }

  /// `nil` for a chunk that a recorder deleted meanwhile.
  private func finding(_ number: Int64, _ why: String) throws(StoreError) -> StoreCheck.Finding? {
    try first(
      """
      SELECT stream.session, stream.board, signal, sequence, \(Schema.samples)
      FROM chunk JOIN stream ON stream.number = chunk.stream WHERE chunk.number = ?
      """, [number]
    ) { row throws(StoreError) in
      StoreCheck.Finding(
        session: try row.id(0), board: row.board(1), signal: row.text(2), sequence: row.int(3),
        samples: row.int(4), why: why)
    }
  }
}
