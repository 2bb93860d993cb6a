internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

/// Reads the sentences of a receiver for `footbridge inspect nmea`: one line for each fix.
struct PositionInspection: ~Copyable {
  private var reader: NMEAReader
  private var fixes = 0
  private var epochsWithoutFix = 0
  private let reportsJSON: Bool
  private let console: Console

  init(_ configuration: InspectCommand, _ console: Console) {
    reader = NMEAReader(
      floor: configuration.floor ?? WeekRollover.replayFloor, isLive: false)
    reportsJSON = configuration.reportsJSON
    self.console = console
  }

  /// Reads to the end, or until the bell rings.
  ///
  /// An epoch ends by what the receiver sends and never by a pause: a pipe may stall anywhere, and
  /// the same bytes give the same fixes.
  consuming func run(
    _ input: borrowing OwnedDescriptor, _ capture: CaptureInput
  ) throws -> InspectCommand.Summary {
    // Nothing is stamped, for the capture may be of any age.
    let arrival = BootTime(nanoseconds: 0)
    try capture.read(input) { bytes in
      var reports: [PositionReport] = []
      reader.receive(bytes.span, at: arrival) { reports.append($0) }
      try show(reports)
    }
    var last: [PositionReport] = []
    reader.flush { last.append($0) }
    try show(last)
    let found = reader.counts
    let hasSentences = found.accepted + found.ignored > 0
    return InspectCommand.Summary(counts: counts, status: hasSentences ? .ok : .notUnderstood)
  }

  private mutating func show(_ reports: [PositionReport]) throws {
    var lines: [String] = []
    for report in reports {
      switch report {
      case .fix(let fix):
        fixes += 1
        lines.append(reportsJSON ? FixText.json(fix).text : FixText.line(fix))
      case .noFix:
        epochsWithoutFix += 1
      }
    }
    // In few writes: a capture of a day has as many fixes as seconds.
    if !lines.isEmpty { try console.print(lines.joined(separator: "\n")) }
  }

  private var counts: [LogEvent.Detail] {
    let counts = reader.counts
    var details = [
      LogEvent.Detail("fixes", "\(fixes)"), LogEvent.Detail("without_fix", "\(epochsWithoutFix)"),
      LogEvent.Detail("accepted", "\(counts.accepted)"),
      LogEvent.Detail("ignored", "\(counts.ignored)"),
      LogEvent.Detail("refused", "\(counts.refused)"),
    ]
    details += counts.refusals.map { LogEvent.Detail($0.fault.rawValue, "\($0.count)") }
    if counts.strayBytes > 0 {
      details.append(LogEvent.Detail("stray_bytes", "\(counts.strayBytes)"))
    }
    if reader.jumps > 0 { details.append(LogEvent.Detail("jumps", "\(reader.jumps)")) }
    // The date of the last fix may be corrected while earlier ones were right.
    if reader.addedEras > 0 { details.append(LogEvent.Detail("eras_added", "\(reader.addedEras)")) }
    return details
  }
}

/// A fix on one line.
enum FixText {
  /// As one object; what the receiver did not say is left out.
  static func json(_ fix: Fix) -> JSONValue {
    var members: [JSONValue.Member] = [
      JSONValue.Member("time", .string(fix.utc.iso8601(decimals: 3))),
      JSONValue.Member("lat", .number(fix.latitude)),
      JSONValue.Member("lon", .number(fix.longitude)),
    ]
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    add("altMSL", fix.altitudeMSL.map { .number($0) })
    add("geoidSep", fix.geoidSeparation.map { .number($0) })
    add("speed", fix.speed.map { .number($0) })
    add("track", fix.track.map { .number($0) })
    add("mode", fix.isThreeDimensional ? 3 : 2)
    add("quality", .integer(Int64(fix.quality.rawValue)))
    add("satsUsed", fix.satellites.map { .integer(Int64($0)) })
    add("hdop", fix.hdop.map { .number($0) })
    return .object(members)
  }

  /// As people read it.
  static func line(_ fix: Fix) -> String {
    var parts = [
      fix.utc.iso8601(decimals: 3),
      // Seven decimals are a centimetre, more than any receiver knows.
      NumberText.fixed(fix.latitude, decimals: 7) + "°",
      NumberText.fixed(fix.longitude, decimals: 7) + "°",
      fix.isThreeDimensional ? "3D" : "2D",
    ]
    if let note = note(fix.quality) { parts.append(note) }
    if let altitude = fix.altitudeMSL {
      parts.append(NumberText.fixed(altitude, decimals: 1) + " m")
    }
    if let speed = fix.speed { parts.append(NumberText.fixed(speed, decimals: 2) + " m/s") }
    if let track = fix.track { parts.append(NumberText.fixed(track, decimals: 1) + "°") }
    if let satellites = fix.satellites { parts.append("\(satellites) sat") }
    if let hdop = fix.hdop { parts.append("hdop \(NumberText.plain(hdop))") }
    if let error = fix.error {
      parts.append("±\(NumberText.fixed(error.horizontal, decimals: 1)) m")
    }
    return parts.joined(separator: "  ")
  }

  /// What sets a fix apart from a plain one.
  private static func note(_ quality: Fix.Quality) -> String? {
    switch quality {
    case .autonomous: nil
    case .differential: "differential"
    case .precise: "precise"
    case .realTimeKinematic: "RTK"
    case .floatRealTimeKinematic: "RTK float"
    case .estimated: "ESTIMATED"
    case .manual: "ENTERED BY HAND"
    case .simulated: "SIMULATED"
    }
  }
}
