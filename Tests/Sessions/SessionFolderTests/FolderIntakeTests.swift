import SessionFolder
import ChunkFormat
import Foundation
import Glibc
import LinuxSystem
import Recording
import UploadProtocol
import TestSupport
import Testing
import Values

/// The state that a receiver restores when it reopens its folder.
@Suite(.computation) struct FolderIntakeTests {
  private let folder: TemporaryFolder
  private static let session = Session(
    id: UniqueID(high: 5, low: 6), bootID: UniqueID(high: 3, low: 4),
    start: BootTime(nanoseconds: 100_000_000_000), gateway: "pi")
  private static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")
  private static let stream = StreamDescription(
    signal: "pressure", unit: "Pa", axes: ["value"], countsPerUnit: 256, rate: 10,
    lossAccounting: .estimated)

  init() throws {
    folder = try TemporaryFolder()
  }

  private static func received(
    _ sequence: UInt32, boot: UniqueID = session.bootID
  ) -> ReceivedChunk {
    let chunk = Chunk(
      id: .random(), session: session.id, bootID: boot, board: board, stream: stream,
      sequence: sequence, clock: Chunk.Clock(first: session.start, period: 1e8),
      counters: [sequence], arrivals: [session.start], columns: [[7]], gaps: [], fixes: [])
    return ReceivedChunk(bytes: chunk.encoded(), chunk: chunk)
  }

  @Test func `a chunk's position in a stream stays occupied after the receiver restarts`() throws {
    let first = Self.received(0)
    #expect(try FolderIntake(folder: folder.path).store([first]) == [.stored])
    let again = try FolderIntake(folder: folder.path)
    let other = Self.received(0)
    let ofAnotherBoot = Self.received(1, boot: UniqueID(high: 9, low: 9))
    let verdicts = try again.store([other, ofAnotherBoot, first, Self.received(1)])
    guard case .refused = verdicts[0], case .refused = verdicts[1] else {
      Issue.record("\(verdicts)")
      return
    }
    #expect(verdicts[2...] == [.held, .stored])
    #expect(try again.chunk(other.id) == nil)
  }

  @Test func `a session is listed once with its chunks, both before and after its record arrives`()
    throws
  {
    let intake = try FolderIntake(folder: folder.path)
    let chunks = (0..<3).map { Self.received($0) }
    _ = try intake.store(chunks)
    let expected = HeldSession(id: Self.session.id, chunks: 3, fixes: 0, hasRecord: false)
    #expect(try intake.sessions() == [expected])
    let again = try FolderIntake(folder: folder.path)
    #expect(try again.sessions() == [expected])
    var record = SessionRecord(session: Self.session)
    record.boards = [Self.board]
    record.streams = [
      SessionRecord.Stream(
        board: Self.board.address, description: Self.stream,
        chunks: chunks.dropLast().map {
          SessionRecord.ChunkEntry(
            id: $0.id, sequence: $0.sequence, sampleCount: $0.sampleCount, lostCount: $0.lostCount,
            first: $0.first)
        }, lastSequence: 1)
    ]
    #expect(try again.store(record) == .stored)
    var held = expected
    held.hasRecord = true
    held.summary = RecordSummary(of: record)
    #expect(try again.sessions() == [held])
    #expect(try FolderIntake(folder: folder.path).sessions() == [held])
  }

  @Test
  func `a second listing of sessions reads only records whose size or date has changed`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let record = SessionRecord(session: Self.session)
    #expect(try intake.store(record) == .stored)
    let path = "\(folder.path)/sessions/\(Self.session.id)/record.json"
    let whole = try #require(FileManager.default.contents(atPath: path))
    func write(_ content: Data, secondsLater: Double) throws {
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.write(contentsOf: content)
      try file.close()
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_800_000_000 + secondsLater)],
        ofItemAtPath: path)
    }
    try write(whole, secondsLater: 0)
    #expect(try intake.sessions().map(\.summary) == [RecordSummary(of: record)])
    // The bytes of the file change, but not its size or modification time.
    try write(Data(repeating: 0x20, count: whole.count), secondsLater: 0)
    #expect(try intake.sessions().map(\.summary) == [RecordSummary(of: record)])
    // A damaged record is listed and does not hide other records.
    try write(Data(repeating: 0x20, count: whole.count), secondsLater: 1)
    _ = try intake.store([Self.received(0)])
    let damaged = try #require(try intake.sessions().first)
    #expect(damaged.summary == nil && damaged.hasRecord && damaged.chunks == 1)
  }

  private static func record(of chunks: [ReceivedChunk]) -> SessionRecord {
    var record = SessionRecord(session: session, boards: [board])
    record.streams = [
      SessionRecord.Stream(
        board: board.address, description: stream,
        chunks: chunks.map {
          SessionRecord.ChunkEntry(
            id: $0.id, sequence: $0.sequence, sampleCount: $0.sampleCount, lostCount: $0.lostCount,
            first: $0.first)
        })
    ]
    return record
  }

  private func path(_ chunk: ReceivedChunk) -> String {
    "\(folder.path)/chunks/\(chunk.id.description.prefix(2))/\(chunk.id).chunk"
  }

  @Test func `sessions whose files are deleted disappear from the session list at once`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunks = (0..<4).map { Self.received($0) }
    let fix = Fix(
      arrival: Self.session.start, utc: UTCTime(nanoseconds: 0), latitude: 50, longitude: 14)
    let piece = TrackPiece(session: Self.session.id, first: 0, fixes: [fix])
    #expect(try intake.store(chunks) == Array(repeating: .stored, count: 4))
    #expect(try intake.store(piece) == .stored)
    #expect(try intake.store(Self.record(of: Array(chunks.dropLast()))) == .stored)
    func listed() throws -> [[Int]] {
      let sessions = try intake.sessions()
      // After a restart, the receiver must list the same sessions.
      #expect(try FolderIntake(folder: folder.path).sessions() == sessions)
      return sessions.map { [$0.chunks, $0.fixes, $0.hasRecord ? 1 : 0] }
    }
    #expect(try listed() == [[4, 1, 1]])
    let manager = FileManager.default
    try manager.removeItem(atPath: path(chunks[0]))
    #expect(try listed() == [[3, 1, 1]])
    try manager.removeItem(atPath: path(chunks[3]))
    #expect(try listed() == [[2, 1, 1]])
    let session = "\(folder.path)/sessions/\(Self.session.id)"
    try manager.removeItem(atPath: session + "/track/0.json")
    #expect(try listed() == [[2, 0, 1]])
    try manager.removeItem(atPath: session + "/record.json")
    #expect(try listed() == [[2, 0, 0]])
    try manager.removeItem(atPath: session)
    #expect(try listed() == [[2, 0, 0]])
    for name in try manager.contentsOfDirectory(atPath: folder.path + "/chunks") {
      try manager.removeItem(atPath: folder.path + "/chunks/" + name)
    }
    #expect(try listed() == [])
    // The folder does not occupy the chunk's position in the stream, and the receiver creates its
    // own subfolders again.
    let other = Self.received(0)
    #expect(try intake.store([other]) == [.stored])
    #expect(try listed() == [[1, 0, 0]])
  }

  @Test func `a session list includes chunks that another writer has stored`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunks = (0..<3).map { Self.received($0) }
    #expect(try intake.store([chunks[0]]) == [.stored])
    #expect(try intake.sessions().map(\.chunks) == [1])
    var other = try FolderWriter(folder: folder.path)
    _ = try other.store(chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) })
    #expect(try intake.sessions().map(\.chunks) == [3])
    #expect(try other.store(Self.record(of: chunks)) == .stored)
    #expect(try intake.sessions().map(\.chunks) == [3])
  }

  @Test
  func `the session list still counts the stored chunks after a record without chunks arrives`()
    throws
  {
    let chunks = (0..<2).map { Self.received($0) }
    let steps: [(FolderIntake) throws -> Void] = [
      { _ = try $0.store([chunks[0]]) }, { _ = try $0.store([chunks[1]]) },
      { _ = try $0.store(Self.record(of: [])) }, { _ = try $0.store(Self.record(of: chunks)) },
      { _ = try $0.sessions() },
    ]
    for first in steps.indices {
      for second in steps.indices {
        let order = [0, first, second, 2]
        let folder = try TemporaryFolder()
        let intake = try FolderIntake(folder: folder.path)
        for step in order { try steps[step](intake) }
        let listed = try intake.sessions()
        #expect(listed == (try FolderIntake(folder: folder.path).sessions()), "\(order)")
        #expect(listed.first?.chunks == Set(order).intersection([0, 1]).count, "\(order)")
      }
    }
  }

  @Test func `a damaged chunk is replaced only by a chunk with the same identity`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunks = (0..<2).map { Self.received($0) }
    #expect(try intake.store(chunks) == [.stored, .stored])
    #expect(try intake.store(Self.record(of: chunks)) == .stored)
    try Data(chunks[0].bytes.prefix(3)).write(to: URL(filePath: path(chunks[0])))
    let bytes = chunks[0].bytes
    var other = try Chunk(decoding: bytes.span)
    other.sequence = 1
    let elsewhere = ReceivedChunk(bytes: other.encoded(), chunk: other)
    guard case .refused = try intake.store([elsewhere])[0] else {
      Issue.record("a chunk of another place was accepted")
      return
    }
    #expect(try intake.store([chunks[0], chunks[1]]) == [.replaced, .held])
    #expect(try intake.chunk(chunks[0].id) == chunks[0].bytes)
    #expect(try intake.sessions().map(\.chunks) == [2])
  }

  @Test func `forged bytes that use the id of a damaged chunk are rejected`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunk = Self.received(0)
    #expect(try intake.store([chunk]) == [.stored])
    let bytes = chunk.bytes
    var changed = try Chunk(decoding: bytes.span)
    changed.columns[0][0] += 1
    let forged = ReceivedChunk(bytes: changed.encoded(), chunk: changed)
    changed.session = UniqueID(high: 8, low: 8)
    let elsewhere = ReceivedChunk(bytes: changed.encoded(), chunk: changed)
    for place in [20, 150, bytes.count - 40, bytes.count - 1] {
      var damaged = bytes
      damaged[place] ^= 0xff
      try Data(damaged).write(to: URL(filePath: path(chunk)))
      #expect(try intake.store([forged]) == [.otherContent], "byte \(place)")
      #expect(try intake.store([elsewhere]) == [.otherContent], "byte \(place)")
      #expect(try intake.store([chunk]) == [.replaced], "byte \(place)")
      #expect(try intake.chunk(chunk.id) == bytes)
    }
  }

  @Test func `a chunk can be sent again if its file has different content`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunk = Self.received(0)
    #expect(try intake.store([chunk]) == [.stored])
    for content in [Array("not a chunk".utf8), [], Self.received(1).bytes] {
      try Data(content).write(to: URL(filePath: path(chunk)))
      #expect(try intake.store([chunk]) == [.replaced], "\(content.count) bytes")
      #expect(try intake.chunk(chunk.id) == chunk.bytes)
    }
  }

  @Test
  func `a folder at a chunk's path affects neither other chunks nor a restart of the receiver`()
    throws
  {
    let intake = try FolderIntake(folder: folder.path)
    let chunks = (0..<3).map { Self.received($0) }
    #expect(try intake.store([chunks[0]]) == [.stored])
    try FileManager.default.createDirectory(
      atPath: path(chunks[1]), withIntermediateDirectories: true)
    let verdicts = try intake.store(chunks)
    #expect(verdicts[0] == .held && verdicts[2] == .stored)
    guard case .refused(let why) = verdicts[1] else {
      Issue.record("\(verdicts)")
      return
    }
    #expect(why.contains(path(chunks[1])) && why.contains("remove that folder"))
    #expect(try intake.sessions().count == 1)
    #expect(try FolderIntake(folder: folder.path).sessions().count == 1)
  }

  @Test func `a missing disk is reported instead of being shown as an empty list`() throws {
    let disk = folder.path + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    let intake = try FolderIntake(folder: disk)
    #expect(try intake.sessions().isEmpty)
    let chunk = Self.received(0)
    #expect(try intake.store([chunk]) == [.stored])
    try FileManager.default.moveItem(atPath: disk, toPath: disk + "-away")
    for isMountPoint in [false, true] {
      if isMountPoint {
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
      }
      let gone = StoreError(
        .cannotOpen, "cannot read \(disk): its files are missing",
        remedy: "mount the disk, or move the folder back; "
          + "if the files were deleted, start the upload server again")
      #expect(throws: gone) { try intake.sessions() }
      #expect(throws: gone) { try intake.chunk(chunk.id) }
      // Nothing is written to the path of the missing disk.
      #expect(throws: gone) { try intake.store([Self.received(1)]) }
      #expect(throws: gone) { try intake.store(Self.record(of: [])) }
    }
    try FileManager.default.removeItem(atPath: disk)
    try FileManager.default.moveItem(atPath: disk + "-away", toPath: disk)
    #expect(try intake.sessions().map(\.chunks) == [1])
  }

  @Test(arguments: ["sessions", "chunks"])
  func `a receiver whose folder lacks a subfolder reports the problem and accepts no chunks`(
    _ name: String
  ) throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunks = (0..<2).map { Self.received($0) }
    #expect(try intake.store([chunks[0]]) == [.stored])
    #expect(try intake.store(Self.record(of: chunks)) == .stored)
    let part = "\(folder.path)/\(name)"
    try FileManager.default.moveItem(atPath: part, toPath: part + "-away")
    for attempt: () throws -> Void in [
      { _ = try intake.sessions() }, { _ = try intake.chunk(chunks[0].id) },
      { _ = try intake.record(of: Self.session.id) }, { _ = try intake.store([chunks[1]]) },
      { _ = try intake.store(Self.record(of: [])) },
      { _ = try intake.store(TrackPiece(session: Self.session.id, first: 0, fixes: [])) },
    ] {
      #expect {
        try attempt()
      } throws: { error in
        (error as? StoreError)?.message == "cannot read \(part): its files are missing"
      }
    }
    #expect(!FileManager.default.fileExists(atPath: part))
    try FileManager.default.moveItem(atPath: part + "-away", toPath: part)
    #expect(try intake.sessions().map(\.chunks) == [1])
  }

  @Test func `a file at a chunk folder's path is reported`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunks = (0..<2).map { Self.received($0) }
    #expect(try intake.store([chunks[0]]) == [.stored])
    let parent = (path(chunks[0]) as NSString).deletingLastPathComponent
    try FileManager.default.moveItem(atPath: parent, toPath: parent + "-away")
    try Data().write(to: URL(filePath: parent))
    let fault = "cannot read \(path(chunks[0])): a file exists where its folder should be"
    #expect {
      try intake.chunk(chunks[0].id)
    } throws: { error in
      (error as? StoreError)?.message == fault
    }
    #expect(
      try intake.store(chunks)[0] == .refused("\(fault): move this file away"))
  }

  @Test func `a huge file at a chunk's path is not read completely`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunk = Self.received(0)
    #expect(try intake.store([chunk]) == [.stored])
    let file = try FileHandle(forUpdating: URL(filePath: path(chunk)))
    try file.truncate(atOffset: 1 << 26)
    try file.close()
    #expect {
      try intake.chunk(chunk.id)?.count
    } throws: { error in
      (error as? StoreError)?.message == "cannot read \(path(chunk)): it is too large"
    }
    guard case .refused = try intake.store([chunk])[0] else {
      Issue.record("it was replaced")
      return
    }
  }

  @Test func `a record stored by another receiver is found even before sessions are listed again`()
    throws
  {
    let intake = try FolderIntake(folder: folder.path)
    let chunks = (0..<3).map { Self.received($0) }
    #expect(try intake.store([chunks[0]]) == [.stored])
    let other = try FolderIntake(folder: folder.path)
    #expect(try other.store(Self.record(of: chunks)) == .stored)
    let foreign = Self.received(1)
    let conflict = IntakeConflict.placeTaken(
      by: chunks[1].id, chunk: foreign.id, session: Self.session.id)
    #expect(try intake.store([foreign]) == [.refused(conflict.description)])
    #expect(try intake.store(chunks) == [.held, .stored, .stored])
  }

  @Test func `a chunk listed in its session's record is rejected if it contradicts the record`()
    throws
  {
    let intake = try FolderIntake(folder: folder.path)
    let chunk = Self.received(0)
    #expect(try intake.store(Self.record(of: [chunk])) == .stored)
    let changes: [(inout Chunk) -> Void] = [
      { $0.sequence += 50 }, { $0.clock.first = $0.clock.first.advanced(bySeconds: 1) },
      { $0.session = UniqueID(high: 8, low: 8) }, { $0.stream.signal = "other" },
    ]
    for change in changes {
      let bytes = chunk.bytes
      var changed = try Chunk(decoding: bytes.span)
      change(&changed)
      let conflict = IntakeConflict.otherThanListed(chunk: chunk.id, session: Self.session.id)
      #expect(
        try intake.store([ReceivedChunk(bytes: changed.encoded(), chunk: changed)])
          == [.refused(conflict.description)])
    }
    #expect(try intake.store([chunk]) == [.stored])
  }

  @Test func `a folder at a record's path does not prevent listing`() throws {
    let intake = try FolderIntake(folder: folder.path)
    #expect(try intake.store(SessionRecord(session: Self.session)) == .stored)
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/sessions/\(UniqueID.random())/record.json",
      withIntermediateDirectories: true)
    #expect(try intake.sessions().count == 2)
    #expect(try FolderIntake(folder: folder.path).sessions().count == 2)
  }

  @Test func `neither a pipe at a record's path nor a stray file prevents listing`() throws {
    let intake = try FolderIntake(folder: folder.path)
    #expect(try intake.store(SessionRecord(session: Self.session)) == .stored)
    let strange = "\(folder.path)/sessions/\(UniqueID.random())"
    try FileManager.default.createDirectory(
      atPath: strange, withIntermediateDirectories: true)
    let made = unsafe mkfifo(strange + "/record.json", 0o600)
    try #require(made == 0)
    try Data().write(to: URL(filePath: "\(folder.path)/sessions/\(UniqueID.random())"))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/chunks", withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: folder.path + "/chunks/Thumbs.db"))
    try Data().write(to: URL(filePath: folder.path + "/chunks/ab"))
    for reader in [intake, try FolderIntake(folder: folder.path)] {
      #expect(try reader.sessions().contains { $0.id == Self.session.id })
    }
  }

  @Test func `a chunk that arrives after its record is counted once`() throws {
    let intake = try FolderIntake(folder: folder.path)
    let chunk = Self.received(0)
    var record = SessionRecord(session: Self.session)
    record.boards = [Self.board]
    record.streams = [
      SessionRecord.Stream(
        board: Self.board.address, description: Self.stream,
        chunks: [
          SessionRecord.ChunkEntry(
            id: chunk.id, sequence: 0, sampleCount: chunk.sampleCount, lostCount: 0,
            first: chunk.first)
        ])
    ]
    #expect(try intake.store(record) == .stored)
    #expect(try intake.sessions().map(\.chunks) == [0])
    #expect(try intake.store([chunk]) == [.stored])
    #expect(try intake.sessions().map(\.chunks) == [1])
    record.session.note = "late"
    #expect(try intake.store(record) == .replaced)
    #expect(try intake.sessions().map(\.chunks) == [1])
    #expect(try FolderIntake(folder: folder.path).sessions().map(\.chunks) == [1])
  }
}
