import ChunkFormat
import Recording
import TestSupport
import Testing

@Suite(.computation) struct ExampleTests {
  @Test func `the example in ChunkFormat's documentation runs`() throws {
    let chunk = SampleChunk.make(0)
    let encoder = ChunkEncoder()
    let bytes = encoder.encode(chunk)
    let decoded = try Chunk(decoding: bytes.span)
    #expect(decoded == chunk)
  }
}
