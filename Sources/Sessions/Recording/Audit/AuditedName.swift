public import Values

/// The facts that MetaBase writes into the name of a file:
/// `7_MetaWear_2019-09-14T16.16.00.093_F1E55E2FE95F_Gyroscope_100.000Hz_1.4.5.csv`.
public struct AuditedName: Hashable, Sendable {
  /// The name without its folder and its extension.
  public var stem: String
  /// The part that all sensors of a recording share; `nil` if MetaBase did not make the name.
  public var recording: String?
  public var board: BoardAddress?
  /// The sensor in lower case, such as `accelerometer`.
  public var sensor: String?
  /// The rate that was set.
  public var hertz: Double?
  public var firmware: String?
  /// The local time at which the recording was started, as if it were UTC.
  public var start: UTCTime?

  public init(path: String) {
    var name = path.split(separator: "/").last.map(String.init) ?? path
    for ending in [".gz", ".csv", ".txt"] where name.lowercased().hasSuffix(ending) {
      name.removeLast(ending.count)
    }
    stem = name
    let parts = name.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
    // Users rename files, but often keep the end with the sensor and the rate.
    let rate = parts.lastIndex { Self.hertz($0) != nil }
    if let rate {
      hertz = Self.hertz(parts[rate])
      if rate > 0 { sensor = parts[rate - 1].lowercased() }
    }
    firmware = parts.last.flatMap { part in
      part.split(separator: ".").count == 3 && part.allSatisfy { $0.isNumber || $0 == "." }
        ? part : nil
    }
    guard let place = parts.lastIndex(where: { Self.board($0) != nil }), place + 1 < parts.count
    else { return }
    recording = parts[...place].joined(separator: "_")
    board = Self.board(parts[place])
    if place > 0 { start = AuditedStamp.local(Array(parts[place - 1].utf8)) }
    if rate == nil { sensor = parts[place + 1].lowercased() }
  }

  /// Parses a rate such as `100.000Hz`.
  private static func hertz(_ text: String) -> Double? {
    guard text.hasSuffix("Hz") else { return nil }
    let number = text.dropLast(2).map { $0 == "," ? "." : $0 }
    return Double(String(number)).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }

  /// Parses an address without colons.
  private static func board(_ text: String) -> BoardAddress? {
    guard text.utf8.count == 12, text.allSatisfy(\.isHexDigit) else { return nil }
    return UInt64(text, radix: 16).map { BoardAddress(value: $0) }
  }
}

/// Parses the date and time that MetaBase writes in local time, with various separators.
enum AuditedStamp {
  /// Returns the time as if it were UTC: `2019-09-14T16:16:00.270`, `2023-03-28T17.18.30.491`. A
  /// comma can separate the milliseconds. Returns `nil` for any other text.
  static func local(_ text: some Collection<UInt8>) -> UTCTime? {
    var fields: [(value: Int, digits: Int)] = []
    var isDigit = false
    for byte in text {
      let digit = Int(byte) - 48
      if (0...9).contains(digit) {
        if !isDigit { fields.append((0, 0)) }
        let last = fields.count - 1
        guard fields[last].digits < 9 else { return nil }
        fields[last] = (fields[last].value * 10 + digit, fields[last].digits + 1)
      }
      isDigit = (0...9).contains(digit)
    }
    guard (6...7).contains(fields.count), fields[0].digits == 4,
      (1_970...2_200).contains(fields[0].value), (1...12).contains(fields[1].value),
      (1...31).contains(fields[2].value), fields[3].value < 24, fields[4].value < 60,
      fields[5].value < 61
    else { return nil }
    var nanoseconds =
      Int64(
        (fields[3].value * 60 + fields[4].value) * 60 + fields[5].value) * 1_000_000_000
    if fields.count == 7 {
      let scale = (fields[6].digits..<9).reduce(Int64(1)) { scale, _ in scale * 10 }
      nanoseconds += Int64(fields[6].value) * scale
    }
    return UTCTime(
      year: fields[0].value, month: fields[1].value, day: fields[2].value,
      nanosecondOfDay: nanoseconds)
  }
}
