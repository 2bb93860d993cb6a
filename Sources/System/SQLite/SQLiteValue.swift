/// A type whose values can be bound to a statement's parameters.
package protocol SQLiteValue: Sendable {
  var cell: SQLiteCell { get }
}

/// A value in one of SQLite's storage types.
package enum SQLiteCell: SQLiteValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  package var cell: SQLiteCell { self }
}

extension SQLiteValue where Self: BinaryInteger {
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

/// An optional value; `nil` is stored as NULL.
extension Optional: SQLiteValue where Wrapped: SQLiteValue {
  package var cell: SQLiteCell { self?.cell ?? .null }
}
