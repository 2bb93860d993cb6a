import Recording
import TestSupport
import Testing
import Values

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of Recording runs`() {
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
