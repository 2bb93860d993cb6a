internal import Recording
internal import Values

/// Formats a session's instants, for tables with only a few instants.
struct Moments {
  private let start: BootTime
  private let clock: ClockTable

  init(start: BootTime, _ clock: ClockTable) {
    self.start = start
    self.clock = clock
  }

  init(of source: some SessionSource) throws {
    self.init(start: source.session.start, ClockTable(try source.clockEntries()))
  }

  /// Returns the universal time with microseconds; empty if unknown. The session's clock takes
  /// precedence over `noted`, the universal time recorded together with the instant.
  func utc(_ time: BootTime?, noted: UTCTime? = nil) -> String {
    (time.flatMap { clock.utc(at: $0) } ?? noted)?.iso8601() ?? ""
  }

  /// Returns an event's universal time. An event after the session's end has that end as its boot
  /// time, so the event's recorded universal time is used instead.
  func utc(of event: SessionEvent) -> String {
    guard let noted = event.utc, event.kind.followsSessions else {
      return utc(event.time, noted: event.utc)
    }
    return noted.iso8601()
  }

  /// Returns the seconds since the session's start, with microseconds; empty for `nil`.
  func seconds(_ time: BootTime?) -> String {
    guard let time else { return "" }
    return TextBuffer.text { $0.append(seconds: time.nanoseconds &- start.nanoseconds) }
  }

  /// Returns the universal time and the seconds since the start as members of an object.
  func members(_ time: BootTime, utc noted: UTCTime? = nil) -> [JSONValue.Member] {
    let utc = utc(time, noted: noted)
    let microseconds = Double(time.nanoseconds &- start.nanoseconds) / 1_000
    return [
      .init("time", utc.isEmpty ? .null : utc.json),
      .init("seconds", .number(microseconds.rounded() / 1e6)),
    ]
  }

  /// Returns the universal time and the seconds since the start as an object; `null` for `nil`.
  func json(_ time: BootTime?) -> JSONValue {
    time.map { .object(members($0)) } ?? .null
  }
}

extension SessionEvent.Kind {
  /// Whether events of this kind may occur after the session's end.
  fileprivate var followsSessions: Bool {
    switch self {
    case .edited, .dropped, .damaged, .submitted: true
    case .taskBegin, .taskEnd, .battery, .linkLost, .reconnected, .reboot, .silent, .missing,
      .givenUp, .settings, .mounting, .paused, .resumed, .hazard, .stopping, .recovered, .receiver,
      .space, .continued, .imported:
      false
    }
  }
}
