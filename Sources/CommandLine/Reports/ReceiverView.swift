internal import LinuxSystem
internal import NMEA
public import Positioning
internal import Recording
internal import Terminal
public import Values

/// Formats a position source's status as a live view's lines.
public struct ReceiverView: Sendable {
  private let source: PositionSource

  // The lower and upper limits of a signal bar, in dB-Hz. Satellites below 20 dB-Hz are hardly
  // usable; 50 dB-Hz is the best that a small antenna receives.
  private static let weakestSignal = 10.0
  private static let strongestSignal = 50.0
  private static let barWidth = 10

  public init(_ source: PositionSource) {
    self.source = source
  }

  /// Returns the lines for `status`, each at most `width` columns wide.
  public func lines(_ status: ReceiverStatus, now: BootTime, width: Int) -> [String] {
    (facts(status, now: now).map { name, text in
      name + String(repeating: " ", count: 12 - name.count) + text
    } + satellites(status.sky)).map { TerminalText.cut($0, to: width) }
  }

  private func facts(_ status: ReceiverStatus, now: BootTime) -> [(String, String)] {
    var facts = [("state", status.state.rawValue)]
    if let problem = status.problem {
      facts += [("reason", problem.reason), ("remedy", problem.remedy)]
    }
    if let fix = status.fix {
      let age = DurationText.short(now.seconds(since: fix.arrival)) + " ago"
      if status.state.isCurrent {
        facts += current(fix, age: age)
      } else {
        facts.append(("last known", PositionText.degrees(fix) + "  " + age))
      }
    }
    if !status.state.isCurrent, !status.state.isLoss, let utc = status.time?.utc {
      facts.append(("time", utc.iso8601(decimals: 1)))
    }
    facts.append(("source", line(status)))
    facts.append(("sentences", sentences(status)))
    return facts
  }

  private func current(_ fix: Fix, age: String) -> [(String, String)] {
    let place = [PositionText.degrees(fix), PositionText.altitude(fix), age]
    var facts = [
      ("position", place.compactMap { $0 }.joined(separator: "  ")),
      ("time", fix.utc.iso8601(decimals: 1)),
    ]
    if let error = fix.error {
      let vertical = error.vertical.map {
        ", " + NumberText.fixed($0, decimals: 1) + " m vertically"
      }
      facts.append(
        (
          "error",
          NumberText.fixed(error.horizontal, decimals: 1) + " m horizontally" + (vertical ?? "")
            + " (95 %, \(Self.words(error.basis)))"
        ))
    }
    if let speed = fix.speed {
      facts.append(("speed", ReceiverText.speed(speed, track: fix.track)))
    }
    let solution = [
      fix.satellites.map { "\($0) used" },
      fix.hdop.map { "HDOP " + NumberText.fixed($0, decimals: 1) },
    ].compactMap { $0 }
    if !solution.isEmpty { facts.append(("satellites", solution.joined(separator: ", "))) }
    return facts
  }

  private static func words(_ basis: Fix.ErrorEstimate.Basis) -> String {
    switch basis {
    case .reported: "from the receiver"
    case .dilution: "estimated from HDOP"
    case .daemon: "from gpsd"
    }
  }

  private func line(_ status: ReceiverStatus) -> String {
    let name = source.description
    let device = status.device.map { name.hasSuffix($0) ? name : "\(name): \($0)" }
    let speed = status.speed.map {
      "  \($0.rawValue) baud" + (status.isSpeedFound ? "" : ", not confirmed yet")
    }
    return TerminalText.harmless(device ?? name) + (speed ?? "")
  }

  private func sentences(_ status: ReceiverStatus) -> String {
    let faults = SentenceFault.allCases.compactMap { fault in
      status.faults[fault].map { "\(NumberText.grouped($0)) \(Self.words(fault))" }
    }
    return "\(NumberText.grouped(status.goodSentences)) good, "
      + "\(NumberText.grouped(status.badSentences)) rejected"
      + (faults.isEmpty ? "" : " (" + faults.joined(separator: ", ") + ")")
  }

  private static func words(_ fault: SentenceFault) -> String {
    fault.rawValue.split(separator: "_").joined(separator: " ")
  }

  private func satellites(_ sky: Sky) -> [String] {
    guard !sky.satellites.isEmpty else { return [] }
    var table = TextTable([
      .init("system"), .init("number", .right), .init("elevation", .right),
      .init("azimuth", .right), .init("signal"), .init(""),
    ])
    // The most important lines are at the top, because a terminal with few rows cuts off the bottom
    // of the view.
    let received = sky.satellites.filter { $0.signal != nil }
    for satellite in received + sky.satellites.filter({ $0.signal == nil }) {
      table.append([
        Self.words(satellite.system), "\(satellite.number)",
        satellite.elevation.map { "\($0)°" } ?? "–", satellite.azimuth.map { "\($0)°" } ?? "–",
        signal(satellite.signal), satellite.isUsed ? "used" : "",
      ])
    }
    return [""] + table.lines
  }

  private func signal(_ signal: Int?) -> String {
    guard let signal else { return "not received" }
    let share =
      (Double(signal) - Self.weakestSignal) / (Self.strongestSignal - Self.weakestSignal)
    return Bar.text(share, width: Self.barWidth) + " \(signal) dB-Hz"
  }

  private static func words(_ system: Satellite.System) -> String {
    switch system {
    case .unknown: "unknown"
    case .gps: "GPS"
    case .glonass: "GLONASS"
    case .galileo: "Galileo"
    case .beidou: "BeiDou"
    case .qzss: "QZSS"
    case .navic: "NavIC"
    case .sbas: "SBAS"
    }
  }
}
