public import Values

/// The facts that MetaBase writes into a file's name:
/// `7_MetaWear_2019-09-14T16.16.00.093_F1E55E2FE95F_Gyroscope_100.000Hz_1.4.5.csv`.
public struct AuditedName: Hashable, Sendable {
  /// The name without its folder and its extension.
  public var stem: String
  /// The part that all sensors of a recording share; `nil` if the name is not from MetaBase.
  public var recording: String?
  public var board: BoardAddress?
  /// The sensor in lower case, such as `accelerometer`.
  public var sensor: String?
  /// The set rate.
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
    // Users rename files, but often keep the last part, which contains the sensor and the rate.
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
    let digits = text.split { !(48...57).contains($0) }
    guard (6...7).contains(digits.count), digits[0].count == 4,
      digits.allSatisfy({ $0.count <= 9 })
    else { return nil }
    let fields = digits.map { $0.reduce(0) { $0 * 10 + Int($1 - 48) } }
    guard (1_970...2_200).contains(fields[0]), (1...12).contains(fields[1]),
      (1...31).contains(fields[2]), fields[3] < 24, fields[4] < 60, fields[5] < 61
    else { return nil }
    var nanoseconds = Int64((fields[3] * 60 + fields[4]) * 60 + fields[5]) * 1_000_000_000
    if fields.count == 7 {
      nanoseconds += (digits[6].count..<9).reduce(Int64(fields[6])) { fraction, _ in fraction * 10 }
    }
    return UTCTime(
      year: fields[0], month: fields[1], day: fields[2], nanosecondOfDay: nanoseconds)
  }
}
