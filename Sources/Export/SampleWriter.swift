internal import Recording

/// Writes one sample after another into a buffer; what neighbours share is kept.
///
/// It never calls a source or a sink itself: `fill` returns when it needs something. What is done
/// for every sample is thereby compiled for one type, whoever the two are.
struct SampleWriter {
  /// What it needs to go on.
  enum Need {
    /// The next chunk of this cursor.
    case chunk(Int)
    /// More of the track.
    case fixes
    /// An empty buffer.
    case room
    /// Nothing: all samples are written.
    case nothing
  }

  var merge: SampleMerge
  var fixes: FixWindow
  var buffer = TextBuffer()
  private let form: SampleForm
  private let texts: [StreamText]
  private let start: BootTime
  private let clock: ClockTable
  private var timestamp = TimestampWriter()
  private var isFirst = true
  /// Where the fix written last is in the window, and its fields, which hundreds of samples have
  /// in common.
  private var fix = (generation: -1, index: 0)
  private var fixFields: [UInt8] = []

  /// A writer of what a merge gives.
  init(
    _ merge: SampleMerge, _ source: borrowing some SessionSource & ~Copyable, form: SampleForm,
    maximumFixAge: Double
  ) throws {
    self.merge = merge
    self.form = form
    fixes = FixWindow(maximumAge: maximumFixAge)
    let streams = try source.streams()
    texts = merge.positions.map { StreamText(streams[$0]) }
    start = source.session.start
    clock = ClockTable(try source.clockEntries())
    buffer.append(form.heading(merge.positions.first.map { streams[$0].description }))
  }

  /// Appends samples until something is needed.
  mutating func fill() -> Need {
    while let index = merge.earliest {
      let time = BootTime(nanoseconds: merge.time(index))
      if fixes.needsMore(at: time) { return .fixes }
      if buffer.isFull { return .room }
      let place = fixes.index(at: time)
      if let place, fix != (fixes.generation, place) { keep(place) }
      let age = place.map { time.nanoseconds &- fixes.arrival($0).nanoseconds }
      switch form {
      case .row(let hasBoardClock):
        appendRow(index, time, age: age, isWide: false, hasBoardClock: hasBoardClock)
      case .wideRow(let hasBoardClock):
        appendRow(index, time, age: age, isWide: true, hasBoardClock: hasBoardClock)
      case .jsonLine:
        appendObject(index, time, age: age)
        buffer.append(UInt8(ascii: "\n"))
      case .jsonElement:
        if !isFirst { buffer.appendComma() }
        isFirst = false
        buffer.append(UInt8(ascii: "\n"))
        appendObject(index, time, age: age)
      }
      merge.count(index, isPositioned: place != nil)
      if !merge.step(index) { return .chunk(index) }
    }
    return .nothing
  }

  // MARK: Rows

  private mutating func appendRow(
    _ index: Int, _ time: BootTime, age: Int64?, isWide: Bool, hasBoardClock: Bool
  ) {
    if let utc = clock.utc(at: time) { timestamp.append(utc, to: &buffer) }
    buffer.appendComma()
    append(secondsSinceStart: time)
    if !isWide { buffer.append(texts[index].fields) }
    merge.appendFields(of: index, to: &buffer)
    if !isWide { buffer.append(texts[index].missingAxes) }
    if let age {
      buffer.append(fixFields)
      append(age: age)
    } else {
      buffer.append(Self.noFix)
    }
    if hasBoardClock, !merge.appendBoardSeconds(of: index, behind: Self.comma, to: &buffer) {
      buffer.appendComma()
    }
    buffer.append(UInt8(ascii: "\n"))
  }

  private static let noFix = Array(",,,,,".utf8)
  private static let comma = Array(",".utf8)

  /// Seconds since the start of the session, rounded to microseconds.
  @inline(__always)
  private mutating func append(secondsSinceStart time: BootTime) {
    let nanoseconds = time.nanoseconds &- start.nanoseconds
    buffer.append((nanoseconds &+ (nanoseconds < 0 ? -500 : 500)) / 1_000, decimals: 6)
  }

  /// Milliseconds, halves to even as everywhere.
  @inline(__always)
  private mutating func append(age: Int64) {
    buffer.append(Double(age) / 1e9, decimals: 3)
  }

  private mutating func keep(_ place: Int) {
    let fix = fixes[place]
    self.fix = (fixes.generation, place)
    var text = TextBuffer.small
    text.append(form.isJSON ? #","position":{"lat":"# : ",")
    text.append(fix.latitude, decimals: 7)
    text.append(form.isJSON ? #","lon":"# : ",")
    text.append(fix.longitude, decimals: 7)
    text.append(form.isJSON ? #","alt_msl":"# : ",")
    if let altitude = fix.altitudeMSL {
      text.append(altitude, decimals: 2)
    } else if form.isJSON {
      text.append("null")
    }
    text.append(form.isJSON ? #","quality":"# + "\"\(fix.quality.word)\"" : "," + fix.quality.word)
    text.append(form.isJSON ? #","age":"# : ",")
    fixFields = text.contents
  }

  // MARK: Objects

  private mutating func appendObject(_ index: Int, _ time: BootTime, age: Int64?) {
    buffer.append(Self.timeName)
    if let utc = clock.utc(at: time) {
      buffer.append(UInt8(ascii: "\""))
      timestamp.append(utc, to: &buffer)
      buffer.append(UInt8(ascii: "\""))
    } else {
      buffer.append(Self.null)
    }
    buffer.append(Self.secondsName)
    append(secondsSinceStart: time)
    buffer.append(texts[index].members)
    merge.appendMembers(of: index, texts[index].axes, to: &buffer)
    buffer.append(UInt8(ascii: "}"))
    if let age {
      buffer.append(fixFields)
      append(age: age)
      buffer.append(UInt8(ascii: "}"))
    } else {
      buffer.append(Self.noPosition)
    }
    _ = merge.appendBoardSeconds(of: index, behind: Self.boardSecondsName, to: &buffer)
    buffer.append(UInt8(ascii: "}"))
  }

  private static let null = Array("null".utf8)
  private static let timeName = Array(#"{"time":"#.utf8)
  private static let secondsName = Array(#","seconds":"#.utf8)
  private static let noPosition = Array(#","position":null"#.utf8)
  private static let boardSecondsName = Array(#","board_seconds":"#.utf8)
}
