internal import CSQLite
package import Recording

/// One prepared statement. It finalises itself; values are bound from 1, columns read from 0.
@safe package struct Statement: ~Copyable {
  // Safety: the pointer is the library's own, valid from init to deinit, and never leaves this
  // type; the connection behind it outlives it, since SQLite closes one only after its last
  // statement.
  private let handle: OpaquePointer
  private let path: String
  private let doing: String
  private let work: DatabaseWork
  private var position: Int32 = 0

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

  /// Binds the next parameter.
  package mutating func bind(_ value: Int64?) throws(StoreError) {
    position += 1
    if let value {
      try check(unsafe sqlite3_bind_int64(handle, position, value))
    } else {
      try check(unsafe sqlite3_bind_null(handle, position))
    }
  }

  /// Binds the next parameter.
  mutating func bind(_ value: Double?) throws(StoreError) {
    position += 1
    if let value {
      try check(unsafe sqlite3_bind_double(handle, position, value))
    } else {
      try check(unsafe sqlite3_bind_null(handle, position))
    }
  }

  /// Binds the next parameter.
  package mutating func bind(_ text: String?) throws(StoreError) {
    position += 1
    guard let text else { return try check(unsafe sqlite3_bind_null(handle, position)) }
    var bytes = text
    let code = bytes.withUTF8 { text in
      // An empty string may have no address, which SQLite would take for NULL.
      unsafe text.withMemoryRebound(to: CChar.self) { text in
        unsafe csqlite_bind_text(handle, position, text.baseAddress, Int32(text.count))
      }
    }
    try check(code)
  }

  /// Binds the next parameter.
  mutating func bind(_ bytes: [UInt8]) throws(StoreError) {
    position += 1
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe csqlite_bind_blob(handle, position, bytes.baseAddress, Int32(bytes.count))
    }
    try check(code)
  }

  /// Binds the next parameter to a column of another statement's row, of any type.
  mutating func bind(column: Int32, of other: borrowing Statement) throws(StoreError) {
    position += 1
    // Safety: the value is the other statement's until its next step; it is copied here.
    try check(
      unsafe sqlite3_bind_value(handle, position, sqlite3_column_value(other.handle, column)))
  }

  /// Number of columns of a row.
  var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

  /// Moves to the next row. Returns whether there is one.
  package mutating func step() throws(StoreError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure(code)
    }
  }

  /// Runs a statement that gives no rows and resets it for other values.
  mutating func run() throws(StoreError) {
    defer { reset() }
    _ = try step()
  }

  /// Resets the statement for other values, whatever rows are left.
  mutating func reset() {
    unsafe sqlite3_reset(handle)
    position = 0
  }

  /// Whether a column of the row is NULL.
  package func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// A column of the row.
  package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// A column of the row.
  func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  /// A column of the row; `nil` where it is NULL.
  package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// A column of the row; `nil` where it is NULL.
  func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }

  /// A column of the row.
  package func text(_ column: Int32) -> String {
    String(decoding: bytes(column), as: UTF8.self)
  }

  /// A column of the row.
  package func bytes(_ column: Int32) -> [UInt8] {
    // Safety: SQLite keeps the bytes until the next step, and they are copied before this returns.
    // The length is read after the address, in the order that SQLite's manual demands.
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  private func check(_ code: Int32) throws(StoreError) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  private func failure(_ code: Int32) -> StoreError {
    let connection = unsafe sqlite3_db_handle(handle)
    return StoreError(
      code: code, systemError: unsafe sqlite3_system_errno(connection),
      reason: unsafe String(cString: sqlite3_errmsg(connection)), doing: doing, path: path)
  }
}

/// The cost of a connection's statements, for tests: a count that is the same on every machine. The
/// thread of the connection uses it.
final class DatabaseWork {
  /// Instructions of SQLite's virtual machine, about ten for each row that is read.
  private(set) var steps = 0

  fileprivate func add(_ steps: Int32) { self.steps += Int(steps) }
}
