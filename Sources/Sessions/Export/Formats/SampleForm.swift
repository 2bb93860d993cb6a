internal import Recording
internal import Values

/// The output format of samples.
enum SampleForm: Sendable {
  /// Each sample is a row of a table. A wide table contains only one stream.
  case row(isWide: Bool, hasBoardClock: Bool)
  /// Each sample is a JSON object: on its own line, or as an element of an array.
  case object(isLine: Bool)

  /// Returns the text that precedes the first sample.
  func heading(_ description: StreamDescription?) -> String {
    switch self {
    case .row(true, _): Self.wideHeading(description) + "\n"
    case .row(false, let hasBoardClock):
      CSVExport.header + (hasBoardClock ? "," + CSVExport.boardClockColumn : "") + ","
        + CSVExport.lastColumns + "\n"
    case .object: ""
    }
  }

  /// Returns the header row of a table that contains one stream. Units are in brackets, as in `x
  /// [g]`.
  private static func wideHeading(_ description: StreamDescription?) -> String {
    guard let description else { return "" }
    let unit = description.bracketedUnit
    return
      (["time_utc", "seconds [s]"] + description.axes.map { CSVText.field($0 + unit) }
      + [
        "lat [deg]", "lon [deg]", "alt_msl [m]", "fix_quality", "fix_age [s]",
        "fix_method", "fix_error [m]", "time_source",
      ]
      + (description.hasBoardTicks ? ["board_seconds [s]"] : [])
      + ["board", "name", CSVText.field("range" + unit)]).joined(separator: ",")
  }

  var isJSON: Bool {
    if case .object = self { true } else { false }
  }
}

/// The parts of the output that all samples of a stream share.
struct StreamText: Sendable {
  /// The board and the signal as fields of a row, each preceded by a comma.
  let fields: [UInt8]
  /// The last fields of a row in the table of all streams, and the line ending.
  let ending: [UInt8]
  /// The last fields of a row in the table of this stream, and the line ending.
  let wideEnding: [UInt8]
  /// The members for the board and the signal, followed by the name of the member for the sample
  /// number.
  let members: [UInt8]
  /// The text before the value of each axis: a separator, and the axis name as a member name.
  let axes: [[UInt8]]
  /// Empty fields for the axes that the stream does not have, in the table of all streams.
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

enum CSVText {
  /// Formats text as one field, with quotes if necessary (RFC 4180).
  static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) || $0 == "\r\n" }) else { return text }
    var quoted = "\""
    for character in text { quoted += character == "\"" ? "\"\"" : String(character) }
    return quoted + "\""
  }
}
