public import Recording
public import Values

/// What a store was found to be like.
public struct StoreCheck: Hashable, Sendable {
  /// A chunk that is not as it was written.
  public struct Finding: Hashable, Sendable {
    /// The session it belongs to.
    public var session: UniqueID
    /// The board it came from.
    public var board: BoardAddress
    /// The signal it carries, and its form.
    public var signal: String
    /// Position in its stream.
    public var sequence: Int
    /// Samples it had.
    public var samples: Int
    /// What is wrong with it.
    public var why: String
  }

  /// What is wrong with the file as a database, a line each; empty where nothing is.
  public var structure: [String] = []
  /// Sessions.
  public var sessions = 0
  /// Chunks that were read.
  public var chunks = 0
  /// Chunks among them that are not as they were written.
  public var findings: [Finding] = []
  /// Chunks that were set aside before.
  public var setAside = 0

  /// Whether everything is as it was written, as far as it was not set aside before.
  public var isWhole: Bool { structure.isEmpty && findings.isEmpty }
}

extension StoreReader {
  /// Reads the whole store, also while a recorder writes into it, and tells which parts are not as
  /// they were written.
  ///
  /// `nil` when `progress`, which is called for each chunk, said not to go on.
  public func check(_ progress: StoreProgress = { _, _ in true }) throws(StoreError) -> StoreCheck?
  {
    try database.check(progress)
  }
}

extension Database {
  func check(_ progress: StoreProgress) throws(StoreError) -> StoreCheck? {
    var check = StoreCheck()
    check.structure = try structureDamage(limit: 20, withIndexes: true)
    // Where the trees of pages are torn, counting rows may end anywhere.
    guard check.structure.isEmpty else { return check }
    check.sessions = Int(try integer("SELECT count(*) FROM session"))
    check.setAside = Int(try integer("SELECT count(*) FROM damaged"))
    let numbers = try chunkNumbers()
    for number in numbers {
      guard progress(check.chunks, numbers.count) else { return nil }
      if let why = try chunkDamage(number), let finding = try finding(number, why) {
        check.findings.append(finding)
      }
      check.chunks += 1
    }
    check.structure = try streamDamage()
    return progress(check.chunks, numbers.count) ? check : nil
  }

  func chunkNumbers() throws(StoreError) -> [Int64] {
    // By the index of ids, which is small beside the chunks.
    var query = try prepare("SELECT number FROM chunk ORDER BY stream, sequence", doing: "read")
    var numbers: [Int64] = []
    while try query.step() { numbers.append(query.integer(0)) }
    return numbers
  }

  /// `nil` for a chunk that a recorder deleted meanwhile.
  private func finding(_ number: Int64, _ why: String) throws(StoreError) -> StoreCheck.Finding? {
    var query = try prepare(
      """
      SELECT stream.session, stream.board, signal, sequence, \(Schema.samples)
      FROM chunk JOIN stream ON stream.number = chunk.stream WHERE chunk.number = ?
      """, doing: "read")
    try query.bind(number)
    guard try query.step() else { return nil }
    return StoreCheck.Finding(
      session: try id(query.bytes(0)),
      board: BoardAddress(value: UInt64(bitPattern: query.integer(1))), signal: query.text(2),
      sequence: Int(query.integer(3)), samples: Int(query.integer(4)), why: why)
  }
}
