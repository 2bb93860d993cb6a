import Foundation
import NMEA
import Recording
@testable import Simulation
import TestSupport
import Testing
import Values

@Suite(.computation) struct SimulatedReceiverTests {
  static let start = UTCTime(year: 2026, month: 12, day: 31, nanosecondOfDay: 86_390_000_000_000)

  /// Returns the reports that a reader produces in this many seconds.
  private func reports(
    _ receiver: SimulatedReceiver, seconds: Int
  ) -> (reports: [PositionReport], counts: SentenceCounts) {
    var receiver = receiver
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var reports: [PositionReport] = []
    for second in 0..<seconds {
      let instant = UTCTime(nanoseconds: Self.start.nanoseconds + Int64(second) * 1_000_000_000)
      let burst = receiver.burst(at: instant)
      reader.receive(burst.span, at: BootTime(nanoseconds: Int64(second))) { reports.append($0) }
    }
    reader.flush { reports.append($0) }
    return (reports, reader.counts)
  }

  private func fixes(_ reports: [PositionReport]) -> [Fix] {
    reports.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
  }

  @Test
  func `every second of a simulated receiver yields one valid fix, across midnight and New Year`() {
    let (reports, counts) = reports(SimulatedReceiver(), seconds: 20)
    let found = fixes(reports)
    #expect(counts.refused == 0)
    #expect(counts.strayBytes == 0)
    #expect(found.count == 20)
    for (second, fix) in found.enumerated() {
      #expect(
        fix.utc.nanoseconds == Self.start.nanoseconds + Int64(second) * 1_000_000_000)
      #expect(fix.quality == .autonomous)
      #expect(fix.isThreeDimensional)
      #expect(fix.satellites == 10)
      #expect(fix.hdop == 0.9)
      #expect(fix.geoidSeparation == 41.2)
    }
  }

  @Test func `positions drift slowly around the route by a few metres`() {
    let route = WalkRoute()
    let found = fixes(reports(SimulatedReceiver(route: route, seed: 7), seconds: 600).reports)
    #expect(found.count == 600)
    var largest = 0.0
    var previous: SIMD2<Double>?
    for (second, fix) in found.enumerated() {
      let truth = route.position(at: Double(second))
      let off = SIMD2(
        (fix.longitude - truth.longitude) * 66_800, (fix.latitude - truth.latitude) * 111_300)
      largest = max(largest, (off * off).sum().squareRoot())
      if let previous {
        let step = off - previous
        #expect((step * step).sum().squareRoot() < 1.5, "second \(second)")
      }
      previous = off
      #expect(abs((fix.altitudeMSL ?? 0) - truth.altitudeMSL) < 12)
      #expect(abs((fix.speed ?? 0) - 1.4) < 0.25)
    }
    #expect(largest > 0.5 && largest < 7)
  }

  @Test func `the same seed produces the same bytes, and another seed produces different bytes`() {
    var (first, same, other) = (
      SimulatedReceiver(seed: 3), SimulatedReceiver(seed: 3), SimulatedReceiver(seed: 4)
    )
    let burst = first.burst(at: Self.start)
    #expect(burst == same.burst(at: Self.start))
    #expect(burst != other.burst(at: Self.start))
  }

  @Test func `a receiver that was just powered on searches for satellites first`() {
    let reports = reports(SimulatedReceiver(fixAfter: 5), seconds: 8).reports
    #expect(reports.count == 8)
    #expect(fixes(reports).count == 3)
    for report in reports.prefix(5) {
      if case .fix = report { Issue.record("a fix before its time") }
    }
  }

  @Test(arguments: [
    (53.168, "5310.08000,N"), (-53.168, "5310.08000,S"), (0, "0000.00000,N"),
    (9.999_999_999, "1000.00000,N"), (-0.000_001, "0000.00006,S"),
  ])
  func `a coordinate is written in degrees and minutes, and 60 minutes carry into degrees`(
    _ degrees: Double, _ text: String
  ) {
    let written = SimulatedReceiverText.coordinate(
      degrees, degreeDigits: 2, letters: ("N", "S"))
    #expect(written == text)
  }

  @Test(arguments: [
    (1.25, 1, "1.3"), (-0.04, 1, "0.0"), (-12.34, 1, "-12.3"), (0.999_9, 3, "1.000"),
    (118, 1, "118.0"),
  ])
  func `numbers in a simulated receiver's sentences are rounded, not truncated`(
    _ value: Double, _ places: Int, _ text: String
  ) {
    #expect(SimulatedReceiverText.decimal(value, places: places) == text)
  }
}
