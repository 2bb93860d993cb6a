import ChunkFormat
import LinuxSystem
import Recording
import SessionFolder
import TestSupport
import Testing
import Upload

/// The example of the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example of Upload runs`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let session = TestSession(fixes: 10)
    let chunk = SampleChunk.make(0, session: session.content.session.id)
    let chunks = [
      OutgoingChunk(
        id: chunk.id, session: chunk.session, board: chunk.board.address,
        signal: chunk.stream.signal, sequence: chunk.sequence, sampleCount: chunk.count,
        bytes: chunk.encoded())
    ]
    let destination = try FolderDestination(path: path)
    let verdicts = await destination.store(chunks, of: session)
    let last = await destination.finish(session)
    #expect(verdicts == [.stored])
    #expect(last == .stored)
    let reader = try FolderReader(folder: path)
    #expect(try reader.record(of: session.content.session.id) == session.content)
  }
}
