import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct ExampleTests {
  @Test func `the example in Storage's documentation runs`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.sqlite"
    let (session, chunk) = (SampleChunk.session, SampleChunk.make(0))
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.add(chunk.board, [chunk.stream], session: session.id)
    try store.commit(chunks: [chunk], fixes: [], clock: [])
    try store.end(session: session.id, at: session.start.advanced(bySeconds: 60))
    try store.close()
    let sessions = try StoreReader(path: path).sessions()
    #expect(sessions.map(\.id) == [session.id])
    #expect(sessions.first?.ending == .closed)
    let streams = try StoreReader(path: path).streams(of: session.id)
    #expect(streams.map(\.sampleCount) == [chunk.count])
  }
}
