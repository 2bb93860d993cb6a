internal import Values

/// Reads a table of samples in pieces, and judges it. Keeps no rows.
///
///     var file = AuditedFile(path: "walk.csv")
///     for piece in pieces { file.take(piece) }
///     file.finish()
///     let areInvented = file.times.origin.isComputed
public struct AuditedFile: Sendable {
  /// The reason why a file cannot be judged.
  public enum Problem: String, Hashable, Sendable {
    case empty
    /// Contains bytes that do not occur in text, or a line of more than 64 KiB.
    case binary
    /// The first line does not name a column with times and a column with a signal.
    case heading
    /// Contains a heading, but no valid row.
    case noRows
    /// Contains the rows of several streams, each with its own clock.
    case mixed
  }

  public let path: String
  public let name: AuditedName
  public private(set) var problem: Problem?
  public private(set) var times = AuditedTimes()
  public private(set) var signals = AuditedSignals(units: [])
  public var columns: [(name: String, unit: String)] {
    layout?.signals.map { ($0.name, $0.unit) } ?? []
  }
  public private(set) var hasDecimalComma = false
  /// Whether the decimal comma is also the separator, and so splits each number into two fields.
  public private(set) var hasSplitNumbers = false
  /// Number of lines that are not rows, excluding the heading and empty lines.
  public private(set) var damaged = 0
  /// Number of the first line that is not a row, counted from 1.
  public private(set) var firstDamaged: Int?
  /// Number of additional headings, which show that files were joined.
  public private(set) var headings = 0
  /// Whether the last line is truncated.
  public private(set) var isCut = false
  /// Whether the compressed file ends early. Set by the code that reads the file.
  public var isCutInside = false
  /// Whether the compressed file is damaged. Set by the code that reads the file.
  public var isDamagedInside = false
  /// Number of rows whose elapsed time contradicts their time.
  public private(set) var elapsedFaults = 0
  /// The difference between the local time in the first row and UTC, in minutes.
  public private(set) var offsetMinutes: Int?
  /// The offset in minutes that the heading states.
  public var statedOffsetMinutes: Int? { layout?.offsetMinutes }
  /// Whether this project exported the table.
  public var isOwn: Bool { layout?.isOwn ?? false }
  /// Whether the times are counted from 1970.
  public private(set) var isAbsolute = false
  public var separator: String {
    guard let byte = layout?.separator else { return "," }
    return byte == UInt8(ascii: "\t") ? "tab" : String(UnicodeScalar(byte))
  }

  /// Whether rows are kept until the caller takes them, for an import.
  public var keepsRows = false
  /// The maximum number of decimals in each signal; `nil` if a number has an exponent or more than
  /// 18 digits.
  public private(set) var decimals: [Int?] = []
  private var kept = AuditedRows()

  private(set) var headingNames: [String] = []
  /// The board and the signal in the first row, in an export of this project.
  private var stream: [[UInt8]] = []
  private var layout: AuditedColumns?
  private var rest: [UInt8] = []
  private var lines = 0
  private var fields: [Range<Int>] = []
  private var values: [Double] = []
  /// Number of decimals of the last value in the first row.
  private var lastDecimals = 0
  /// Microseconds per unit of the times.
  private var scale = 0.0
  private var timeDecimals = 0
  private var firstElapsed: Double?
  private static let longestLine = 64 << 10

  /// `path` is used only for its name.
  public init(path: String) {
    self.path = path
    name = AuditedName(path: path)
    times.setRate = name.hertz
  }

  public var rows: Int { times.rows }

  /// The sensor according to the file's name; otherwise the name of its only column, or the kind of
  /// its signals.
  public var sensor: String? {
    let kinds: [AuditedSignals.Kind: String] = [
      .acceleration: "accelerometer", .rotation: "gyroscope",
    ]
    return name.sensor ?? (columns.count == 1 ? columns[0].name : kinds[signals.kind])
  }

  /// The set rate according to the file's name. If the name does not state it, the standard rate
  /// within 5 % of the rate that the times show; `nil` if there is no such rate.
  public var nominal: Double? {
    name.hertz ?? times.hertzBetweenGaps.flatMap { AuditedTimes.standardRate(near: $0) }
  }

  /// Whether the rate between gaps is `nominal`, within the tolerance of a sensor's clock.
  /// Otherwise rows may be missing between the gaps: losses and the true rate are unknown. True if
  /// there are too few rows to judge.
  public var explainsRate: Bool {
    guard !times.isTicking else { return false }
    guard rows > 10, let hertz = times.hertzBetweenGaps else { return true }
    return nominal.map { abs(hertz / $0 - 1) <= 0.01 } ?? false
  }

  public mutating func take(_ piece: ArraySlice<UInt8>) {
    guard problem == nil else { return }
    rest += piece
    var start = 0
    while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
      line(start..<end)
      if problem != nil { return }
      start = end + 1
    }
    rest.removeSubrange(..<start)
    if rest.count > Self.longestLine { fail(.binary) }
  }

  /// Returns the rows since the last call.
  public mutating func takeRows() -> AuditedRows {
    defer { kept = AuditedRows(damaged: kept.damaged) }
    return kept
  }

  /// Processes the end of the file. The last line may lack a line ending.
  public mutating func finish() {
    guard problem == nil else { return }
    if !rest.isEmpty {
      let (rows, damaged) = (self.rows, self.damaged)
      line(rest.indices, isLast: true)
      // MetaBase once wrote files without a final line ending, so its absence does not show that
      // the line is truncated.
      if self.damaged > damaged, rows > 0 {
        self.damaged = damaged
        if firstDamaged == lines { firstDamaged = nil }
        isCut = true
      }
    }
    signals.finish()
    times.finish()
    rest = []
    guard problem == nil else { return }
    if lines == 0 { fail(.empty) } else if rows == 0 { fail(.noRows) }
  }

  private mutating func fail(_ problem: Problem) {
    self.problem = problem
    rest = []
  }

  private mutating func line(_ line: Range<Int>, isLast: Bool = false) {
    var line = line
    lines += 1
    while let end = line.last, rest[end] == UInt8(ascii: "\r") || rest[end] == UInt8(ascii: " ") {
      line = line.lowerBound..<end
    }
    guard !line.isEmpty else { return }
    guard let layout else { return begin(line) }
    if read(line, layout, isLast) { return }
    if rest[line].starts(with: "epoc".utf8) {
      headings += 1
    } else {
      if rest[line].contains(0) { return fail(.binary) }
      damaged += 1
      if firstDamaged == nil { firstDamaged = lines }
      kept.damaged += 1
    }
  }

  private mutating func begin(_ line: Range<Int>) {
    guard !rest[line].contains(where: { $0 < 9 }) else { return fail(.binary) }
    headingNames = AuditedColumns.names(rest[line].prefix(1_000)).names
    guard let layout = AuditedColumns(heading: rest[line]) else { return fail(.heading) }
    self.layout = layout
    signals = AuditedSignals(units: layout.signals.map(\.unit))
    values = layout.signals.map { _ in 0 }
    decimals = layout.signals.map { _ in 0 }
    if case .epoch = layout.clock { isAbsolute = true }
  }

  /// Returns false if the line is not a row.
  private mutating func read(
    _ line: Range<Int>, _ layout: AuditedColumns, _ isLast: Bool
  ) -> Bool {
    split(line, layout)
    guard fields.count == layout.count, let time = time(layout) else { return false }
    var decimals = 0
    for (place, signal) in layout.signals.enumerated() {
      let number = AuditedNumber(rest, fields[signal.place])
      values[place] = number?.value ?? .nan
      decimals = number?.decimals ?? 0
      if number?.hasComma == true { hasDecimalComma = true }
      if let number, let known = self.decimals[place], known < decimals || !number.isPlain {
        self.decimals[place] = number.isPlain ? decimals : nil
      }
    }
    if !layout.stream.isEmpty {
      if rows == 0 { stream = layout.stream.map { Array(rest[fields[$0]]) } }
      guard zip(layout.stream, stream).allSatisfy({ rest[fields[$0]].elementsEqual($1) }) else {
        fail(.mixed)
        return true
      }
    }
    // A row without any value is not a sample.
    guard values.contains(where: \.isFinite) else { return layout.isOwn }
    if isLast, rest.indices.last == line.last, decimals < lastDecimals { return false }
    if rows == 0 { begin(layout, decimals, time) }
    let isDuplicate = signals.add(values, row: rows + 1, time: time)
    times.add(time, isDuplicate: isDuplicate)
    if keepsRows { kept.add(time, values, isDuplicate: isDuplicate) }
    if let place = layout.elapsed, let first = times.first, times.jumpCount == 0,
      let elapsed = AuditedNumber(rest, fields[place])
    {
      // A file whose beginning was removed does not begin with 0.
      if firstElapsed == nil { firstElapsed = elapsed.value }
      let passed = (elapsed.value - (firstElapsed ?? 0)) * 1e6
      let difference = passed - Double(time.subtractingReportingOverflow(first).0)
      if difference.magnitude > 1_500 { elapsedFaults += 1 }
    }
    return true
  }

  /// Determines the format from the first row.
  private mutating func begin(_ layout: AuditedColumns, _ decimals: Int, _ time: Int64) {
    lastDecimals = decimals
    // The size of the number shows whether its seconds count from 1970 or from the first row.
    if case .elapsed = layout.clock, time > 100_000_000_000_000 { isAbsolute = true }
    guard let place = layout.stamp, case .epoch = layout.clock,
      let local = AuditedStamp.local(rest[fields[place]])
    else { return }
    let seconds = Double(local.nanoseconds / 1_000 - time) / 1e6
    offsetMinutes = Int(exactly: (seconds / 60).rounded())
  }

  private mutating func split(_ line: Range<Int>, _ layout: AuditedColumns) {
    fields.removeAll(keepingCapacity: true)
    var start = line.lowerBound
    for place in line where rest[place] == layout.separator {
      fields.append(start..<place)
      start = place + 1
      if fields.count > 2 * AuditedColumns.most { return }
    }
    fields.append(start..<line.upperBound)
    guard fields.count != layout.count else { return }
    join(layout)
  }

  /// Joins the numbers that a decimal comma split into two fields. The epoch has no decimals, the
  /// local time may have them, and all other columns do.
  private mutating func join(_ layout: AuditedColumns) {
    guard layout.separator == UInt8(ascii: ","), case .epoch(let epoch, _) = layout.clock else {
      return
    }
    let whole = [epoch, layout.stamp].compactMap(\.self)
    for hasSplitStamp in [false, true] {
      let split = layout.count - whole.count + (hasSplitStamp && layout.stamp != nil ? 1 : 0)
      guard fields.count == layout.count + split else { continue }
      var joined: [Range<Int>] = []
      var place = 0
      for column in 0..<layout.count {
        let isWhole = whole.contains(column) && !(hasSplitStamp && column == layout.stamp)
        let last = isWhole ? place : place + 1
        joined.append(fields[place].lowerBound..<fields[last].upperBound)
        place = last + 1
      }
      fields = joined
      hasSplitNumbers = true
      return
    }
  }

  /// Returns the row's time in microseconds; `nil` if its field contains no valid time.
  private mutating func time(_ layout: AuditedColumns) -> Int64? {
    let (place, unit): (Int, Double)
    switch layout.clock {
    case .epoch(let column, let size), .elapsed(let column, let size):
      (place, unit) = (column, size)
    case .stamp(let place):
      return AuditedStamp.local(rest[fields[place]]).map { $0.nanoseconds / 1_000 }
    }
    guard let number = AuditedNumber(rest, fields[place]) else { return nil }
    if scale == 0 { scale = unit > 0 ? unit : Self.unit(of: number.value) }
    // Programs that print the shortest form of a number write fewer decimals in some rows.
    if number.decimals > timeDecimals {
      timeDecimals = number.decimals
      let finest = (0..<min(timeDecimals, 9)).reduce(scale) { finest, _ in finest / 10 }
      times.resolution = max(1, Int64(finest.rounded()))
    } else if rows == 0 {
      times.resolution = max(1, Int64(scale.rounded()))
    }
    return Int64(exactly: (number.value * scale).rounded())
  }

  /// Returns the unit of a time since 1970, in microseconds. The size of the time reveals its unit:
  /// in this century, the time exceeds 1e9 s.
  private static func unit(of epoch: Double) -> Double {
    switch epoch.magnitude {
    case 1e17...: 1e-3
    case 1e14...: 1
    case 1e11...: 1e3
    default: 1e6
    }
  }
}

/// Rows in the file's order.
public struct AuditedRows: Sendable {
  public struct Row: Sendable {
    /// Microseconds since 1970, or since another moment.
    public var time: Int64
    /// Whether the row repeats the previous row's time and values.
    public var isDuplicate: Bool
    /// Number of lines that are not rows, between the previous row and this one.
    public var damagedBefore: Int
  }

  public private(set) var rows: [Row] = []
  /// The values of all rows, row by row. A missing value is NaN.
  public private(set) var values: [Double] = []
  public var width: Int { rows.isEmpty ? 0 : values.count / rows.count }
  /// Number of lines that are not rows, after the last row.
  var damaged = 0

  mutating func add(_ time: Int64, _ values: [Double], isDuplicate: Bool) {
    rows.append(Row(time: time, isDuplicate: isDuplicate, damagedBefore: damaged))
    self.values += values
    damaged = 0
  }
}
