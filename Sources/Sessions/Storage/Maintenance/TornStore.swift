internal import ChunkFormat
internal import Recording
internal import SQLite
internal import Values

/// Reads the parts of a torn file that SQLite can still read. An error at a tear ends a scan and is
/// not thrown.
final class TornStore {
  private let database: Database
  /// The schema version of the file; `nil` if this program does not support the version.
  let version: Int64?

  /// Opens the store at `path`; `nil` if SQLite cannot read it.
  init?(path: String) {
    do throws(StoreError) {
      let database = try Database.open(path: path, mode: .torn)
      let version = try database.integer("PRAGMA user_version")
      self.version = (1...Schema.version).contains(version) ? version : nil
      self.database = database
    } catch {
      return nil
    }
  }

  /// Whether the file header identifies a footbridge store.
  var isOurs: Bool {
    ((try? database.integer("PRAGMA application_id")) ?? 0) == Schema.applicationID
  }

  /// Copies the rows before the first tear and after the last one. Returns whether these are all of
  /// the rows.
  func copyRows(of table: String, to target: borrowing Database) throws(StoreError) -> Bool {
    let order = try target.key(of: table)
    for direction in ["ASC", "DESC"] {
      let keys = order.map { "\($0) \(direction)" }.joined(separator: ", ")
      let isComplete = try copy(
        "SELECT * FROM \(table) NOT INDEXED ORDER BY \(keys)", into: table, of: target)
      if isComplete { return true }
    }
    return false
  }

  /// Copies a query's rows up to the first tear. Returns whether there was no tear.
  private func copy(
    _ sql: String, into table: String, of target: borrowing Database
  ) throws(StoreError) -> Bool {
    var query: Statement
    do throws(StoreError) { query = try database.prepare(sql, doing: "read") } catch {
      return false
    }
    // If the number of columns differs from the number in this schema version, the table's
    // definition is damaged.
    guard query.columnCount == (try target.columnCount(of: table)) else { return false }
    let places = Array(repeating: "?", count: Int(query.columnCount)).joined(separator: ", ")
    var insert = try target.prepare(
      "INSERT OR IGNORE INTO \(table) VALUES (\(places))", doing: SalvagedStore.doing)
    while true {
      do throws(StoreError) {
        guard try query.step() else { return true }
      } catch {
        return false
      }
      do throws(StoreError) {
        try insert.run(rowOf: query)
      } catch {
        // An invalid row is skipped, but a full disk is an error.
        guard error.kind == .refused || error.kind == .other else { throw error }
      }
    }
  }

  /// Returns the data that the chunk table and its indexes still contain.
  func chunkIndex() -> ChunkIndex {
    var index = ChunkIndex()
    for (order, source) in [("number", "chunk NOT INDEXED"), ("id", "chunk")] {
      let isComplete = scan("SELECT number FROM \(source) ORDER BY \(order) ") { query, _ in
        index.numbers.insert(query.integer(0))
      }
      if isComplete { index.areAllTold = true }
    }
    var ends: [Bool: Int64] = [:]
    index.areAllPlaced = scan(
      "SELECT number, stream, sequence FROM chunk ORDER BY stream %, sequence "
    ) { query, isForwards in
      index.numbers.insert(query.integer(0))
      ends[isForwards] = query.integer(1)
      guard let sequence = UInt32(exactly: query.integer(2)) else { return }
      index.places[query.integer(0)] = ChunkIndex.Place(
        stream: query.integer(1), sequence: sequence)
    }
    if index.areAllPlaced {
      index.areAllTold = true
    } else if !ends.isEmpty {
      index.readable = (ends[true] ?? .min, ends[false] ?? .max)
    }
    return index
  }

  /// Reads rows forwards up to the first tear and, if there is one, backwards from the end up to
  /// the last tear. Returns whether there was no tear. The sort direction is appended to the query,
  /// and also replaces each `%` in it.
  private func scan(_ sql: String, _ take: (borrowing Statement, _ isForwards: Bool) -> Void)
    -> Bool
  {
    for direction in ["ASC", "DESC"] {
      do throws(StoreError) {
        let parts = sql.split(separator: "%", omittingEmptySubsequences: false)
        try database.each(parts.joined(separator: direction) + direction) { row in
          take(row, direction == "ASC")
        }
        return true
      } catch {
        continue
      }
    }
    return false
  }

  func chunk(_ number: Int64) -> (chunk: Chunk, bytes: [UInt8])? {
    guard let bytes = bytes(ofChunk: number), let chunk = try? Chunk(decoding: bytes.span) else {
      return nil
    }
    return (chunk, bytes)
  }

  /// Returns the ids that the index still contains for these chunks, each with the chunk's number.
  func ids(of numbers: Set<Int64>) -> [UniqueID: Int64] {
    var ids: [UniqueID: Int64] = [:]
    guard !numbers.isEmpty else { return ids }
    for direction in ["ASC", "DESC"] {
      do throws(StoreError) {
        try database.each("SELECT id, number FROM chunk ORDER BY id \(direction)") { row in
          let number = row.integer(1)
          guard numbers.contains(number), let id = UniqueID(bytes: row.bytes(0)) else { return }
          ids[id] = number
        }
        break
      } catch {
        continue
      }
    }
    return ids
  }

  /// Whether a row describes a different chunk from the one in its bytes, and does not merely
  /// contain a damaged id.
  func describesAnother(_ number: Int64, than chunk: Chunk) -> Bool {
    let query = """
      SELECT 1 FROM chunk NOT INDEXED WHERE number = ? AND id <> ? AND NOT (sequence = ?
        AND stream IS (SELECT number FROM stream WHERE session = ? AND board = ? AND signal = ?))
      """
    return
      (try? database.finds(
        query,
        [
          number, chunk.id, chunk.sequence, chunk.session, chunk.board.address,
          chunk.stream.signal,
        ])) ?? false
  }

  private func bytes(ofChunk number: Int64) -> [UInt8]? {
    do throws(StoreError) {
      return try database.first("SELECT bytes FROM chunk NOT INDEXED WHERE number = ?", [number]) {
        row in row.bytes(0)
      }
    } catch {
      return nil
    }
  }

  /// Returns the known data of a damaged chunk; `nil` if not even its row can be read.
  func lostChunk(_ number: Int64) -> LostChunk? {
    let bytes = bytes(ofChunk: number)
    var why = "its pages cannot be read"
    if let bytes {
      do throws(ChunkError) { _ = try Chunk(decoding: bytes.span) } catch { why = "\(error)" }
    }
    do throws(StoreError) {
      return try database.first(
        "SELECT id, stream, sequence, samples, first_ns, lost FROM chunk WHERE number = ?", [number]
      ) { row in
        guard let id = UniqueID(bytes: row.bytes(0)) else { return nil }
        return LostChunk(
          id: id, stream: row.integer(1), sequence: row.integer(2), samples: row.integer(3),
          lost: row.integer(5), first: row.integer(4), bytes: bytes, why: why)
      }
    } catch {
      return nil
    }
  }
}

extension Schema {
  /// The names of all tables, ordered so that each table follows the tables to which it refers.
  static let tables = [
    "session", "board", "stream", "chunk", "fix", "clock", "known_board", "hazard", "annotation",
    "event", "destination", "upload", "session_upload", "damaged", "absent", "statistics", "steps",
    "setting",
  ]
}

extension Database {
  /// Returns the columns of a table's primary key, in order.
  fileprivate func key(of table: String) throws(StoreError) -> [String] {
    try rows("SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 ORDER BY pk") { row in
      row.text(0)
    }
  }

  fileprivate func columnCount(of table: String) throws(StoreError) -> Int32 {
    Int32(try integer("SELECT count(*) FROM pragma_table_info('\(table)')"))
  }

  func hasTable(_ name: String) throws(StoreError) -> Bool {
    try integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'") == 1
  }
}
