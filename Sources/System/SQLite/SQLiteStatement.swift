internal import CSQLite

/// A prepared statement and its current row. Columns are numbered from 0. The statement is
/// finalised when this value is destroyed.
@safe package struct SQLiteStatement<Failure: SQLiteFailure>: ~Copyable {
  // Safety: the pointer belongs to SQLite, is valid from init to deinit, and never leaves this
  // type. The connection outlives it, because SQLite closes a connection only after its last
  // statement is finalised.
  private let handle: OpaquePointer
  /// The database file's path, for error messages.
  package let path: String
  private let doing: String
  private let work: DatabaseWork

  init(owning handle: OpaquePointer, path: String, doing: String, _ work: DatabaseWork) {
    unsafe self.handle = handle
    self.path = path
    self.doing = doing
    self.work = work
  }

  deinit {
    work.add(unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0))
    unsafe sqlite3_finalize(handle)
  }

  // MARK: Values

  /// Binds one value to each parameter.
  mutating func bind(_ values: [any SQLiteValue]) throws(Failure) {
    precondition(
      values.count == Int(unsafe sqlite3_bind_parameter_count(handle)),
      "a statement needs one value for each parameter")
    for (index, value) in values.enumerated() {
      let code = bind(value.cell, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw failure(code) }
    }
  }

  private func bind(_ cell: SQLiteCell, at position: Int32) -> Int32 {
    switch cell {
    case .null: return unsafe sqlite3_bind_null(handle, position)
    case .integer(let value): return unsafe sqlite3_bind_int64(handle, position, value)
    case .real(let value): return unsafe sqlite3_bind_double(handle, position, value)
    case .text(var text):
      return text.withUTF8 { text in
        // An empty string may have a null address, which SQLite would treat as NULL.
        unsafe text.withMemoryRebound(to: CChar.self) { text in
          unsafe csqlite_bind_text(handle, position, text.baseAddress, Int32(text.count))
        }
      }
    case .blob(let bytes):
      return unsafe bytes.withUnsafeBytes { bytes in
        unsafe csqlite_bind_blob(handle, position, bytes.baseAddress, Int32(bytes.count))
      }
    }
  }

  /// Runs the statement with values of any types, copied from another statement's current row.
  package mutating func run(rowOf other: borrowing SQLiteStatement) throws(Failure) {
    for column in 0..<other.columnCount {
      // Safety: the other statement owns the value until its next step, and the value is copied
      // before that.
      let code = unsafe sqlite3_bind_value(
        handle, column + 1, sqlite3_column_value(other.handle, column))
      guard code == SQLITE_OK else { throw failure(code) }
    }
    defer { reset() }
    _ = try step()
  }

  // MARK: Running

  /// Runs a statement that returns no rows, and returns the number of rows that it changed. The
  /// statement can then run again with different values.
  @discardableResult
  package mutating func run(_ values: [any SQLiteValue]) throws(Failure) -> Int {
    defer { reset() }
    try bind(values)
    _ = try step()
    return Int(unsafe sqlite3_changes(sqlite3_db_handle(handle)))
  }

  /// Returns `body`'s result for the first row, or `nil` if there is no row. The statement can then
  /// run again with other values.
  package mutating func first<Value>(
    _ values: [any SQLiteValue],
    _ body: (borrowing SQLiteStatement) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    defer { reset() }
    try bind(values)
    return try step() ? try body(self) : nil
  }

  package mutating func finds(_ values: [any SQLiteValue]) throws(Failure) -> Bool {
    try first(values) { _ in true } ?? false
  }

  /// Advances to the next row. Returns `false` if there is none.
  package mutating func step() throws(Failure) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure(code)
    }
  }

  private func reset() { unsafe sqlite3_reset(handle) }

  private func failure(_ code: Int32) -> Failure {
    let connection = unsafe sqlite3_db_handle(handle)
    return Failure(
      SQLiteError(
        code: code, systemError: unsafe sqlite3_system_errno(connection),
        reason: unsafe String(cString: sqlite3_errmsg(connection)), doing: doing, path: path))
  }

  // MARK: Columns of the current row; an optional value is `nil` for NULL

  package var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

  package func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  package func int(_ column: Int32) -> Int { Int(integer(column)) }

  package func bool(_ column: Int32) -> Bool { integer(column) != 0 }

  package func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  package func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }

  package func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }

  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  package func bytes(_ column: Int32) -> [UInt8] {
    // Safety: SQLite keeps the bytes until the next step, and they are copied before this function
    // returns. The length is read after the address, as SQLite's manual requires.
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  package func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }
}

/// Counts the work of a connection's statements. Only the connection's thread uses it. Tests
/// compare the counts, because they are the same on every computer.
package final class DatabaseWork {
  /// The number of instructions that SQLite's virtual machine has executed. Reading a row takes
  /// about ten.
  package private(set) var steps = 0

  fileprivate func add(_ steps: Int32) { self.steps += Int(steps) }
}
