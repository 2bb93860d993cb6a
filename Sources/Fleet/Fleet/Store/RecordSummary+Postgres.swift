internal import Recording
internal import UploadProtocol
internal import Values

/// Stores a session's summary in the database when the session's record arrives.
extension RecordSummary {
  /// The columns of the table `session` that contain the summary. The last column is the record's
  /// size in bytes when the summary was computed. If it differs from the record's actual size, the
  /// summary is out of date.
  static let columns = ["outline", "boards", "samples", "lost", "listed", "end_ns", "record_bytes"]

  /// Returns the values for `columns`, in the same order.
  func values(recordBytes: Int) -> [PostgresValue] {
    [
      .bytes(outline.encoded), .integer(Int64(boards)), .integer(Int64(samples)),
      .integer(Int64(clamping: lost)), .integer(Int64(listed)), .integer(end.nanoseconds),
      .integer(Int64(recordBytes)),
    ]
  }

  /// Reads the summary from a row, starting at column `first`. Returns `nil` if the summary is
  /// missing or unreadable.
  init?(_ rows: borrowing PostgresRows, _ row: Int, from first: Int) {
    guard let bytes = rows.bytes(row, first), let outline = try? SessionRecord(decoding: bytes),
      let boards = rows.integer(row, first + 1), let samples = rows.integer(row, first + 2),
      let lost = rows.integer(row, first + 3), let listed = rows.integer(row, first + 4),
      let end = rows.integer(row, first + 5)
    else { return nil }
    self.init(
      of: outline, boards: Int(boards), samples: Int(samples), lost: UInt64(max(0, lost)),
      listed: Int(listed), end: BootTime(nanoseconds: end))
  }
}
