internal import Recording
internal import Values

/// The columns of a table that contains all streams side by side.
struct TableColumns {
  /// The columns after those of the streams, as in the table with a row per sample.
  private static let positionColumns =
    "lat,lon,alt_msl,fix_quality,fix_age,fix_method,fix_error,time_source"

  let header: String
  /// The fields of each stream that has no sample at the instant of a row: one comma per axis.
  let empty: [[UInt8]]
  /// The fields of each stream whose sample at the instant of a row was lost.
  let lost: [[UInt8]]
  /// Space for the longest row, in bytes.
  let rowSize: Int

  /// Names the columns of these streams, as in `left.acceleration.x [g]`. If several boards have
  /// the same name, or none, their addresses replace it.
  init(_ streams: [SourceStream]) {
    let boards = Dictionary(
      streams.map { ($0.board.address, $0.board.name) }, uniquingKeysWith: { first, _ in first })
    var used: Set<String> = []
    var names: [String] = []
    for stream in streams {
      let name = boards[stream.board.address] ?? ""
      let isAlone = !name.isEmpty && boards.values.count { $0 == name } == 1
      let board = isAlone ? name : stream.board.address.description
      let (description, unit) = (stream.description, stream.description.bracketedUnit)
      for axis in description.axes {
        let stem = "\(board).\(description.signal).\(axis)"
        var column = stem + unit
        var number = 2
        while !used.insert(column).inserted {
          column = "\(stem)-\(number)\(unit)"
          number += 1
        }
        names.append(column)
      }
    }
    header =
      (["time_utc", "seconds"] + names.map(CSVText.field) + [Self.positionColumns])
      .joined(separator: ",") + "\n"
    func fields(_ text: String) -> [[UInt8]] {
      streams.map { stream in
        Array(String(repeating: "," + text, count: stream.description.axisCount).utf8)
      }
    }
    empty = fields("")
    lost = fields(Self.lostSample)
    rowSize = 512 + 32 * names.count
  }

  private static let lostSample = "n/a"
}

extension StreamDescription {
  /// The unit as it appears in the heading of a column, such as ` [g]`; empty for a plain number.
  var bracketedUnit: String { ["", "1"].contains(unit) ? "" : " [\(unit)]" }
}
