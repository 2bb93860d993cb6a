import NMEA
import Recording
import TestSupport
import Testing
import Values

/// Random logs with known fixes. Some contain noise, truncated sentences or a damaged byte.
@Suite(.computation) struct RandomLogTests {
  /// The log of a random receiver, and the times of its fixes.
  struct Log {
    var bytes: [UInt8] = []
    /// The times of the fixes that the reader must find, in seconds of the day.
    var fixes: [Int64] = []

    /// Creates a receiver's log. All seconds have their sentences in the same order, and some
    /// seconds have no fix.
    init(seed: UInt64, isDirty: Bool) {
      var random = SeededGenerator(seed: seed)
      var order = ["RMC", "GGA", "GSA", "GSV", "GLL", "VTG", "GST", "ZDA"].shuffled(using: &random)
      // The first and the last sentence of a cycle contain a time, so every sentence without a time
      // is within a cycle.
      order =
        ["RMC"] + order.filter { $0 != "RMC" && $0 != "GLL" }.shuffled(using: &random) + ["GLL"]
      let start = Int.random(in: 0..<86_000, using: &random)
      for second in start..<start + 30 {
        let hasFix = Int.random(in: 0..<5, using: &random) > 0
        for type in order { bytes += line(Self.body(type, second, hasFix)) }
        if hasFix { fixes.append(Int64(second)) }
        guard isDirty else { continue }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          bytes += (0..<Int.random(in: 1..<200, using: &random)).map { _ in
            UInt8.random(in: .min ... .max, using: &random)
          }
          // A `$` in the noise starts a false sentence, which ends before the next real sentence.
          bytes += [0x0a]
        case 1: bytes += line(Self.body("GGA", second + 7, true)).prefix(40)
        case 2: bytes += Array("GPGGA,1*00\r\n$GPRMC,\r\n$GPGSA,A,3*zz\r\n".utf8)
        default: bytes += [0xb5, 0x62, 0x01, 0x07, 0x04, 0x00, 0x24, 0x0a, 0x2a, 0x24, 0x01, 0x02]
        }
      }
    }

    private static func body(_ type: String, _ second: Int, _ hasFix: Bool) -> String {
      func pair(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
      let time = pair(second / 3_600 % 24) + pair(second / 60 % 60) + pair(second % 60) + ".00"
      let place = "5310.12345,N,00956.54321,E"
      switch type {
      case "RMC":
        return "GNRMC,\(time),\(hasFix ? "A" : "V"),\(place),1.0,2.0,040526,,,\(hasFix ? "A" : "N")"
      case "GGA": return "GNGGA,\(time),\(place),\(hasFix ? 1 : 0),10,0.9,12.0,M,41.2,M,,"
      case "GSA": return "GNGSA,A,\(hasFix ? 3 : 1),02,05,11,12,,,,,,,,,1.6,0.9,1.3,1"
      case "GSV": return "GPGSV,1,1,01,02,60,319,36,1"
      case "GLL": return "GNGLL,\(place),\(time),\(hasFix ? "A,A" : "V,N")"
      case "VTG": return "GNVTG,2.0,T,,M,1.0,N,1.9,K,\(hasFix ? "A" : "N")"
      case "GST": return "GNGST,\(time),1,1,1,1,1.0,1.0,1.0"
      default: return "GNZDA,\(time),04,05,2026,00,00"
      }
    }
  }

  private func times(_ reports: [PositionReport]) -> [Int64] {
    reports.compactMap { report in
      if case .fix(let fix) = report {
        fix.utc.calendar.nanosecondOfDay / 1_000_000_000
      } else {
        nil
      }
    }
  }

  @Test
  func `every fix in a log with random sentence order is found once, and no fix is invented`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    for round in 0..<60 {
      let log = Log(seed: seed &+ UInt64(round), isDirty: false)
      let (reports, counts) = read(log.bytes)
      #expect(times(reports) == log.fixes, "seed \(seed), round \(round)")
      #expect(reports.count == 30, "seed \(seed), round \(round)")
      #expect(counts.refused == 0)
    }
  }

  @Test func `noise between sentences causes no loss of fixes, however the stream is split`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let log = Log(seed: seed &+ UInt64(round), isDirty: true)
      let (whole, counts) = read(log.bytes)
      #expect(times(whole) == log.fixes, "seed \(seed), round \(round)")
      let piece = Int.random(in: 1..<100, using: &random)
      let pieces = read(log.bytes, piece: piece)
      #expect(pieces.reports == whole, "seed \(seed), round \(round), pieces of \(piece)")
      #expect(pieces.counts == counts, "seed \(seed), round \(round), pieces of \(piece)")
    }
  }

  @Test func `one damaged byte neither loses nor duplicates a fix`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let log = Log(seed: seed, isDirty: false)
    for round in 0..<200 {
      var bytes = log.bytes
      let position = Int.random(in: bytes.indices, using: &random)
      bytes[position] ^= UInt8.random(in: 1...255, using: &random)
      let found = times(read(bytes).reports)
      // A damaged byte affects one sentence, or two if the byte is a line ending. The other
      // sentences of that second still yield the fix.
      let missing = Set(log.fixes).subtracting(found)
      #expect(missing.isEmpty, "seed \(seed), round \(round), byte \(position)")
      #expect(Set(found).count == found.count, "seed \(seed), round \(round), byte \(position)")
    }
  }
}
