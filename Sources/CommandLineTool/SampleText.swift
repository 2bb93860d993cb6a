public import Gateway
internal import Recording

/// Samples as lines for other programs.
public enum SampleText: Sendable {
  /// A JSON object on each line.
  case json
  /// A table with commas, under a heading.
  case csv

  /// The first line; `nil` where there is none. `x` to `w` are a signal's first to fourth axis, as
  /// in an export.
  public var heading: String? {
    switch self {
    case .json: nil
    case .csv: "time_utc,seconds,board,signal,x,y,z,w,number"
    }
  }

  /// The line of a sample.
  public func line(_ sample: LiveSample) -> String {
    switch self {
    case .json: Self.json(sample)
    case .csv: Self.csv(sample)
    }
  }

  /// Decimals of seconds, and of what a sensor counts: as in an export.
  private static let decimals = 6

  private static func json(_ sample: LiveSample) -> String {
    let values = zip(sample.stream.axes, sample.values).map { axis, value in
      JSONValue.Member(axis, .number(rounded(value, of: sample.stream)))
    }
    return JSONValue.object([
      .init("time", .string(sample.time.iso8601())),
      .init("seconds", .number(micro(sample.seconds))),
      .init("board", .string(sample.board.address.description)),
      .init("name", .string(sample.board.name)), .init("signal", .string(sample.stream.signal)),
      .init("number", .integer(Int64(sample.number))), .init("unit", .string(sample.stream.unit)),
      .init("values", .object(values)),
    ]).text
  }

  private static func csv(_ sample: LiveSample) -> String {
    let values = (0..<StreamDescription.maximumAxisCount).map { axis -> String in
      guard axis < sample.values.count, sample.values[axis].isFinite else { return "" }
      return sample.stream.rawForm == .float
        ? sample.values[axis].description
        : NumberText.fixed(sample.values[axis], decimals: decimals)
    }
    return
      ([
        sample.time.iso8601(), NumberText.fixed(sample.seconds, decimals: decimals),
        sample.board.address.description, sample.stream.signal,
      ] + values + ["\(sample.number)"]).joined(separator: ",")
  }

  /// What a sensor counts has no more decimals than these; what a board computed stays as it is.
  private static func rounded(_ value: Double, of stream: StreamDescription) -> Double {
    stream.rawForm == .float ? value : micro(value)
  }

  private static func micro(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
}
