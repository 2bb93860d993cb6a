internal import Recording
internal import SQLite
internal import Values

/// Reads the columns of a row as values of this program's own types. The value of an optional
/// column is `nil` if the column is NULL.
extension Statement {
  /// Returns an identifier. Throws the error for a damaged row if the column does not contain 16
  /// bytes.
  func id(_ column: Int32) throws(StoreError) -> UniqueID {
    let bytes = bytes(column)
    guard let id = UniqueID(bytes: bytes) else {
      throw .damaged(path, "an id of \(bytes.count) bytes instead of 16")
    }
    return id
  }

  func board(_ column: Int32) -> BoardAddress {
    BoardAddress(value: UInt64(bitPattern: integer(column)))
  }

  func optionalBoard(_ column: Int32) -> BoardAddress? { isNull(column) ? nil : board(column) }

  func time(_ column: Int32) -> BootTime { BootTime(nanoseconds: integer(column)) }

  func optionalTime(_ column: Int32) -> BootTime? { isNull(column) ? nil : time(column) }

  func utc(_ column: Int32) -> UTCTime { UTCTime(nanoseconds: integer(column)) }

  func optionalUTC(_ column: Int32) -> UTCTime? { isNull(column) ? nil : utc(column) }

  /// Returns the position of a chunk in its stream.
  func sequence(_ column: Int32) -> UInt32 { UInt32(truncatingIfNeeded: integer(column)) }

  func optionalSequence(_ column: Int32) -> UInt32? { isNull(column) ? nil : sequence(column) }

  /// Returns an enumeration case's raw value. A damaged row may contain any number.
  func code(_ column: Int32) -> UInt8 { UInt8(truncatingIfNeeded: integer(column)) }

  func optionalCode(_ column: Int32) -> UInt8? { isNull(column) ? nil : code(column) }

  /// Returns a number of bytes or samples. A damaged row may contain any number.
  func amount(_ column: Int32) -> UInt64 { UInt64(max(0, integer(column))) }
}

// Allows identifiers, addresses and times to be used as statement parameters.

extension UniqueID: SQLiteValue {
  var cell: SQLiteCell { .blob(bytes) }
}

extension BoardAddress: SQLiteValue {
  var cell: SQLiteCell { value.cell }
}

extension BootTime: SQLiteValue {
  var cell: SQLiteCell { .integer(nanoseconds) }
}

extension UTCTime: SQLiteValue {
  var cell: SQLiteCell { .integer(nanoseconds) }
}
