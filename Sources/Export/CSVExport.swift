public import Recording

/// A session as one long table: a row per sample, all streams merged in order of time.
///
/// UTF-8, comma, line feed. A field is empty where nothing is known: the universal time of a
/// session without a clock, axes a signal does not have, a position when there is no fresh fix.
/// Memory holds one chunk per stream and a stretch of the track, whatever the session's length.
public struct CSVExport: Sendable {
  /// The first line. `x` to `w` are a signal's first to fourth axis, whatever their names.
  public static let header =
    "time_utc,seconds,board,signal,x,y,z,w,lat,lon,alt_msl,fix_quality,fix_age"

  /// A column behind the others if any stream of the session has its board's clock.
  public static let boardClockColumn = "board_seconds"

  /// Seconds after which a fix no longer gives a position.
  public var maximumFixAge: Double

  /// An export by the usual rule for positions, unless another age is given.
  public init(maximumFixAge: Double = FixTrack.defaultMaximumAge) {
    self.maximumFixAge = maximumFixAge
  }

  /// Writes the whole session. Chunks that are missing or damaged are left out and reported.
  public func write(
    _ source: borrowing some SessionSource & ~Copyable, to sink: inout some ByteSink & ~Copyable
  ) throws -> ExportTotals {
    let streams = try source.streams()
    let labels = streams.map { stream in
      Array(
        (Self.field("\(stream.board.address)") + "," + Self.field(stream.description.signal)).utf8)
    }
    var cursors: [StreamCursor] = []
    for (position, stream) in streams.enumerated() {
      cursors.append(try StreamCursor(stream, position: position, in: source))
    }
    let hasBoardClock = streams.contains { $0.description.hasBoardTicks }
    var row = RowWriter(
      start: source.session.start, clock: ClockTable(try source.clockEntries()),
      fixes: FixWindow(maximumAge: maximumFixAge), hasBoardClock: hasBoardClock)
    var buffer = TextBuffer()
    buffer.append(Self.header + (hasBoardClock ? "," + Self.boardClockColumn : "") + "\n")
    while let earliest = Self.earliest(cursors) {
      let isPositioned = try row.append(
        cursors[earliest], label: labels[earliest], to: &buffer, source: source)
      cursors[earliest].totals.rows += 1
      if isPositioned { cursors[earliest].totals.positioned += 1 }
      try cursors[earliest].advance(in: source)
      if buffer.isFull { try buffer.flush(to: &sink) }
    }
    try buffer.flush(to: &sink)
    return ExportTotals(streams: cursors.map(\.totals))
  }

  /// The stream whose sample is next; of several at one instant the first.
  private static func earliest(_ cursors: [StreamCursor]) -> Int? {
    var found: Int?
    var time = Int64.max
    // A few dozen streams at most: looking at all of them costs less than keeping a heap.
    for index in cursors.indices where cursors[index].time < time {
      time = cursors[index].time
      found = index
    }
    return found
  }

  /// Text as one field (RFC 4180).
  private static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) || $0 == "\r\n" }) else { return text }
    var quoted = "\""
    for character in text { quoted += character == "\"" ? "\"\"" : String(character) }
    return quoted + "\""
  }
}

/// Writes one row after another; what neighbours share is kept.
private struct RowWriter {
  let start: BootTime
  let clock: ClockTable
  var fixes: FixWindow
  let hasBoardClock: Bool
  private var timestamp = TimestampWriter()
  /// The fix written last, and its fields, which hundreds of rows have in common.
  private var fix: Fix?
  private var fixFields: [UInt8] = []

  init(start: BootTime, clock: ClockTable, fixes: FixWindow, hasBoardClock: Bool) {
    self.start = start
    self.clock = clock
    self.fixes = fixes
    self.hasBoardClock = hasBoardClock
  }

  /// Appends the row of a cursor's sample: whether it has a position.
  mutating func append(
    _ cursor: borrowing StreamCursor, label: [UInt8], to buffer: inout TextBuffer,
    source: borrowing some SessionSource & ~Copyable
  ) throws -> Bool {
    let time = BootTime(nanoseconds: cursor.time)
    if let utc = clock.utc(at: time) { timestamp.append(utc, to: &buffer) }
    buffer.appendComma()
    let nanoseconds = time.nanoseconds &- start.nanoseconds
    buffer.append((nanoseconds + (nanoseconds < 0 ? -500 : 500)) / 1_000, decimals: 6)
    buffer.appendComma()
    buffer.append(label)
    for axis in 0..<StreamDescription.maximumAxisCount {
      buffer.appendComma()
      guard axis < cursor.columns.count else { continue }
      switch cursor.description.rawForm {
      case .integer: buffer.append(cursor.value(axis), decimals: 6)
      case .float: buffer.append(exactly: cursor.value(axis))
      }
    }
    buffer.appendComma()
    let position = try fixes.position(at: time, in: source)
    if let position {
      if position.fix != fix { keep(position.fix) }
      buffer.append(fixFields)
      buffer.append(position.age, decimals: 3)
    } else {
      buffer.append(Self.noFix)
    }
    if hasBoardClock {
      buffer.appendComma()
      if let seconds = cursor.boardSeconds { buffer.append(seconds, decimals: 6) }
    }
    buffer.append(UInt8(ascii: "\n"))
    return position != nil
  }

  private static let noFix = Array(",,,,".utf8)

  private mutating func keep(_ fix: Fix) {
    self.fix = fix
    var buffer = TextBuffer()
    buffer.append(fix.latitude, decimals: 7)
    buffer.appendComma()
    buffer.append(fix.longitude, decimals: 7)
    buffer.appendComma()
    if let altitude = fix.altitudeMSL { buffer.append(altitude, decimals: 2) }
    buffer.appendComma()
    buffer.append(fix.quality.word)
    buffer.appendComma()
    fixFields = buffer.contents
  }
}
