import ChunkFormat
@testable import Gateway
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct CommitQueueTests {
  private static func time(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 1_000_000_000).advanced(bySeconds: seconds)
  }

  private static func chunk(_ count: Int) -> Chunk {
    var chunk = SampleChunk.make(0)
    chunk.counters = (0..<UInt32(count)).map { $0 }
    return chunk
  }

  @Test func `chunks sealed within a minute are committed in one transaction`() {
    var queue = CommitQueue(at: Self.time(0), sealSeconds: 900)
    queue.add(Self.chunk(2_000), of: 0)
    #expect(!queue.isDue(at: Self.time(59)))
    queue.add(Self.chunk(2_000), of: 1)
    #expect(queue.isDue(at: Self.time(60)))
    let batch = queue.begin(at: Self.time(60))
    #expect(batch.chunks.count == 2)
    #expect(!queue.isDue(at: Self.time(900)))
    _ = queue.answered()
    #expect(!queue.isDue(at: Self.time(900)), "nothing waits")
  }

  @Test func `an event is committed within a second, together with all other waiting data`() {
    var queue = CommitQueue(at: Self.time(0), sealSeconds: 900)
    queue.add(Self.chunk(2_000), of: 0)
    queue.add(SessionEvent(.battery, at: Self.time(1)))
    #expect(!queue.isDue(at: Self.time(0.9)))
    #expect(queue.isDue(at: Self.time(1)))
    let batch = queue.begin(at: Self.time(1))
    #expect(batch.chunks.count == 1 && batch.events.count == 1)
  }

  @Test func `if many samples arrive, they are committed before a minute has passed`() {
    var queue = CommitQueue(at: Self.time(0), sealSeconds: 900)
    for stream in 0..<10 {
      #expect(!queue.isDue(at: Self.time(2)))
      queue.add(Self.chunk(2_000), of: stream)
    }
    #expect(!queue.isDue(at: Self.time(0.9)))
    #expect(queue.isDue(at: Self.time(1)))
  }

  @Test func `the commit of a sealed chunk is delayed by at most the seal time`() {
    var queue = CommitQueue(at: Self.time(0), sealSeconds: 5)
    queue.add(Self.chunk(20), of: 0)
    #expect(!queue.isDue(at: Self.time(4.9)))
    #expect(queue.isDue(at: Self.time(5)))
  }
}
