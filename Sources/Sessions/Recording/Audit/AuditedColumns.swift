internal import Values

/// The columns of a table of samples, read from its heading.
///
/// Columns are found by name, so their order does not matter: `epoch (ms)` or `epoc (ms)`, `time
/// (…)` or `timestamp (…)`, `elapsed (s)`, `seconds`. All other columns are signals, except columns
/// in this project's own exports that describe a sample.
struct AuditedColumns: Hashable, Sendable {
  /// A column that contains the numbers of a signal, such as `x-axis (g)`.
  struct Signal: Hashable, Sendable {
    var place: Int
    var name: String
    /// The text in parentheses; empty if there is none.
    var unit: String
  }

  /// The source of a row's time.
  enum Clock: Hashable, Sendable {
    /// A count since 1970 in units of this many microseconds; 0 if the heading names no known unit.
    case epoch(Int, Double)
    /// A count in units of this many microseconds: since 1970 if it is large enough, otherwise
    /// since some other moment.
    case elapsed(Int, Double)
    /// The local date and time as text.
    case stamp(Int)
  }

  var separator: UInt8
  var count: Int
  var clock: Clock
  /// The column with the seconds since the first row.
  var elapsed: Int?
  /// The column with the local date and time.
  var stamp: Int?
  /// The offset from UTC, in minutes, that is stated in the heading of the local time.
  var offsetMinutes: Int?
  var signals: [Signal]
  /// The maximum number of columns, which limits the memory that a hostile heading can use.
  static let most = 256

  /// Whether this project exported the table. In such a table, a row without a value is a lost
  /// sample.
  var isOwn: Bool
  /// The columns that name the stream in an export of this project. A table of several streams has
  /// several clocks.
  var stream: [Int] = []

  /// The columns that describe a sample in an export of this project.
  private static let own: Set<String> = [
    "board", "signal", "lat", "lon", "alt_msl", "fix_quality", "fix_age", "fix_method", "fix_error",
    "time_source", "board_seconds", "name", "unit", "range", "number",
  ]

  /// Parses a heading. Fails unless at least one column contains a time and at least one contains a
  /// signal.
  init?(heading: ArraySlice<UInt8>) {
    let (separator, names) = Self.names(heading)
    self.separator = separator
    guard (2...Self.most).contains(names.count), Double(names[0]) == nil else { return nil }
    count = names.count
    signals = []
    var epoch: Clock?
    var since: Clock?
    isOwn = names.first == "time_utc"
    for (place, name) in names.enumerated() {
      let opening = name.firstIndex { $0 == "(" || $0 == "[" }
      let word = (opening.map { String(name[..<$0]) } ?? name).lowercased()
      let end = name[(opening ?? name.endIndex)...].dropFirst()
      let unit = String(end.prefix { $0 != ")" && $0 != "]" })
      let plain = String(word.reversed().drop { $0 == " " }.reversed())
      if word.hasPrefix("epoc") {
        epoch = .epoch(place, Self.microseconds[unit] ?? 0)
      } else if word.hasPrefix("elapsed") {
        elapsed = unit == "s" ? place : nil
        since = .elapsed(place, Self.microseconds[unit] ?? 1e6)
      } else if plain == "seconds" || plain == "time" || plain == "timestamp",
        let size = plain == "seconds" ? 1e6 : Self.microseconds[unit]
      {
        since = .elapsed(place, size)
      } else if isOwn, Self.own.contains(plain) {
        if plain == "board" || plain == "signal" { stream.append(place) }
      } else if word.hasPrefix("time") {
        stamp = place
        offsetMinutes = Self.offset(unit)
      } else {
        signals.append(Signal(place: place, name: plain, unit: unit))
      }
    }
    guard let clock = epoch ?? since ?? stamp.map({ .stamp($0) }), !signals.isEmpty else {
      return nil
    }
    self.clock = clock
  }

  static func names(_ heading: ArraySlice<UInt8>) -> (separator: UInt8, names: [String]) {
    var text = String(decoding: heading, as: UTF8.self)
    if text.hasPrefix("\u{feff}") { text.removeFirst() }
    let separators = [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: ",")]
    let separator = separators.first { text.utf8.contains($0) } ?? UInt8(ascii: ",")
    let mark = Character(UnicodeScalar(separator))
    let names = text.split(separator: mark, omittingEmptySubsequences: false).map { name in
      String(
        name.drop { $0 == " " || $0 == "\"" }.reversed().drop { $0 == " " || $0 == "\"" }.reversed()
      )
    }
    return (separator, names)
  }

  private static let microseconds = ["s": 1e6, "ms": 1e3, "us": 1, "µs": 1, "ns": 1e-3]

  /// Parses `-13:00`, `01:00` or `+0200`.
  private static func offset(_ text: String) -> Int? {
    let digits = text.filter { $0.isASCII && $0.isNumber }
    guard digits.utf8.count == 4, let number = Int(digits) else { return nil }
    let minutes = number / 100 * 60 + number % 100
    return text.hasPrefix("-") ? -minutes : minutes
  }
}
