import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// A session's mountings are compared with the mountings in earlier sessions.
@Suite(.computation) struct StoreMountingsTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store" }

  init() throws { folder = try TemporaryFolder() }

  /// Stores a participant's session. For each board, the placement and the direction that points up
  /// are given.
  private func record(
    _ number: Int64, of participant: String?, _ ups: KeyValuePairs<String, String>
  ) throws -> Session {
    var session = SampleRecording.session
    session.id = UniqueID(high: 7, low: UInt64(number))
    session.start = session.start.advanced(bySeconds: Double(number) * 100)
    session.participant = participant.map { Participant($0) }
    var store = try Store.open(path: path)
    try store.begin(session)
    var events: [SessionEvent] = []
    for (index, (place, up)) in ups.enumerated() {
      let board = BoardIdentity(
        address: BoardAddress(value: UInt64(index + 1)), name: place, model: "", firmware: "")
      try store.add(board, [SampleRecording.acceleration], session: session.id)
      events += ["up 0 0 1", "up " + up].map { text in
        SessionEvent(.mounting, board: board.address, at: session.start, value: 1, text: text)
      }
    }
    try store.commit(chunks: [], fixes: [], clock: [], events: events)
    try store.end(session: session.id, at: session.start.advanced(bySeconds: 60))
    try store.close()
    return session
  }

  private func faults(of session: Session) throws -> [String] {
    try StoreReader(path: path).mountingFaults(of: session).map { fault in
      "\(fault.places.joined(separator: " ")): \(fault.kind.rawValue)"
    }
  }

  @Test
  func `each board is compared with the participant's last session with a board in that placement`()
    throws
  {
    let first = try record(1, of: "P07", ["left": "1 0 0", "back": "1 0 0"])
    let stranger = try record(2, of: "P08", ["left": "0 1 0"])
    _ = try record(3, of: nil, ["left": "0 1 0"])
    let second = try record(4, of: "P07", ["left": "-1 0 0"])
    let third = try record(5, of: "P07", ["left": "-1 0 0", "back": "0 1 0"])
    #expect(try faults(of: first) == [])
    #expect(try faults(of: stranger) == [])
    #expect(try faults(of: second) == ["left: upside-down"])
    // The second session has no board at the back, so the first session is used.
    #expect(try faults(of: third) == ["back: turned"])
  }
}
