import ChunkFormat
import LinuxSystem
import Recording
import SessionFolder
import TestSupport
import Testing

@Suite(.computation) struct ExampleTests {
  @Test func `the example in SessionFolder's documentation runs`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let chunk = SampleChunk.make(0)
    let bytes = chunk.encoded()
    let intake = try FolderIntake(folder: path)
    let verdicts = try intake.store([ReceivedChunk(bytes: bytes, chunk: chunk)])
    let stored = try FolderReader(folder: path).bytes(ofChunk: chunk.id)
    #expect(verdicts == [.stored])
    #expect(stored == bytes)
  }
}
