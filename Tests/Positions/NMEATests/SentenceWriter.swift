import NMEA
import Recording
import Testing
import Values

/// Returns a sentence with its checksum and line ending, from the text between `$` and `*`.
func line(_ body: String) -> [UInt8] {
  let sum = body.utf8.reduce(0, ^)
  let digits = String(sum, radix: 16, uppercase: true)
  return Array("$\(body)*\(sum < 16 ? "0" : "")\(digits)\r\n".utf8)
}

/// Feeds these bytes to a new reader in pieces of equal size. Returns the reader's reports and
/// counts.
func read(
  _ bytes: [UInt8], piece: Int = .max, floor: UTCTime = WeekRollover.replayFloor,
  flushing: Bool = true
) -> (reports: [PositionReport], counts: SentenceCounts) {
  var reader = NMEAReader(floor: floor)
  var reports: [PositionReport] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let part = Array(rest.prefix(piece))
    rest = rest.dropFirst(piece)
    reader.receive(part.span, at: BootTime(nanoseconds: 0)) { reports.append($0) }
  }
  if flushing { reader.flush { reports.append($0) } }
  return (reports, reader.counts)
}

/// Returns the fixes that a new reader reports for these sentences.
func fixes(_ bodies: [String], floor: UTCTime = WeekRollover.replayFloor) -> [Fix] {
  read(bodies.flatMap(line), floor: floor).reports.compactMap { report in
    if case .fix(let fix) = report { fix } else { nil }
  }
}

/// Parses a text that should contain exactly one intact sentence.
func parse(_ body: String) throws(SentenceFault) -> ParsedSentence? {
  var framer = SentenceFramer()
  for byte in line(body) where framer.accept(byte, at: BootTime(nanoseconds: 0)) {
    return try ParsedSentence(framer.sentence)
  }
  Issue.record("no intact sentence in \(body)")
  return nil
}

/// Returns the sentences that a receiver with two constellations sends in one second of a walk.
func cycle(second: Int, latitude: String = "5310.12345") -> [String] {
  let time = "0930\(second < 10 ? "0" : "")\(second).00"
  return [
    "GNRMC,\(time),A,\(latitude),N,00956.54321,E,2.700,84.20,040526,,,A,V",
    "GNVTG,84.20,T,,M,2.700,N,5.000,K,A",
    "GNGGA,\(time),\(latitude),N,00956.54321,E,1,10,0.90,121.4,M,41.2,M,,",
    "GNGSA,A,3,02,05,11,12,18,,,,,,,,1.60,0.90,1.30,1",
    "GNGSA,A,3,03,08,13,15,,,,,,,,,1.60,0.90,1.30,3",
    "GPGSV,1,1,02,02,60,319,36,05,77,132,38,1",
  ]
}
