import LinuxSystem
import Recording
@testable import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct BoardRegisterTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let left = StoredBoard(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", placement: "left wrist",
    model: "MetaMotion S", firmware: "1.7.2", added: UTCTime(nanoseconds: 1_000),
    lastSeen: UTCTime(nanoseconds: 2_000))
  private static let right = StoredBoard(
    address: BoardAddress(value: 0xf1c0_0000_0001), name: "Right", model: "MetaMotion RL",
    firmware: "1.5.0", added: UTCTime(nanoseconds: 3_000))

  @Test func `boards are stored in a new store and listed by name`() throws {
    let register = try BoardRegister(path: path)
    try register.remember(Self.right)
    try register.remember(Self.left)
    #expect(try register.boards() == [Self.left, Self.right])
    let reader = try StoreReader(path: path)
    #expect(try reader.boards() == [Self.left, Self.right])
  }

  @Test func `a board that is registered again keeps its original registration date`() throws {
    let register = try BoardRegister(path: path)
    try register.remember(Self.left)
    var again = Self.left
    again.added = UTCTime(nanoseconds: 9_000)
    again.firmware = "1.7.3"
    again.lastSeen = UTCTime(nanoseconds: 9_000)
    try register.remember(again)
    again.added = Self.left.added
    #expect(try register.boards() == [again])
  }

  @Test func `names are unique among boards, ignoring case`() throws {
    let register = try BoardRegister(path: path)
    try register.remember(Self.left)
    try register.remember(Self.right)
    var twin = Self.right
    twin.name = "LEFT"
    let refusal = StoreError(
      .refused,
      "cannot call board F1:C0:00:00:00:01 'LEFT': board C8:4B:AA:97:50:05 has that name",
      remedy: "choose another name, or rename the other board with 'footbridge boards set'")
    #expect(throws: refusal) { try register.remember(twin) }
    #expect(throws: refusal) {
      try register.change(twin.address, name: "LEFT", placement: "ankle")
    }
    #expect(try register.boards() == [Self.left, Self.right])
  }

  @Test func `a board's name and placement can be changed together or separately`() throws {
    let register = try BoardRegister(path: path)
    try register.remember(Self.left)
    let address = Self.left.address
    #expect(try register.change(address, name: nil, placement: "ankle")?.placement == "ankle")
    let renamed = try register.change(address, name: "Left", placement: nil)
    #expect(renamed?.name == "Left")
    #expect(renamed?.placement == "ankle")
    #expect(try register.change(Self.right.address, name: "x", placement: nil) == nil)
  }

  @Test func `the latest connection of a registered board is recorded`() throws {
    let register = try BoardRegister(path: path)
    try register.remember(Self.left)
    for board in [Self.left, Self.right] {
      try register.noteSeen(
        BoardIdentity(
          address: board.address, name: "MetaWear", model: "MetaMotion S", firmware: "1.8.0"),
        at: UTCTime(nanoseconds: 5_000))
    }
    var seen = Self.left
    seen.firmware = "1.8.0"
    seen.lastSeen = UTCTime(nanoseconds: 5_000)
    #expect(try register.boards() == [seen])
  }

  @Test func `a removed board disappears, and removing it again reports it as missing`() throws {
    let register = try BoardRegister(path: path)
    try register.remember(Self.left)
    #expect(try register.forget(Self.left.address))
    #expect(try register.boards() == [])
    #expect(try !register.forget(Self.left.address))
  }

  @Test func `boards can be changed while a recorder has the store open`() throws {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.addBoard(SampleRecording.board, session: SampleRecording.session.id)
    try store.addStream(
      SampleRecording.acceleration, board: SampleRecording.board.address,
      session: SampleRecording.session.id)
    let register = try BoardRegister(path: path)
    try register.remember(Self.left)
    try store.commit(chunks: [SampleRecording.chunk(0)], fixes: [], clock: [])
    #expect(try register.boards() == [Self.left])
    try store.close()
    let reader = try StoreReader(path: path)
    #expect(try reader.boards() == [Self.left])
    #expect(try reader.streams(of: SampleRecording.session.id).map(\.chunkCount) == [1])
  }
}
