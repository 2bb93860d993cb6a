internal import Glibc

/// What was saved of a store whose file is torn.
public struct StoreSalvage: Hashable, Sendable {
  /// Where the torn file is kept; nothing in it was changed.
  public var kept: String
  /// Sessions in the new file.
  public var sessions = 0
  /// Chunks in the new file.
  public var chunks = 0
  /// Chunks that are only known by name and were set aside.
  public var unreadable = 0
  /// Chunks that were set aside because they are not as they were written.
  public var damaged = 0
  /// Chunks left behind because nothing says any more to which stream they belong.
  public var strays = 0

  /// Reads what can be read of the store at `path` into a new file, which takes its place.
  ///
  /// The torn file is kept beside it. A crash leaves the one or the other, never half of either.
  /// `nil`, and everything as it was, when `progress` said not to go on.
  public static func run(
    _ path: String, _ progress: StoreProgress = { _, _ in true }
  ) throws(StoreError) -> StoreSalvage? {
    let lock = try StoreLock(store: path, doing: "change")
    let new = path + "-salvage"
    removeFile(new)
    var isInPlace = false
    defer { if !isInPlace { removeFile(new) } }
    guard var salvage = try copy(path, to: new, progress) else { return nil }
    salvage.kept = freeName(path)
    try exchange(path, for: new, keeping: salvage.kept)
    isInPlace = true
    // Held until here: a recorder may come now.
    _ = consume lock
    return salvage
  }

  private static func copy(
    _ path: String, to new: String, _ progress: StoreProgress
  ) throws(StoreError) -> StoreSalvage? {
    let torn = try Database.open(path: path, mode: .reading)
    let version = try torn.checkSchema(mayBeNew: false)
    let target = try Database.open(path: new, mode: .recording)
    try target.choosePageSize()
    try target.execute("PRAGMA journal_mode = OFF", doing: "salvage into")
    // As it was first, so that rows fit; brought up to date below.
    for step in Schema.migrations[..<Int(version)] {
      try target.execute(step, doing: "salvage into")
    }
    try target.execute(
      "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(version); BEGIN",
      doing: "salvage into")
    var salvage = StoreSalvage(kept: "")
    for table in Schema.tables where try target.hasTable(table) && table != "chunk" {
      try torn.copyRows(of: table, to: target)
    }
    let numbers = torn.legibleChunkNumbers()
    var unreadable: [Int64] = []
    var done = 0
    for number in numbers {
      guard progress(done, numbers.count) else { return nil }
      if try !torn.copyRow(number, of: "chunk", to: target) { unreadable.append(number) }
      done += 1
    }
    try target.execute("COMMIT", doing: "salvage into")
    try target.execute("PRAGMA journal_mode = DELETE", doing: "salvage into")
    try target.migrate(from: version)
    salvage.unreadable = try torn.noteUnreadable(unreadable, in: target)
    salvage.strays = try target.removeStrays()
    for number in try target.chunkNumbers() {
      guard let why = try target.chunkDamage(number) else { continue }
      _ = try target.setAside(number, why: why)
      salvage.damaged += 1
    }
    salvage.sessions = Int(try target.integer("SELECT count(*) FROM session"))
    salvage.chunks = Int(try target.integer("SELECT count(*) FROM chunk"))
    if let damage = try target.structureDamage(limit: 1).first { throw target.damaged(damage) }
    return progress(numbers.count, numbers.count) ? salvage : nil
  }

  /// Puts the new file in place of the torn one, which gets another name with its log.
  private static func exchange(
    _ path: String, for new: String, keeping kept: String
  ) throws(StoreError) {
    func check(_ succeeded: Bool) throws(StoreError) {
      guard !succeeded else { return }
      let reason = unsafe String(cString: strerror(errno))
      throw .found(.other, "cannot keep \(path) as \(kept): \(reason)", path: path)
    }
    // A second name for the torn file, so that at no moment there is no store; where the medium has
    // no second names, another name instead.
    if unsafe link(path, kept) != 0 { try check(unsafe rename(path, kept) == 0) }
    unsafe rename(path + "-wal", kept + "-wal")
    unsafe unlink(path + "-shm")
    try check(unsafe rename(new, path) == 0)
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let parent = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { return }
    fsync(parent)
    close(parent)
  }

  private static func freeName(_ path: String) -> String {
    var name = path + ".damaged"
    var number = 2
    while StoreReader.exists(at: name) {
      name = path + ".damaged-\(number)"
      number += 1
    }
    return name
  }

  private static func removeFile(_ path: String) {
    for name in [path, path + "-journal", path + "-wal", path + "-shm"] { unsafe unlink(name) }
  }
}

extension Schema {
  /// All tables, those first that others refer to.
  static let tables = [
    "session", "board", "stream", "chunk", "fix", "clock", "known_board", "hazard", "annotation",
    "event", "destination", "upload", "session_upload", "damaged", "absent", "statistics", "steps",
    "setting",
  ]
}

/// Reading a torn file: an error where it is torn ends a scan, and is not passed on.
extension Database {
  fileprivate func hasTable(_ name: String) throws(StoreError) -> Bool {
    try integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'") == 1
  }

  /// Copies the rows before the first tear and those behind the last.
  fileprivate func copyRows(
    of table: String, to target: borrowing Database
  ) throws(StoreError) {
    let order = try target.key(of: table)
    for direction in ["ASC", "DESC"] {
      let keys = order.map { "\($0) \(direction)" }.joined(separator: ", ")
      let isComplete = try copy(
        "SELECT * FROM \(table) NOT INDEXED ORDER BY \(keys)", into: table, of: target)
      if isComplete { return }
    }
  }

  /// Copies one row of a table with numbers: whether it was there to be read.
  fileprivate func copyRow(
    _ number: Int64, of table: String, to target: borrowing Database
  ) throws(StoreError) -> Bool {
    let wasRead = try copy(
      "SELECT * FROM \(table) NOT INDEXED WHERE number = \(number)", into: table, of: target)
    guard wasRead else { return false }
    return try target.integer("SELECT count(*) FROM \(table) WHERE number = \(number)") == 1
  }

  /// Copies what a query gives until it ends or meets a tear: whether it ended.
  private func copy(
    _ sql: String, into table: String, of target: borrowing Database
  ) throws(StoreError) -> Bool {
    var query: Statement
    do throws(StoreError) { query = try prepare(sql, doing: "read") } catch { return false }
    let places = Array(repeating: "?", count: Int(query.columnCount)).joined(separator: ", ")
    var insert = try target.prepare(
      "INSERT OR IGNORE INTO \(table) VALUES (\(places))", doing: "salvage into")
    while true {
      do throws(StoreError) {
        guard try query.step() else { return true }
      } catch {
        return false
      }
      for column in 0..<query.columnCount { try insert.bind(column: column, of: query) }
      do throws(StoreError) {
        try insert.run()
      } catch {
        // A row that cannot be what was written; one the disk has no room for is another matter.
        guard error.kind == .refused || error.kind == .other else { throw error }
      }
    }
  }

  /// Columns of a table's primary key, in order.
  private func key(of table: String) throws(StoreError) -> [String] {
    var query = try prepare(
      "SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 ORDER BY pk", doing: "read")
    var names: [String] = []
    while try query.step() { names.append(query.text(0)) }
    return names
  }

  /// Numbers of all chunks that the table or one of its indexes still tells.
  fileprivate func legibleChunkNumbers() -> [Int64] {
    var numbers: Set<Int64> = []
    for order in ["number", "id", "stream, sequence"] {
      for direction in ["ASC", "DESC"] {
        let keys = order.split(separator: ", ").map { "\($0) \(direction)" }.joined(separator: ", ")
        let source = order == "number" ? "chunk NOT INDEXED" : "chunk"
        do throws(StoreError) {
          var query = try prepare("SELECT number FROM \(source) ORDER BY \(keys)", doing: "read")
          while try query.step() { numbers.insert(query.integer(0)) }
          break
        } catch {
          continue
        }
      }
    }
    return numbers.sorted()
  }

  /// Notes chunks whose bytes are lost among the damaged ones of the new file, as far as their rows
  /// can be read; how many chunks there are without bytes.
  fileprivate func noteUnreadable(
    _ numbers: [Int64], in target: borrowing Database
  ) throws(StoreError) -> Int {
    for number in numbers {
      do throws(StoreError) {
        var query = try prepare(
          "SELECT id, stream, sequence, samples FROM chunk WHERE number = \(number)", doing: "read")
        guard try query.step() else { continue }
        var insert = try target.prepare(
          """
          INSERT INTO damaged (id, stream, sequence, samples, bytes, why)
          SELECT ?1, ?2, ?3, ?4, NULL, 'its pages cannot be read'
          WHERE EXISTS (SELECT 1 FROM stream WHERE number = ?2)
          """, doing: "salvage into")
        for column in 0..<Int32(4) { try insert.bind(column: column, of: query) }
        try insert.run()
      } catch {
        guard error.kind == .damaged else { throw error }
      }
    }
    return numbers.count
  }

  /// Deletes what belongs to something that could not be read; how many chunks that were.
  fileprivate func removeStrays() throws(StoreError) -> Int {
    for statement in [
      "DELETE FROM board WHERE session NOT IN (SELECT id FROM session)",
      """
      DELETE FROM stream WHERE NOT EXISTS (SELECT 1 FROM board
        WHERE board.session = stream.session AND board.address = stream.board)
      """,
      "DELETE FROM fix WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM clock WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM hazard WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM annotation WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM event WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM statistics WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM steps WHERE session NOT IN (SELECT id FROM session)",
      "DELETE FROM damaged WHERE stream NOT IN (SELECT number FROM stream)",
      "DELETE FROM absent WHERE stream NOT IN (SELECT number FROM stream)",
      "DELETE FROM chunk WHERE stream NOT IN (SELECT number FROM stream)",
    ] { try execute(statement, doing: "salvage into") }
    let strays = changes
    for statement in [
      """
      DELETE FROM upload WHERE chunk NOT IN (SELECT number FROM chunk)
        OR destination NOT IN (SELECT number FROM destination)
      """,
      """
      DELETE FROM session_upload WHERE session NOT IN (SELECT id FROM session)
        OR destination NOT IN (SELECT number FROM destination)
      """,
      // What is told of a session may be less now.
      "UPDATE session_upload SET revision = ''",
    ] { try execute(statement, doing: "salvage into") }
    return strays
  }
}
