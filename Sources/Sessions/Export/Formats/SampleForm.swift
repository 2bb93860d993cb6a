internal import Recording
internal import Values

/// The written form of a sample.
enum SampleForm: Sendable {
  /// A row of the table of all streams.
  case row(hasBoardClock: Bool)
  /// A row of a table with one stream.
  case wideRow(hasBoardClock: Bool)
  /// A JSON object on a line.
  case jsonLine
  /// An element of a JSON array.
  case jsonElement

  /// The text before the first sample.
  func heading(_ description: StreamDescription?) -> String {
    switch self {
    case .row(let hasBoardClock):
      CSVExport.header + (hasBoardClock ? "," + CSVExport.boardClockColumn : "") + ","
        + CSVExport.lastColumns + "\n"
    case .wideRow: Self.wideHeading(description) + "\n"
    case .jsonLine, .jsonElement: ""
    }
  }

  /// Columns with their units in brackets, as in `x [g]`.
  private static func wideHeading(_ description: StreamDescription?) -> String {
    guard let description else { return "" }
    let unit = ["", "1"].contains(description.unit) ? "" : " [\(description.unit)]"
    return
      (["time_utc", "seconds [s]"] + description.axes.map { CSVText.field($0 + unit) }
      + [
        "lat [deg]", "lon [deg]", "alt_msl [m]", "fix_quality", "fix_age [s]",
        "fix_method", "fix_error [m]", "time_source",
      ]
      + (description.hasBoardTicks ? ["board_seconds [s]"] : [])
      + ["board", "name", CSVText.field("range" + unit)]).joined(separator: ",")
  }

  /// Whether samples are JSON objects.
  var isJSON: Bool {
    switch self {
    case .row, .wideRow: false
    case .jsonLine, .jsonElement: true
    }
  }
}

/// The text that all samples of a stream share.
struct StreamText: Sendable {
  /// Board and signal as fields of a row, with commas around them.
  let fields: [UInt8]
  /// The last columns of the table of all streams, and the end of the row.
  let ending: [UInt8]
  /// The last columns of the stream's own table, and the end of the row.
  let wideEnding: [UInt8]
  /// Board and signal as members of an object, up to the sample's number.
  let members: [UInt8]
  /// Names of the axes as members, with the text before them.
  let axes: [[UInt8]]
  /// Empty fields for the axes that the stream lacks, in the table of all streams.
  let missingAxes: [UInt8]

  init(_ stream: SourceStream) {
    let board = stream.board.address.description
    let signal = stream.description.signal
    fields = Array((",\(CSVText.field(board)),\(CSVText.field(signal))").utf8)
    let last = CSVExport.lastFields(of: stream.description, from: stream.board)
    ending = Array(("," + last.joined(separator: ",") + "\n").utf8)
    let range = CSVExport.rangeField(of: stream.description)
    wideEnding = Array(",\(CSVText.field(board)),\(last[0]),\(range)\n".utf8)
    func quoted(_ text: String) -> String { JSONValue.string(text).text }
    members = Array(
      """
      ,"board":\(quoted(board)),"name":\(quoted(stream.board.name)),"signal":\(quoted(signal)),\
      "unit":\(quoted(stream.description.unit)),"range":\(range.isEmpty ? "null" : range),"number":
      """.utf8)
    axes = stream.description.axes.enumerated().map { index, axis in
      Array(((index == 0 ? #","values":{"# : ",") + quoted(axis) + ":").utf8)
    }
    missingAxes = [UInt8](
      repeating: UInt8(ascii: ","),
      count: max(0, StreamDescription.maximumAxisCount - stream.description.axisCount))
  }
}

/// Text in comma-separated tables.
enum CSVText {
  /// Text as one field (RFC 4180).
  static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) || $0 == "\r\n" }) else { return text }
    var quoted = "\""
    for character in text { quoted += character == "\"" ? "\"\"" : String(character) }
    return quoted + "\""
  }
}
