/// A value for a parameter of a statement.
package protocol SQLiteValue: Sendable {
  /// The value in one of SQLite's own types.
  var cell: SQLiteCell { get }
}

/// A value of one of SQLite's own types.
package enum SQLiteCell: SQLiteValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  package var cell: SQLiteCell { self }
}

extension SQLiteValue where Self: BinaryInteger {
  /// The number, or the nearest one of SQLite's.
  package var cell: SQLiteCell { .integer(Int64(clamping: self)) }
}

extension Int: SQLiteValue {}
extension Int64: SQLiteValue {}
extension UInt8: SQLiteValue {}
extension UInt32: SQLiteValue {}
extension UInt64: SQLiteValue {}

extension Bool: SQLiteValue {
  package var cell: SQLiteCell { .integer(self ? 1 : 0) }
}

extension Double: SQLiteValue {
  package var cell: SQLiteCell { .real(self) }
}

extension String: SQLiteValue {
  package var cell: SQLiteCell { .text(self) }
}

extension [UInt8]: SQLiteValue {
  package var cell: SQLiteCell { .blob(self) }
}

/// `nil` is NULL.
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
  package var cell: SQLiteCell { self?.cell ?? .null }
}
