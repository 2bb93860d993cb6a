internal import Export
public import Gateway
internal import Recording
internal import Values

/// Formats samples as lines that other programs read.
public enum SampleText: Sendable {
  /// One JSON object per line.
  case json
  /// Comma-separated values below a heading line.
  case csv
  /// Comma-separated values with positions, below a heading line.
  case positionedCSV

  /// The heading line; `nil` for formats without one. `x`, `y`, `z` and `w` are the first four axes
  /// of a signal, as in an export.
  public var heading: String? {
    switch self {
    case .json: nil
    case .csv: Self.columns + "," + CSVExport.lastColumns
    case .positionedCSV:
      Self.columns + ",lat,lon,alt_msl,fix_quality,fix_age,fix_method," + CSVExport.lastColumns
    }
  }

  public func line(_ sample: LiveSample) -> String {
    switch self {
    case .json: Self.json(sample)
    case .csv: (Self.csv(sample) + Self.last(sample)).joined(separator: ",")
    case .positionedCSV:
      (Self.csv(sample) + Self.fields(of: sample.position) + Self.last(sample))
        .joined(separator: ",")
    }
  }

  private static let columns = "time_utc,seconds,board,signal,x,y,z,w,number"

  /// The number of decimals in seconds and sensor values, as in an export.
  private static let decimals = 6

  private static func json(_ sample: LiveSample) -> String {
    let values = zip(sample.stream.axes, sample.values).map { axis, value in
      JSONValue.Member(axis, rounded(value, of: sample.stream))
    }
    return JSONValue.object(
      [
        .init("time", sample.time.iso8601()), .init("seconds", micro(sample.seconds)),
        .init("board", sample.board.address), .init("name", sample.board.name),
        .init("signal", sample.stream.signal), .init("number", sample.number),
        .init("unit", sample.stream.unit), .init("range", sample.stream.range),
        .init("values", .object(values)),
      ] + members(of: sample.position)
    ).text
  }

  /// Returns the last fix with its age, or the reason why there is no fix. Without a receiver,
  /// returns no members.
  private static func members(of lookup: PositionLookup?) -> [JSONValue.Member] {
    switch lookup {
    case nil: []
    case .absent(let absence):
      [.init("position", .null), .init("no_position", absence.name)]
    case .position(let tag):
      [
        .init(
          "position",
          [
            "lat": tag.latitude.json, "lon": tag.longitude.json, "alt_msl": tag.altitudeMSL.json,
            "quality": tag.quality.word.json, "age": tag.age.json(decimals: 3),
            "method": tag.method.name.json,
          ])
      ]
    }
  }

  private static func fields(of lookup: PositionLookup?) -> [String] {
    switch lookup {
    case nil: ["", "", "", "", "", PositionTag.Absence.noReceiver.name]
    case .absent(let absence): ["", "", "", "", "", absence.name]
    case .position(let tag):
      [
        NumberText.fixed(tag.latitude, decimals: 7), NumberText.fixed(tag.longitude, decimals: 7),
        tag.altitudeMSL.map { NumberText.fixed($0, decimals: 2) } ?? "", tag.quality.word,
        NumberText.fixed(tag.age, decimals: 3), tag.method.name,
      ]
    }
  }

  private static func csv(_ sample: LiveSample) -> [String] {
    let values = (0..<StreamDescription.maximumAxisCount).map { axis -> String in
      guard axis < sample.values.count, sample.values[axis].isFinite else { return "" }
      return sample.stream.rawForm == .float
        ? sample.values[axis].description
        : NumberText.fixed(sample.values[axis], decimals: decimals)
    }
    return
      [
        sample.time.iso8601(), NumberText.fixed(sample.seconds, decimals: decimals),
        sample.board.address.description, sample.stream.signal,
      ] + values + ["\(sample.number)"]
  }

  /// Returns the readable names of the board and the stream. They are the last columns, so that the
  /// columns of earlier versions keep their positions.
  private static func last(_ sample: LiveSample) -> [String] {
    CSVExport.lastFields(of: sample.stream, from: sample.board)
  }

  /// Rounds measured values to `decimals`. Values computed by a board are returned unchanged.
  private static func rounded(_ value: Double, of stream: StreamDescription) -> Double {
    stream.rawForm == .float ? value : micro(value)
  }

  private static func micro(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
}
