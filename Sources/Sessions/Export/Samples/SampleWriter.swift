internal import Recording
internal import Values

/// Writes samples into a buffer, one per row or object, reusing text that neighbouring samples
/// share.
struct SampleWriter: RowWriter {
  var merge: SampleMerge
  var fixes: FixWindow
  var buffer = TextBuffer()
  private let form: SampleForm
  private let texts: [StreamText]
  private var moments: MomentWriter
  private var isFirst = true

  init(
    _ merge: SampleMerge, _ source: some SessionSource, form: SampleForm,
    maximumFixAge: Double
  ) throws {
    self.merge = merge
    self.form = form
    let clock = ClockTable(try source.clockEntries())
    fixes = FixWindow(clock, maximumAge: maximumFixAge)
    moments = MomentWriter(start: source.session.start, clock, isJSON: form.isJSON)
    texts = merge.streams.map(StreamText.init)
    buffer.append(form.heading(merge.streams.first?.description))
  }

  mutating func fill() -> RowNeed {
    while let index = merge.earliest {
      let time = BootTime(nanoseconds: merge.time(index))
      if fixes.needsMore(at: time) { return .fixes }
      if buffer.isFull { return .room }
      let position = fixes.position(at: time)
      switch form {
      case .row(let isWide, let hasBoardClock):
        appendRow(index, time, position, isWide: isWide, hasBoardClock: hasBoardClock)
      case .object(let isLine):
        if !isLine, !isFirst { buffer.appendComma() }
        if !isLine { buffer.append(UInt8(ascii: "\n")) }
        isFirst = false
        appendObject(index, time, position)
        if isLine { buffer.append(UInt8(ascii: "\n")) }
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
    moments.append(fieldsOf: time, to: &buffer)
    if !isWide { buffer.append(texts[index].fields) }
    merge.cursors[index].appendFields(to: &buffer)
    if !isWide { buffer.append(texts[index].missingAxes) }
    moments.append(fieldsOf: position, to: &buffer)
    if hasBoardClock, !merge.appendBoardSeconds(of: index, behind: Self.comma, to: &buffer) {
      buffer.appendComma()
    }
    buffer.append(isWide ? texts[index].wideEnding : texts[index].ending)
  }

  private static let comma = Array(",".utf8)

  // MARK: Objects

  private mutating func appendObject(_ index: Int, _ time: BootTime, _ position: PositionLookup) {
    moments.append(membersOf: time, to: &buffer)
    buffer.append(texts[index].members)
    merge.cursors[index].appendMembers(texts[index].axes, to: &buffer)
    buffer.append(UInt8(ascii: "}"))
    moments.append(membersOf: position, to: &buffer)
    _ = merge.appendBoardSeconds(of: index, behind: Self.boardSecondsName, to: &buffer)
    buffer.append(UInt8(ascii: "}"))
  }

  private static let boardSecondsName = Array(#","board_seconds":"#.utf8)
}
