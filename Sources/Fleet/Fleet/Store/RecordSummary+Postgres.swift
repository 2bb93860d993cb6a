internal import Recording
internal import UploadProtocol
internal import Values

/// The summary of a session in the tables, stored when its record arrives.
extension RecordSummary {
  /// The columns of `session` with the summary, and the number of the record's bytes. If the record
  /// has another number, it was changed otherwise.
  static let columns = ["outline", "boards", "samples", "lost", "listed", "end_ns", "record_bytes"]

  /// The values of these columns.
  func values(recordBytes: Int) -> [PostgresValue] {
    [
      .bytes(outline.encoded), .integer(Int64(boards)), .integer(Int64(samples)),
      .integer(Int64(clamping: lost)), .integer(Int64(listed)), .integer(end.nanoseconds),
      .integer(Int64(recordBytes)),
    ]
  }

  /// The summary in a row whose columns begin at this one; `nil` if there is none, or if it cannot
  /// be read.
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
