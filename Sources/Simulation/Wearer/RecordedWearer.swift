/// A recorded motion, interpolated linearly between rows.
///
/// The input consists of lines of comma-separated values below a header line. The header must
/// contain `time` (or `t`, or `seconds`) in seconds, `ax`, `ay`, `az` in g, and `gx`, `gy`, `gz` in
/// degrees per second; other columns are ignored. This project's exported sample tables, in which
/// rows of acceleration and angular velocity alternate, can also be read. Time starts at 0 with the
/// first row; after the last row, the motion repeats.
public struct RecordedWearer: Wearer {
  /// One signal's values over time.
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

    /// Shifts the times so that `start` becomes 0.
    mutating func begin(at start: Double) {
      times = times.map { $0 - start }
    }

    /// Returns the value at a given time. Outside the track, returns the nearest value.
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
  /// Duration of the motion in seconds, before it repeats.
  public let duration: Double

  public init(_ text: String) throws(RecordingError) {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
    if lines.last?.isEmpty == true { lines.removeLast() }
    let header = lines.popFirst() ?? ""
    let columns = try Columns(header)
    var acceleration = Track()
    var angularVelocity = Track()
    // An export may contain several boards. Only the first is used.
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
      throw RecordingError(line: nil, reason: "it contains fewer than two different times")
    }
    acceleration.begin(at: first)
    angularVelocity.begin(at: first)
    self.acceleration = acceleration
    self.angularVelocity = angularVelocity
    duration = last - first
  }

  public func acceleration(at time: Double) -> SIMD3<Double> {
    acceleration.value(at: repeated(time))
  }

  /// Returns the recorded angular velocity; zero if none was recorded.
  public func angularVelocity(at time: Double) -> SIMD3<Double> {
    angularVelocity.value(at: repeated(time))
  }

  private func repeated(_ time: Double) -> Double {
    guard time > 0 else { return 0 }
    return time.truncatingRemainder(dividingBy: duration)
  }
}

/// The reason why a recorded motion cannot be used.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the faulty line, starting at 1; `nil` if the fault concerns the whole recording.
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
  /// The board that the values belong to; `nil` if there is only one board.
  var board: Substring?
  var acceleration: SIMD3<Double>?
  var angularVelocity: SIMD3<Double>?
}

/// The column numbers of the values in a line.
private struct Columns {
  private enum Layout {
    /// Each row contains all signals.
    case together(acceleration: [Int], angularVelocity: [Int])
    /// Each row contains one signal, with the names of the signal and the board.
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

  /// Splits a line into fields. A comma in quotes is not a separator, because board names may
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
