public import Recording
internal import SQLite
public import Values

/// The result of checking a store.
public struct StoreCheck: Hashable, Sendable {
  /// A damaged chunk, as reported by a check or a repair.
  public struct Finding: Hashable, Sendable {
    public var session: UniqueID
    public var board: BoardAddress
    public var signal: String
    /// Position of the chunk in its stream.
    public var sequence: Int
    public var samples: Int
    public var why: String
    /// Whether a repair restored the chunk.
    public var isRestored = false
  }

  /// Descriptions of damage in the database's structure, one line each; empty if there is none.
  public var structure: [String] = []
  public var sessions = 0
  /// Number of chunks that the check read.
  public var chunks = 0
  /// Number of damaged chunks found.
  public var damaged = 0
  /// Number of damaged chunks that a repair restored because only their rows were incorrect.
  public var restored = 0
  /// The first damaged chunks, at most `listed`.
  public var findings: [Finding] = []
  /// Number of chunks set aside by earlier repairs.
  public var setAside = 0

  /// Maximum number of findings to store. A failing card may damage hundreds of thousands of
  /// chunks: too many to read, or to keep in the memory of a small computer.
  public static let listed = 1_000

  /// Whether the store is undamaged, apart from chunks set aside earlier.
  public var isWhole: Bool { structure.isEmpty && damaged == 0 }
}

extension StoreReader {
  /// Reads the whole store, even while a recorder is writing to it, and reports any damage.
  ///
  /// Returns `nil` if `progress`, which is called for each chunk, cancelled the check.
  public func check(_ progress: StoreProgress = { _, _ in true }) throws(StoreError) -> StoreCheck?
  {
    try database.check(progress)
  }
}

extension Database {
  /// - Parameter noting: called with the number of each damaged chunk, and a description of the
  ///   damage.
  func check(
    _ progress: StoreProgress, noting: (Int64, String) -> Void = { _, _ in }
  ) throws(StoreError) -> StoreCheck? {
    var check = StoreCheck()
    check.structure = try structureDamage(limit: 20, withIndexes: true)
    // In a store with torn page trees, a query that counts rows may fail at any point.
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
    // Reads only the stream index, which is small compared with the chunks.
    return try rows("SELECT number FROM chunk ORDER BY stream, sequence") { $0.integer(0) }
  }

  /// Returns the finding for a damaged chunk; `nil` if a recorder has deleted the chunk in the
  /// meantime.
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
