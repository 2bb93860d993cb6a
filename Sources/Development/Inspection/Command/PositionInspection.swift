internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Terminal
internal import Values

/// Reads a receiver's sentences for `inspect nmea` and prints one line per fix.
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

  /// Reads until the input ends or a stop is requested.
  ///
  /// Only the receiver's sentences end an epoch. Pauses do not: a pipe may stall anywhere, and the
  /// same bytes must always produce the same fixes.
  consuming func run(
    _ input: borrowing OwnedDescriptor, _ capture: CaptureInput
  ) throws -> InspectCommand.Summary {
    // Arrival times are ignored, because the capture may be of any age.
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
    // Write many fixes at once, because a day's capture has one fix per second.
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
    // `addedEras` only describes the last fix. Its date may have been corrected even if all earlier
    // dates were right.
    if reader.addedEras > 0 { details.append(LogEvent.Detail("eras_added", "\(reader.addedEras)")) }
    return details
  }
}
