import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ExampleTests {
  @Test func `the example for Recording runs`() {
    let (session, sample) = (SampleChunk.session, SampleChunk.make(0))
    let (board, stream) = (sample.board, sample.stream)
    var chunker = Chunker(
      session: session.id, bootID: session.bootID, board: board, stream: stream)
    for number in UInt32(0)..<100 {
      let time = session.start.advanced(bySeconds: Double(number) / stream.rate)
      _ = chunker.append(Reading(board: 0, stream: 0, arrival: time, counter: number, z: 4_096))
    }
    let chunk = chunker.seal(fixes: [])
    #expect(chunk?.count == 100)
    #expect(chunk?.lostCount == 0)
    #expect(chunk?.columns.last == [Int32](repeating: 4_096, count: 100))
  }
}

@Suite(.computation) struct StatisticsExampleTests {
  @Test func `the example for session statistics runs`() {
    let start = Walk.start
    let fixes = Walk(seed: 1, seconds: 100).fixes
    var meter = StatisticsMeter(start: start)
    for fix in fixes { meter.take(fix) }
    let distance = meter.statistics().distance
    #expect((100...200).contains(distance ?? 0))
  }

  /// The sample numbers and magnitudes of a minute of walking at 100 Hz.
  private var walk: [(UInt32, Double)] {
    var movement = Movement(seed: 1, rate: 100)
    movement.walk(60, at: .ankle)
    return movement.samples.enumerated().map { (UInt32($0), $1) }
  }

  @Test func `the example for the walking detector runs`() {
    var detector = WalkingDetector(rate: 100)
    for (counter, magnitude) in walk { detector.add(magnitude: magnitude, counter: counter) }
    let first = detector.walk?.first
    #expect(first == 0)
  }

  @Test func `the example for the walking trigger runs`() {
    var trigger = WalkingTrigger(lead: 5, rate: 100)
    var decisions: [WalkingTrigger.Decision] = []
    for (counter, magnitude) in walk {
      if let decision = trigger.add(magnitude: magnitude, counter: counter) {
        decisions.append(decision)
      }
    }
    #expect(decisions == [.begin(at: 0)])
  }
}

@Suite(.computation) struct AuditExampleTests {
  @Test func `the example for auditing a table runs`() {
    let pieces = [Array(AuditedTable(rows: 3_000).text.utf8)[...]]
    var file = AuditedFile(path: "walk.csv")
    for piece in pieces { file.take(piece) }
    file.finish()
    let areInvented = file.times.origin.isComputed
    #expect(areInvented)
  }
}
