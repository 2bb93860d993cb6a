import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct PlaceTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a search by time finds a stream's last chunk that begins no later, or none`() throws {
    let path = folder.path + "/store"
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    let session = SampleRecording.session.id
    try store.addBoard(SampleRecording.board, session: session)
    for stream in [SampleRecording.acceleration, SampleRecording.temperature] {
      try store.addStream(stream, board: SampleRecording.board.address, session: session)
    }
    // The sample chunks begin one second apart, and one of them is missing.
    try store.commit(
      chunks: [0, 1, 3].map { SampleRecording.chunk($0) }, fixes: [], clock: [])
    let reader = try StoreReader(path: path)
    let streams = try reader.streams(of: session)
    for (seconds, sequence) in [
      (-0.001, nil), (0, 0), (0.999, 0), (1, 1), (2.5, 1), (3, 3), (1e6, 3),
    ] as [(Double, UInt32?)] {
      let time = SampleRecording.session.start.advanced(bySeconds: seconds)
      #expect(try reader.sequence(of: streams[0], beginningBy: time) == sequence, "\(seconds)")
      #expect(try reader.sequence(of: streams[1], beginningBy: time) == nil)
    }
    try store.close()
  }
}
