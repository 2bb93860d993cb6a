import TestSupport
import Testing
import UploadProtocol
import Values

@Suite(.computation) struct ExampleTests {
  @Test func `the example in UploadProtocol's documentation runs`() throws {
    let chunks = [(id: UniqueID.random(), bytes: [UInt8](0..<100))]
    let sent = chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) }
    let path = UploadPath.chunks.text
    let body = ChunkBatch.body(of: sent)
    let received = try ChunkBatch.parts(of: body)
    #expect(path == "/v1/chunks")
    #expect(received == sent)
  }
}
