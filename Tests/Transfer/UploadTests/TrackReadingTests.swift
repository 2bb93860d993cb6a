import Recording
import TestSupport
import Testing
@testable import Upload
import Values

@Suite(.computation) struct TrackReadingTests {
  private static let session = Session(
    bootID: UniqueID(high: 1, low: 2), start: BootTime(nanoseconds: 0))

  private func record(fixes: Int) -> SessionRecord {
    SessionRecord(session: Self.session, fixCount: fixes)
  }

  private func fixes(_ range: Range<Int>) -> [Fix] {
    range.map { number in
      let time = Int64(number) * 1_000_000_000
      return Fix(
        arrival: BootTime(nanoseconds: time), utc: UTCTime(nanoseconds: time), latitude: 50,
        longitude: 14)
    }
  }

  /// Reads a track, and requests this number of pieces at a time.
  private func read(
    _ reading: inout TrackReading, at once: Int = 1, _ piece: (Int) -> TrackFinding
  ) -> (asked: [Int], fixes: [Fix]) {
    var (asked, fixes): ([Int], [Fix]) = ([], [])
    while case let firsts = reading.next(once), !firsts.isEmpty {
      asked += firsts
      for first in firsts { fixes += reading.take(piece(first)) }
    }
    return (asked, fixes)
  }

  @Test(arguments: [1, 2, 8])
  func `only the fixes in a track's missing or truncated pieces are lost`(_ once: Int) {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let count = Int.random(in: 0...30_000, using: &random)
      var kept: [Fix] = []
      var lacking = 0
      var reading = TrackReading(of: record(fixes: count))
      let found = read(&reading, at: once) { first in
        let end = min(count, first + TrackPiece.capacity)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          lacking += end - first
          return .missing(Bool.random(using: &random) ? "it is gone" : "it is damaged")
        case 1:
          let cut = Int.random(in: first...end, using: &random)
          kept += fixes(first..<cut)
          lacking += end - cut
          return .found(
            TrackPiece(session: Self.session.id, first: first, fixes: fixes(first..<cut)))
        default:
          kept += fixes(first..<end)
          return .found(
            TrackPiece(session: Self.session.id, first: first, fixes: fixes(first..<end)))
        }
      }
      #expect(found.asked == Array(stride(from: 0, to: count, by: 2_000)), "seed \(seed)")
      #expect(found.fixes == kept, "seed \(seed)")
      #expect(reading.missing.reduce(0) { $0 + $1.count } == lacking, "seed \(seed)")
      // The missing ranges are in order and do not overlap.
      var end = 0
      for missing in reading.missing {
        #expect(missing.first >= end && missing.count > 0, "seed \(seed)")
        end = missing.first + missing.count
      }
      #expect(end <= count, "seed \(seed)")
    }
  }

  @Test func `adjacent pieces that are missing for the same reason are reported as one range`() {
    var reading = TrackReading(of: record(fixes: 9_000))
    _ = read(&reading) { .missing($0 < 4_000 ? "it is gone" : "it is damaged") }
    #expect(reading.missing.map(\.first) == [0, 4_000])
    #expect(reading.missing.map(\.count) == [4_000, 5_000])
    #expect(reading.missing.map(\.reason) == ["it is gone", "it is damaged"])
  }

  @Test(arguments: [1, 8]) func `reading a track ends even if its record claims too many fixes`(
    _ once: Int
  ) {
    var reading = TrackReading(of: record(fixes: TrackPiece.mostFixes))
    let found = read(&reading, at: once) { first in
      guard first < 3_000 else { return .missing("it is gone") }
      return .found(
        TrackPiece(
          session: Self.session.id, first: first, fixes: fixes(first..<min(3_000, first + 2_000))))
    }
    #expect(found.fixes.count == 3_000)
    #expect(found.asked.count < 2 + TrackReading.patience + once)
    #expect(reading.missing.map(\.first) == [3_000, 4_000])
    #expect(reading.missing.map(\.count).reduce(3_000, +) == TrackPiece.mostFixes)
  }
}
