internal import Recording
internal import Values

/// Writes the time and the position that belong to a row or an object.
struct MomentWriter {
  private let start: BootTime
  private let clock: ClockTable
  private var timestamp = TimestampWriter()
  private let words: PositionWords
  /// The encoded name of the source from which the universal times are derived.
  private let timeSource: [UInt8]

  init(start: BootTime, _ clock: ClockTable, isJSON: Bool) {
    self.start = start
    self.clock = clock
    words = PositionWords(isJSON: isJSON)
    timeSource = Array(
      (isJSON ? #","time_source":"\#(clock.sourceName)""# : ",\(clock.sourceName)").utf8)
  }

  /// Appends the universal time and the seconds since the start as the first fields of a row.
  @inline(__always)
  mutating func append(fieldsOf time: BootTime, to buffer: inout TextBuffer) {
    if let utc = clock.utc(at: time) { timestamp.append(utc, to: &buffer) }
    buffer.appendComma()
    append(secondsSinceStart: time, to: &buffer)
  }

  /// Appends the position and the source of the time as fields. A comma precedes each field.
  @inline(__always)
  func append(fieldsOf position: PositionLookup, to buffer: inout TextBuffer) {
    switch position {
    case .position(let tag): words.append(fieldsOf: tag, to: &buffer)
    case .absent(let absence): buffer.append(words.absences[Int(absence.rawValue)])
    }
    buffer.append(timeSource)
  }

  /// Appends the seconds since the session's start, rounded to microseconds.
  @inline(__always)
  func append(secondsSinceStart time: BootTime, to buffer: inout TextBuffer) {
    buffer.append(seconds: time.nanoseconds &- start.nanoseconds)
  }

  /// Appends the beginning of an object, with the time and its source as the first members.
  @inline(__always)
  mutating func append(membersOf time: BootTime, to buffer: inout TextBuffer) {
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
    append(secondsSinceStart: time, to: &buffer)
  }

  @inline(__always)
  func append(membersOf position: PositionLookup, to buffer: inout TextBuffer) {
    switch position {
    case .position(let tag): words.append(membersOf: tag, to: &buffer)
    case .absent(let absence): buffer.append(words.absences[Int(absence.rawValue)])
    }
  }

  private static let null = Array("null".utf8)
  private static let timeName = Array(#"{"time":"#.utf8)
  private static let secondsName = Array(#","seconds":"#.utf8)
}
