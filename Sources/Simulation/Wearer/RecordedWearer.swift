/// A recorded motion, interpolated linearly between rows.
///
/// Reads lines of comma-separated values below a line of names. The names must include `time` (or
/// `t`, or `seconds`) in seconds, `ax`, `ay`, `az` in g, and `gx`, `gy`, `gz` in degrees per
/// second; others are ignored. It also reads this project's exported table of samples, in which
/// rows of acceleration and of angular velocity alternate. Time begins at 0 with the first row;
/// after the last row the motion begins again.
public struct RecordedWearer: Wearer {
  /// One signal over time.
  private struct Track: Sendable {
    var times: [Double] = []
    var values: [SIMD3<Double>] = []

    mutating func append(_ value: SIMD3<Double>, of row: Row) throws(RecordingError) {
      if let last = times.last, row.time <= last {
        throw RecordingError(
          line: row.number, reason: "its time is not later than that of the previous line")
      }
      times.append(row.time)
      values.append(value)
    }

    /// Makes an instant the zero of time.
    mutating func begin(at start: Double) {
      times = times.map { $0 - start }
    }

    /// The value at a time; before and after the track its first and last value.
    func value(at time: Double) -> SIMD3<Double> {
      var low = 0
      var high = times.count
      while low < high {
        let middle = (low + high) / 2
        if times[middle] <= time { low = middle + 1 } else { high = middle }
      }
      guard low > 0 else { return values.first ?? .zero }
      guard low < times.count else { return values[low - 1] }
      let part = (time - times[low - 1]) / (times[low] - times[low - 1])
      return values[low - 1] + (values[low] - values[low - 1]) * part
    }
  }

  private let acceleration: Track
  private let angularVelocity: Track
  /// Seconds after which the motion starts again.
  public let duration: Double

  /// Reads a whole file.
  public init(_ text: String) throws(RecordingError) {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
    if lines.last?.isEmpty == true { lines.removeLast() }
    let header = lines.popFirst() ?? ""
    let columns = try Columns(header)
    var acceleration = Track()
    var angularVelocity = Track()
    // An export may contain several boards; the first one is used.
    var board: Substring?
    for (index, line) in lines.enumerated() {
      // The header is line 1.
      let row = try columns.row(line, number: index + 2)
      board = board ?? row.board
      guard row.board == board else { continue }
      if let value = row.acceleration { try acceleration.append(value, of: row) }
      if let value = row.angularVelocity { try angularVelocity.append(value, of: row) }
    }
    guard let start = acceleration.times.first else {
      throw RecordingError(line: nil, reason: "it contains no acceleration")
    }
    let first = min(start, angularVelocity.times.first ?? start)
    let last = max(acceleration.times.last ?? start, angularVelocity.times.last ?? start)
    guard last > first else {
      throw RecordingError(line: nil, reason: "it contains fewer than two instants")
    }
    acceleration.begin(at: first)
    angularVelocity.begin(at: first)
    self.acceleration = acceleration
    self.angularVelocity = angularVelocity
    duration = last - first
  }

  /// The recorded acceleration.
  public func acceleration(at time: Double) -> SIMD3<Double> {
    acceleration.value(at: repeated(time))
  }

  /// The recorded angular velocity; zero if none was recorded.
  public func angularVelocity(at time: Double) -> SIMD3<Double> {
    angularVelocity.value(at: repeated(time))
  }

  private func repeated(_ time: Double) -> Double {
    guard time > 0 else { return 0 }
    return time.truncatingRemainder(dividingBy: duration)
  }
}

/// The reason a recorded motion cannot be used.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The faulty line, from 1; `nil` if the fault concerns the whole.
  public let line: Int?
  public let reason: String

  public var description: String {
    line.map { "line \($0): \(reason)" } ?? reason
  }
}

/// One line of a recorded motion.
private struct Row {
  let number: Int
  let time: Double
  /// The board of the values; `nil` if there is only one board.
  var board: Substring?
  var acceleration: SIMD3<Double>?
  var angularVelocity: SIMD3<Double>?
}

/// The positions of values in a line.
private struct Columns {
  private enum Layout {
    /// All signals are in one row.
    case together(acceleration: [Int], angularVelocity: [Int])
    /// Each signal has a row, with the names of signal and board.
    case bySignal(name: Int, board: Int, axes: [Int])
  }

  private let layout: Layout
  private let time: Int
  private let count: Int

  init(_ header: Substring) throws(RecordingError) {
    let names = header.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.filter { !$0.isWhitespace && $0 != "\"" && $0 != "\u{feff}" }.lowercased()
    }
    func place(_ name: String) throws(RecordingError) -> Int {
      guard let place = names.firstIndex(of: name) else {
        throw RecordingError(
          line: 1,
          reason: "the column \(name) is missing; the columns are time, ax, ay, az, gx, gy and gz")
      }
      return place
    }
    func places(_ names: [String]) throws(RecordingError) -> [Int] {
      var places: [Int] = []
      for name in names { places.append(try place(name)) }
      return places
    }
    count = names.count
    if names.contains("signal"), names.contains("seconds") {
      time = try place("seconds")
      layout = .bySignal(
        name: try place("signal"), board: try place("board"), axes: try places(["x", "y", "z"]))
    } else {
      time = try place(["t", "seconds"].first(where: names.contains) ?? "time")
      layout = .together(
        acceleration: try places(["ax", "ay", "az"]),
        angularVelocity: try places(["gx", "gy", "gz"]))
    }
  }

  /// The fields of a line. A comma in quotes is not a separator, because names of boards may
  /// contain commas.
  private static func fields(of line: Substring) -> [Substring] {
    var isQuoted = false
    return line.split(omittingEmptySubsequences: false) { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
  }

  func row(_ line: Substring, number: Int) throws(RecordingError) -> Row {
    let fields = Self.fields(of: line)
    guard fields.count == count else {
      throw RecordingError(
        line: number, reason: "it has \(fields.count) fields, but the first line has \(count)")
    }
    func value(_ place: Int) throws(RecordingError) -> Double {
      let text = fields[place].filter { !$0.isWhitespace }
      guard let value = Double(text), value.isFinite else {
        throw RecordingError(line: number, reason: "'\(fields[place])' is not a number")
      }
      return value
    }
    func vector(_ places: [Int]) throws(RecordingError) -> SIMD3<Double> {
      SIMD3(try value(places[0]), try value(places[1]), try value(places[2]))
    }
    var row = Row(number: number, time: try value(time))
    switch layout {
    case .together(let acceleration, let angularVelocity):
      row.acceleration = try vector(acceleration)
      row.angularVelocity = try vector(angularVelocity)
    case .bySignal(let name, let board, let axes):
      row.board = fields[board]
      switch fields[name] {
      case "acceleration": row.acceleration = try vector(axes)
      case "angular_velocity": row.angularVelocity = try vector(axes)
      default: break
      }
    }
    return row
  }
}
