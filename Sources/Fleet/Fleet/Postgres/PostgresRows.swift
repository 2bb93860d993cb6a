internal import CPostgres
public import Values

/// A result's rows, in PostgreSQL's binary format. Rows and columns are numbered from 0. All values
/// of a row that does not exist are `nil`.
@safe
public final class PostgresRows {
  // Safety: this object owns the result and frees it. The result is never modified.
  private let result: OpaquePointer

  init(owning result: OpaquePointer) {
    unsafe self.result = result
  }

  deinit {
    unsafe PQclear(result)
  }

  public var count: Int { Int(unsafe PQntuples(result)) }

  /// Returns a value's bytes, or `nil` for NULL.
  public func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    let (row, column) = (Int32(row), Int32(column))
    let columns = unsafe PQnfields(result)
    precondition((0..<columns).contains(column), "the statement must return this column")
    guard (0..<Int32(count)).contains(row), unsafe PQgetisnull(result, row, column) == 0,
      let start = unsafe PQgetvalue(result, row, column)
    else { return nil }
    let length = Int(unsafe PQgetlength(result, row, column))
    return unsafe start.withMemoryRebound(to: UInt8.self, capacity: length) {
      unsafe Array(UnsafeBufferPointer(start: $0, count: length))
    }
  }

  /// Returns an integer of two, four or eight bytes, or `nil` for NULL.
  public func integer(_ row: Int, _ column: Int) -> Int64? {
    bytes(row, column).map { bytes in
      let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
      return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
    }
  }

  /// Returns a `float8` value, or `nil` for NULL.
  public func number(_ row: Int, _ column: Int) -> Double? {
    integer(row, column).map { Double(bitPattern: UInt64(bitPattern: $0)) }
  }

  /// Returns a `text` value, or `nil` for NULL.
  public func text(_ row: Int, _ column: Int) -> String? {
    bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a `uuid` value, or `nil` for NULL.
  public func id(_ row: Int, _ column: Int) -> UniqueID? {
    bytes(row, column).flatMap { bytes in
      guard bytes.count == 16 else { return nil }
      func half(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
      return UniqueID(high: half(bytes[..<8]), low: half(bytes[8...]))
    }
  }

  /// Returns a `timestamptz` value, or `nil` for NULL.
  public func time(_ row: Int, _ column: Int) -> UTCTime? {
    // The value is in microseconds since the year 2000.
    integer(row, column).map { UTCTime(nanoseconds: ($0 + 946_684_800_000_000) * 1_000) }
  }
}
