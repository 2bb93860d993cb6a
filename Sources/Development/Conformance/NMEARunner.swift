internal import FoundationEssentials
internal import NMEA
internal import Positioning
internal import Recording
internal import Values

/// Runs the vectors for receivers and gpsd. They contain recorded streams with their expected
/// fixes, single lines with their verdicts, and dates after week rollovers.
///
/// A case is one stream, one line or one date.
struct NMEARunner {
  /// The piece sizes in bytes. Each stream is read once for each size, and each time the fixes must
  /// match the expectation.
  static let pieces = [Int.max, 1, 7, 64, 4_096]

  /// The path of the file with the expectations.
  let file: String
  let json: JSON

  private var name: String { file.split(separator: "/").last.map(String.init) ?? file }

  func run() -> Verdict {
    var verdict = Verdict()
    switch json["schema"]?.text {
    case "nmea-fixes/1":
      verdict.record(name) { () throws(Objection) in try checkCapture() }
    case "gpsd-fixes/1":
      verdict.record(name) { () throws(Objection) in try checkSession() }
    case "nmea-lines/1":
      for line in json["cases"]?.list ?? [] {
        let title = line["name"]?.text ?? "a line"
        verdict.record("\(name) \(title)") { () throws(Objection) in
          try LineVerdict.check(line)
        }
      }
    case "week-rollover/1":
      for date in json["cases"]?.list ?? [] {
        let title = date["reported"]?.text ?? "a date"
        verdict.record("\(name) \(title)") { () throws(Objection) in try checkRollover(date) }
      }
    // The folder may contain other files.
    default: break
    }
    return verdict
  }

  // MARK: Streams

  private func checkCapture() throws(Objection) {
    let bytes = try input()
    let expectation = try FixExpectation(json, fields: FixExpectation.sentenceFields)
    guard let floor = UTCTime(iso8601: json["notBefore"]?.text ?? "1980-01-06T00:00:00Z") else {
      throw .skipped("notBefore is not a time")
    }
    for piece in Self.pieces {
      var reader = NMEAReader(floor: floor, isLive: false)
      var fixes: [Fix] = []
      feed(bytes, in: piece) { part in
        reader.receive(part, at: BootTime(nanoseconds: 0)) { report in
          if case .fix(let fix) = report { fixes.append(fix) }
        }
      }
      reader.flush { report in
        if case .fix(let fix) = report { fixes.append(fix) }
      }
      try expectation.check(fixes, piece: piece)
    }
  }

  private func checkSession() throws(Objection) {
    let bytes = try input()
    let expectation = try FixExpectation(json, fields: FixExpectation.daemonFields)
    for piece in Self.pieces {
      var session = GPSDSession()
      var fixes: [Fix] = []
      feed(bytes, in: piece) { part in
        session.receive(part, at: BootTime(nanoseconds: 0)) { event in
          if case .position(.fix(let fix)) = event { fixes.append(fix) }
        }
      }
      session.flush { event in
        if case .position(.fix(let fix)) = event { fixes.append(fix) }
      }
      try expectation.check(fixes, piece: piece)
    }
  }

  private func input() throws(Objection) -> [UInt8] {
    guard let name = json["input"]?.text else { throw .skipped("it has no input") }
    let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let path = (folder + [Substring(name)]).joined(separator: "/")
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .failed("cannot read \(path)")
    }
    return Array(data)
  }

  private func feed(_ bytes: [UInt8], in piece: Int, _ receive: (Span<UInt8>) -> Void) {
    let whole = bytes.span
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + min(piece, bytes.count))
      receive(whole.extracting(start..<end))
      start = end
    }
  }

  // MARK: Dates

  private func checkRollover(_ json: JSON) throws(Objection) {
    guard let reported = json["reported"]?.text.flatMap({ UTCTime(iso8601: $0) }),
      let floor = json["notBefore"]?.text.flatMap({ UTCTime(iso8601: $0) }),
      let expected = json["expected"]?.text.flatMap({ UTCTime(iso8601: $0) })
    else { throw .skipped("one of its times is invalid") }
    let (utc, eras) = WeekRollover.correct(reported, floor: floor)
    guard utc == expected else { throw .failed("got \(utc.iso8601(decimals: 3))") }
    if let expected = json["eras"]?.number, Double(eras) != expected {
      throw .failed("\(eras) eras were added")
    }
  }
}
