internal import NMEA
internal import Positioning
internal import Recording
internal import Values

/// Parses the output of a receiver or of gpsd. The input's first byte sets the size of the pieces
/// in which the parser receives the output.
///
/// Each line is processed unchanged, and again with its checksum corrected, because no fuzzer would
/// guess a checksum.
enum ReceiverCheck {
  static func play(_ input: [UInt8]) {
    let piece = Int(input.first ?? 0) + 1
    let text = Array(input.dropFirst())
    playSentences(text, piece)
    playSentences(repaired(text), piece)
    playDaemon(text, piece)
  }

  private static func playSentences(_ text: [UInt8], _ piece: Int) {
    let whole = read(text, in: max(1, text.count))
    let pieces = read(text, in: piece)
    hold(whole.reports == pieces.reports, "the same bytes in pieces produce the same reports")
    hold(whole.counts == pieces.counts, "the same bytes in pieces produce the same counts")
    let lines = text.count { $0 == 0x0a || $0 == 0x0d } + text.count { $0 == 0x24 }
    let judged = whole.counts.accepted + whole.counts.ignored + whole.counts.refused
    hold(judged <= lines + text.count { $0 == 0x21 }, "a line is judged once")
    var last: UTCTime?
    for report in whole.reports {
      guard case .fix(let fix) = report else { continue }
      check(fix)
      hold(fix.utc != last, "an epoch has only one fix")
      last = fix.utc
    }
    hold(whole.sky.used <= whole.sky.satellites.count, "used satellites are in view")
  }

  private static func playDaemon(_ text: [UInt8], _ piece: Int) {
    let whole = tell(text, in: max(1, text.count))
    hold(whole == tell(text, in: piece), "the same bytes in pieces produce the same result")
    for case .position(.fix(let fix)) in whole { check(fix) }
  }

  private static func check(_ fix: Fix) {
    hold(abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180, "a fix is on the Earth")
    hold(fix.speed.map { $0 >= 0 && $0 <= 10_000 } ?? true, "a speed is plausible")
    hold(fix.track.map { $0 >= 0 && $0 < 360 } ?? true, "a track is a direction")
    hold(fix.hdop.map { $0 > 0 && $0 < 50 } ?? true, "a dilution of precision is plausible")
    hold(fix.altitudeMSL.map { $0 >= -2_000 && $0 <= 200_000 } ?? true, "an altitude is plausible")
    hold(fix.error.map { $0.horizontal >= 0 } ?? true, "an error is a distance")
  }

  private struct Outcome {
    var reports: [PositionReport] = []
    var counts: SentenceCounts
    var sky: Sky
  }

  private static func read(_ text: [UInt8], in piece: Int) -> Outcome {
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var reports: [PositionReport] = []
    var start = 0
    while start < text.count {
      let end = min(start + piece, text.count)
      reader.receive(text.span.extracting(start..<end), at: BootTime(nanoseconds: 0)) {
        reports.append($0)
      }
      start = end
    }
    reader.flush { reports.append($0) }
    return Outcome(reports: reports, counts: reader.counts, sky: reader.sky)
  }

  private static func tell(_ text: [UInt8], in piece: Int) -> [GPSDSession.Event] {
    var session = GPSDSession()
    var events: [GPSDSession.Event] = []
    var start = 0
    while start < text.count {
      let end = min(start + piece, text.count)
      session.receive(text.span.extracting(start..<end), at: BootTime(nanoseconds: 0)) {
        events.append($0)
      }
      start = end
    }
    session.flush { events.append($0) }
    return events
  }

  /// Returns the lines with their checksums corrected.
  private static func repaired(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for line in text.split(separator: 0x0a, omittingEmptySubsequences: false) {
      var body = line.prefix { $0 != 0x2a && $0 != 0x0d }
      bytes += body
      if let start = body.lastIndex(of: 0x24) {
        body = body[(start + 1)...]
        let sum = Int(body.reduce(0, ^))
        bytes += [0x2a, digits[sum >> 4], digits[sum & 15]]
      }
      bytes.append(0x0a)
    }
    return bytes
  }
}
