internal import Recording
internal import Values

/// Writes samples into a buffer, reusing text that neighbouring samples share.
///
/// The writer never calls a source or a sink. Instead, `fill` returns when it needs one. The inner
/// loop is therefore compiled only once, whatever the types of source and sink.
struct SampleWriter {
  /// The reason why the writer stopped.
  enum Need {
    /// The writer needs the next chunk of this cursor.
    case chunk(Int)
    /// The writer needs the next fixes of the track.
    case fixes
    /// The buffer is full, so the caller must flush it.
    case room
    /// The writer needs nothing, since all samples have been written.
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
  private let words: PositionWords
  /// The encoded name of the source from which the universal times are derived.
  private let timeSource: [UInt8]

  /// Creates a writer for the samples of a merge.
  init(
    _ merge: SampleMerge, _ source: some SessionSource, form: SampleForm,
    maximumFixAge: Double
  ) throws {
    self.merge = merge
    self.form = form
    let clock = ClockTable(try source.clockEntries())
    self.clock = clock
    fixes = FixWindow(clock, maximumAge: maximumFixAge)
    words = PositionWords(isJSON: form.isJSON)
    timeSource = Array(
      (form.isJSON ? #","time_source":"\#(clock.sourceName)""# : ",\(clock.sourceName)").utf8)
    let streams = try source.streams()
    texts = merge.positions.map { StreamText(streams[$0]) }
    start = source.session.start
    buffer.append(form.heading(merge.positions.first.map { streams[$0].description }))
  }

  /// Appends samples until the writer needs something from its caller.
  mutating func fill() -> Need {
    while let index = merge.earliest {
      let time = BootTime(nanoseconds: merge.time(index))
      if fixes.needsMore(at: time) { return .fixes }
      if buffer.isFull { return .room }
      let position = fixes.position(at: time)
      switch form {
      case .row(let hasBoardClock):
        appendRow(index, time, position, isWide: false, hasBoardClock: hasBoardClock)
      case .wideRow(let hasBoardClock):
        appendRow(index, time, position, isWide: true, hasBoardClock: hasBoardClock)
      case .jsonLine:
        appendObject(index, time, position)
        buffer.append(UInt8(ascii: "\n"))
      case .jsonElement:
        if !isFirst { buffer.appendComma() }
        isFirst = false
        buffer.append(UInt8(ascii: "\n"))
        appendObject(index, time, position)
      }
      merge.count(index, isPositioned: position.position != nil)
      if !merge.step(index) { return .chunk(index) }
    }
    return .nothing
  }

  // MARK: Rows

  private mutating func appendRow(
    _ index: Int, _ time: BootTime, _ position: PositionLookup, isWide: Bool, hasBoardClock: Bool
  ) {
    if let utc = clock.utc(at: time) { timestamp.append(utc, to: &buffer) }
    buffer.appendComma()
    append(secondsSinceStart: time)
    if !isWide { buffer.append(texts[index].fields) }
    merge.appendFields(of: index, to: &buffer)
    if !isWide { buffer.append(texts[index].missingAxes) }
    switch position {
    case .position(let tag): words.append(fieldsOf: tag, to: &buffer)
    case .absent(let absence): buffer.append(words.absences[Int(absence.rawValue)])
    }
    buffer.append(timeSource)
    if hasBoardClock, !merge.appendBoardSeconds(of: index, behind: Self.comma, to: &buffer) {
      buffer.appendComma()
    }
    buffer.append(isWide ? texts[index].wideEnding : texts[index].ending)
  }

  private static let comma = Array(",".utf8)

  /// Returns the seconds since the start of the session, rounded to microseconds.
  @inline(__always)
  private mutating func append(secondsSinceStart time: BootTime) {
    let nanoseconds = time.nanoseconds &- start.nanoseconds
    buffer.append((nanoseconds &+ (nanoseconds < 0 ? -500 : 500)) / 1_000, decimals: 6)
  }

  // MARK: Objects

  private mutating func appendObject(_ index: Int, _ time: BootTime, _ position: PositionLookup) {
    buffer.append(Self.timeName)
    if let utc = clock.utc(at: time) {
      buffer.append(UInt8(ascii: "\""))
      timestamp.append(utc, to: &buffer)
      buffer.append(UInt8(ascii: "\""))
    } else {
      buffer.append(Self.null)
    }
    buffer.append(timeSource)
    buffer.append(Self.secondsName)
    append(secondsSinceStart: time)
    buffer.append(texts[index].members)
    merge.appendMembers(of: index, texts[index].axes, to: &buffer)
    buffer.append(UInt8(ascii: "}"))
    switch position {
    case .position(let tag): words.append(membersOf: tag, to: &buffer)
    case .absent(let absence): buffer.append(words.absences[Int(absence.rawValue)])
    }
    _ = merge.appendBoardSeconds(of: index, behind: Self.boardSecondsName, to: &buffer)
    buffer.append(UInt8(ascii: "}"))
  }

  private static let null = Array("null".utf8)
  private static let timeName = Array(#"{"time":"#.utf8)
  private static let secondsName = Array(#","seconds":"#.utf8)
  private static let boardSecondsName = Array(#","board_seconds":"#.utf8)
}
