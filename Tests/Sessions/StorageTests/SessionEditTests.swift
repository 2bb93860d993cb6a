import ChunkFormat
import LinuxSystem
import Recording
@testable import Storage
import TestSupport
import Testing
import Values

/// Corrections to a session's description, which other writers must not undo.
@Suite(.computation) struct SessionEditTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let session = SampleRecording.session
  private let left = SampleRecording.board
  private let right = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa98_5108), name: "right", model: "MetaMotion RL",
    firmware: "1.5.0")
  private let time = BootTime(nanoseconds: 9_000_000_000)
  private let now = UTCTime(nanoseconds: 1_777_887_000_000_000_000)

  init() throws {
    folder = try TemporaryFolder()
    let register = try BoardRegister(path: path)
    for (board, placement) in [(left, "left wrist"), (right, "right ankle")] {
      try register.remember(
        StoredBoard(
          address: board.address, name: board.name, placement: placement, model: board.model,
          firmware: board.firmware, added: now))
    }
  }

  /// Creates a recorder with two boards, and records a chunk from the left board.
  private func record() throws -> Store {
    var store = try Store.open(path: path)
    var session = session
    session.wearer = "Anna"
    try store.begin(session)
    for board in [left, right] {
      try store.add(board, [SampleRecording.acceleration], session: session.id)
    }
    try store.commit(
      chunks: [SampleRecording.chunk(0)], fixes: [], clock: SampleRecording.clock)
    return store
  }

  private func end(_ store: consuming Store) throws {
    try store.end(session: session.id, at: session.start.advanced(bySeconds: 60))
    try store.close()
  }

  @discardableResult
  private func edit(_ edits: SessionEdit..., in path: String? = nil) throws -> [SessionEvent] {
    try StoreEditor(path: path ?? self.path).edit(session.id, edits, at: time, utc: now)
  }

  private func names(in path: String? = nil) throws -> [String] {
    try StoreReader(path: path ?? self.path).boards(of: session.id).map(\.name)
  }

  private func placements(in path: String? = nil) throws -> [BoardAddress: String] {
    try StoreReader(path: path ?? self.path).placements(of: session.id)
  }

  private func expectSwapped(
    in path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try names(in: path) == ["right", "left"], sourceLocation: sourceLocation)
    #expect(
      try placements(in: path) == [left.address: "right ankle", right.address: "left wrist"],
      sourceLocation: sourceLocation)
  }

  // MARK: Edited fields

  @Test func `a session's participant can be stored, changed and removed`() throws {
    let first = Participant("P07", height: 1.78, side: .left, details: ["cane": "yes"])
    func stored() throws -> Participant? {
      try StoreReader(path: path).sessions().first?.participant
    }
    var store = try Store.open(path: path)
    var session = session
    session.participant = first
    try store.begin(session)
    try store.close()
    #expect(try stored() == first)
    let second = Participant("P08")
    #expect(
      try edit(.participant(second)).map(\.text) == ["participant changed from 'P07' to 'P08'"])
    #expect(try stored() == second)
    #expect(try edit(.participant(second)).isEmpty)
    #expect(try edit(.participant(nil)).map(\.text) == ["participant changed from 'P08' to ''"])
    #expect(try stored() == nil)
  }

  @Test
  func `the wearer and the note can be edited during a recording, and events keep the old values`()
    throws
  {
    var store = try record()
    let events = try edit(.wearer("P07"), .note(""))
    #expect(
      events.map(\.text) == [
        "wearer changed from 'Anna' to 'P07'", "note changed from '\(session.note)' to ''",
      ])
    #expect(
      events.allSatisfy {
        $0.kind == .edited && $0.board == nil && $0.time == time && $0.utc == now && $0.value == nil
      })
    // The recorder continues and ends its session.
    try store.commit(chunks: [SampleRecording.chunk(1)], fixes: [], clock: [])
    try end(store)
    let reader = try StoreReader(path: path)
    let stored = try #require(try reader.sessions().first)
    #expect(stored.wearer == "P07" && stored.note == "" && stored.ending == .closed)
    #expect(try reader.events(of: session.id) == events)
  }

  @Test func `swapped boards exchange their names and placements, and keep their addresses`()
    throws
  {
    try end(try record())
    let events = try edit(.swap(left.address, right.address))
    #expect(events.map(\.board) == [left, right, left, right].map(\.address))
    #expect(
      events.map(\.text) == [
        "name changed from 'left' to 'right'", "name changed from 'right' to 'left'",
        "placement changed from 'left wrist' to 'right ankle'",
        "placement changed from 'right ankle' to 'left wrist'",
      ])
    try expectSwapped()
    let reader = try StoreReader(path: path)
    #expect(try reader.streams(of: session.id).map(\.board.name) == ["right", "left"])
    #expect(
      try reader.boards(of: session.id).map(\.model) == ["MetaMotion S", "MetaMotion RL"])
    // The chunk is not changed, and neither are the registered boards, which later sessions use.
    let chunk = try reader.chunks(of: reader.streams(of: session.id)[0])[0].id
    let bytes = try reader.bytes(ofChunk: chunk)
    #expect(try Chunk(decoding: bytes.span).board == left)
    #expect(try reader.boards().map(\.name) == ["left", "right"])
    // A second swap restores everything, except that events are added.
    try edit(.swap(right.address, left.address))
    #expect(try names() == ["left", "right"])
    #expect(try reader.events(of: session.id).count == 8)
  }

  @Test func `an edit that changes nothing adds no event`() throws {
    try end(try record())
    let reader = try StoreReader(path: path)
    let before = try reader.record(of: session.id)
    #expect(
      try edit(
        .wearer("Anna"), .note(session.note), .name(of: left.address, "left"),
        .placement(of: right.address, "right ankle")) == [])
    #expect(try edit() == [])
    #expect(try reader.record(of: session.id) == before)
    // Only edits that change something add an event.
    #expect(try edit(.wearer("Anna"), .placement(of: left.address, "")).count == 1)
    #expect(try placements() == [right.address: "right ankle"])
  }

  @Test func `an edit of a missing session or board is rejected as a whole`() throws {
    try end(try record())
    let stranger = BoardAddress(value: 7)
    for edits in [
      [SessionEdit.wearer("P07"), .name(of: stranger, "x")],
      [.wearer("P07"), .swap(left.address, stranger)],
    ] {
      do throws(StoreError) {
        try StoreEditor(path: path).edit(session.id, edits, at: time, utc: now)
        Issue.record("accepted")
      } catch {
        #expect(error.kind == .unknown)
        #expect(
          error.message == "there is no board \(stranger) in session \(session.id) in \(path)")
      }
    }
    let other = UniqueID(high: 6, low: 6)
    do throws(StoreError) {
      try StoreEditor(path: path).edit(other, [.wearer("P07")], at: time, utc: now)
      Issue.record("accepted")
    } catch {
      #expect(error.message == "there is no session \(other) in \(path)")
    }
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().map(\.wearer) == ["Anna"])
    #expect(try reader.events(of: session.id) == [])
  }

  // MARK: Other writers, which must not undo an edit

  @Test func `a recorder that registers its boards again does not undo the edits`() throws {
    let store = try record()
    try edit(.swap(left.address, right.address))
    var newer = left
    newer.firmware = "1.7.3"
    try store.add(newer, [SampleRecording.acceleration], session: session.id)
    try end(store)
    try expectSwapped()
    #expect(
      try StoreReader(path: path).boards(of: session.id).map(\.firmware) == ["1.7.3", "1.5.0"])
  }

  @Test func `recovering the tail of a killed recorder does not undo the edits`() throws {
    let store = try record()
    var tail = Tail(store: path)
    var outline = SampleRecording.chunk(1, count: 0)
    outline.gaps = []
    let open = SampleRecording.chunk(1)
    let piece = try #require(open.piece(from: ChunkPosition()))
    try tail.append([.stream(0, outline), .samples(0, piece)], beginsGroup: true)
    try edit(.swap(left.address, right.address), .wearer("P07"))
    abandon(store, tail)
    let again = try Store.open(path: path)
    #expect(again.tailRecovery?.chunks == 1)
    try again.recoverSessions()
    try again.close()
    try expectSwapped()
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().first?.wearer == "P07")
    #expect(try reader.events(of: session.id).map(\.kind).count { $0 == .edited } == 5)
  }

  /// Ends a recorder as a crash would: the recorder commits nothing more, and its lock is released.
  private func abandon(_ store: consuming Store, _ tail: consuming Tail) {}

  @Test func `a repair does not undo the edits`() throws {
    try end(try record())
    try edit(.swap(left.address, right.address), .wearer("P07"))
    let before = try StoreReader(path: path).record(of: session.id)
    let salvage = try #require(try StoreSalvage.run(path))
    #expect(salvage.chunks == 1)
    try expectSwapped()
    #expect(try StoreReader(path: path).record(of: session.id) == before)
    #expect(try StoreMaintenance(path: path).setDamageAside()?.isWhole == true)
    try expectSwapped()
  }

  @Test
  func `a receiver stores the edited record, and late or repeated chunks do not undo the edits`()
    throws
  {
    var store = try record()
    try store.commit(chunks: [SampleRecording.chunk(1)], fixes: [], clock: [])
    try end(store)
    let reader = try StoreReader(path: path)
    let stream = try reader.streams(of: session.id)[0]
    let chunks = try reader.chunks(of: stream).map { row in
      let bytes = try reader.bytes(ofChunk: row.id)
      return ReceivedChunk(bytes: bytes, chunk: try Chunk(decoding: bytes.span))
    }
    let received = folder.path + "/received"
    let intake = try StoreIntake(path: received)
    #expect(try intake.store([chunks[0]]) == [.stored])
    #expect(try intake.store(#require(try reader.record(of: session.id))) == .stored)
    #expect(try names(in: received) == ["left", "right"])
    try edit(.swap(left.address, right.address), .note("over the bridge"))
    let edited = try #require(try reader.record(of: session.id))
    #expect(try intake.store(edited) == .replaced)
    #expect(try intake.store(chunks) == [.held, .stored])
    try expectSwapped(in: received)
    #expect(try intake.record(of: session.id) == edited)
    #expect(try StoreReader(path: received).isReceived(session.id))
    #expect(try !reader.isReceived(session.id))
    try intake.close()
  }

  @Test
  func `an edited session becomes due again at every destination that has received it`() throws {
    try end(try record())
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let chunk = try reader.chunks(of: reader.streams(of: session.id)[0])[0].id
    let destinations = try ["lab", "usb"].map {
      try editor.addDestination(named: $0, place: "folder /\($0)", settings: "{}", at: now)
    }
    for destination in destinations {
      try editor.noteUploads(
        [ChunkUpload(chunk, .sent, attempts: 1, error: "")], to: destination, at: now)
      let due = try #require(try reader.unfinishedSessions(for: destination).first)
      try editor.noteUpload(
        ofSession: due.id, to: destination,
        SessionUpload(.sent, attempts: 1, content: [1], revision: due.revision), at: now)
      #expect(try reader.unfinishedSessions(for: destination) == [])
    }
    try edit(.wearer("Anna"))
    for destination in destinations {
      #expect(try reader.unfinishedSessions(for: destination) == [])
    }
    try edit(.placement(of: left.address, "hip"))
    for destination in destinations {
      #expect(try reader.unfinishedSessions(for: destination).map(\.id) == [session.id])
    }
  }
}
