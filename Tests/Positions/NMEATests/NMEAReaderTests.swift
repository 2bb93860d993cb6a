import NMEA
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct NMEAReaderTests {
  /// Ten seconds of sentences, mixed with binary data, noise and damaged sentences.
  static let log: [UInt8] = {
    var bytes: [UInt8] = [0xff, 0x00, UInt8(ascii: "$"), UInt8(ascii: "G")]
    for second in 0..<10 {
      for body in cycle(second: second, latitude: "5310.1234\(second)") {
        bytes += line(body)
      }
      switch second {
      case 2: bytes += [0xb5, 0x62, 0x01, 0x07, 0x24, 0x24, 0x0d, 0x80]
      case 4: bytes += Array("$GNRMC,093004.00,A,53".utf8)
      case 6: bytes += Array("$GNRMC,093006.00,V,,,,,,,040526,,,N*00\r\n".utf8)
      default: break
      }
    }
    return bytes
  }()

  @Test func `a log split at any byte yields the same fixes`() {
    let (whole, counts) = read(Self.log)
    #expect(whole.count == 10)
    #expect(counts.accepted == 60)
    for position in 1..<Self.log.count {
      var reader = NMEAReader(floor: WeekRollover.replayFloor)
      var reports: [PositionReport] = []
      for part in [Array(Self.log[..<position]), Array(Self.log[position...])] {
        reader.receive(part.span, at: BootTime(nanoseconds: 0)) { reports.append($0) }
      }
      reader.flush { reports.append($0) }
      let (found, expected) = (reports, whole)
      #expect(found == expected, "cut at \(position)")
    }
  }

  @Test(arguments: [1, 2, 3, 7, 64, 4_096])
  func `a log read in pieces yields the same fixes and counts as the whole log`(_ piece: Int) {
    let (whole, counts) = read(Self.log)
    let (pieces, pieceCounts) = read(Self.log, piece: piece)
    #expect(pieces == whole)
    #expect(pieceCounts == counts)
  }

  @Test func `a fix combines all sentences of its second`() throws {
    let fix = try #require(fixes(cycle(second: 7)).first)
    #expect(fix.utc.iso8601(decimals: 3) == "2026-05-04T09:30:07.000Z")
    #expect(abs(fix.latitude - 53.1687241667) < 1e-9)
    #expect(abs(fix.longitude - 9.9423868333) < 1e-9)
    #expect(fix.altitudeMSL == 121.4)
    #expect(fix.geoidSeparation == 41.2)
    #expect(abs((fix.speed ?? 0) - 1.389) < 1e-9)
    #expect(fix.track == 84.2)
    #expect(fix.hdop == 0.9)
    #expect(fix.satellites == 10)
    #expect(fix.isThreeDimensional)
    #expect(fix.quality == .autonomous)
  }

  @Test func `a fix is stamped with the arrival time of its first byte`() {
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var fix: Fix?
    for (index, byte) in cycle(second: 1).flatMap(line).enumerated() {
      let part = [byte]
      reader.receive(part.span, at: BootTime(nanoseconds: 1_000 + Int64(index))) { _ in }
    }
    reader.flush { if case .fix(let found) = $0 { fix = found } }
    #expect(fix?.arrival == BootTime(nanoseconds: 1_000))
  }

  @Test func `once the receiver's cycle is known, a fix does not wait for the next second`() {
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var published: [Int] = []
    for second in 0..<6 {
      var count = 0
      let bytes = cycle(second: second).flatMap(line)
      reader.receive(bytes.span, at: BootTime(nanoseconds: Int64(second) * 1_000_000_000)) { _ in
        count += 1
      }
      published.append(count)
    }
    // The first second's sentences end only when the next second starts. Two equal cycles reveal
    // the last sentence. From the third cycle on, each second ends with its own fix. The third
    // cycle also ends the previous second.
    #expect(published == [0, 1, 2, 1, 1, 1])
  }

  @Test func `a cycle that contains additional sentences loses no fix`() {
    var bodies: [String] = []
    for second in 0..<5 { bodies += cycle(second: second) }
    for second in 5..<12 {
      bodies += cycle(second: second)
      bodies.append("GNGSA,A,3,28,30,,,,,,,,,,,1.60,0.90,1.30,4")
    }
    let times = fixes(bodies).map(\.utc)
    #expect(times.count == 12)
    #expect(Set(times).count == 12)
  }

  @Test
  func `if GSA comes only every fifth second, at most two live fixes differ from those of a log`() {
    let sides = [true, false].map { isLive in
      var reader = NMEAReader(floor: WeekRollover.replayFloor, isLive: isLive)
      var dimensions: [Bool] = []
      for second in 0..<50 {
        var bodies = Array(cycle(second: second).prefix(3))
        // The fix is 2D. Altitude and satellites alone do not reveal this.
        if second % 5 == 4 { bodies.append("GNGSA,A,2,02,05,11,,,,,,,,,,1.60,0.90,1.30") }
        let bytes = bodies.flatMap(line)
        reader.receive(bytes.span, at: BootTime(nanoseconds: 0)) {
          if case .fix(let fix) = $0 { dimensions.append(fix.isThreeDimensional) }
        }
      }
      reader.flush { if case .fix(let fix) = $0 { dimensions.append(fix.isThreeDimensional) } }
      return dimensions
    }
    let (live, log) = (sides[0], sides[1])
    #expect(log == (0..<50).map { $0 % 5 != 4 })
    #expect(live.count == 50)
    #expect(zip(live, log).count { $0 != $1 } <= 2)
  }

  @Test func `if the last sentence of a cycle is lost, the fix is late but is not lost`() {
    var bodies = (0..<4).flatMap { cycle(second: $0) }
    bodies += cycle(second: 4).prefix(3)
    bodies += (5..<7).flatMap { cycle(second: $0) }
    #expect(fixes(bodies).count == 7)
  }

  @Test func `binary noise neither creates nor prevents a fix`() {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: .min ... .max, using: &generator)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    for second in 0..<20 {
      // The noise is not followed by a line ending, so the `$` of the next sentence starts a new
      // sentence.
      bytes += (0..<Int.random(in: 0..<300, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      bytes += cycle(second: second).flatMap(line)
    }
    let reports = read(bytes).reports
    #expect(reports.count == 20, "seed \(seed)")
  }
}
