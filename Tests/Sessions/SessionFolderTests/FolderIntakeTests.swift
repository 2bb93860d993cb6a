import SessionFolder
import ChunkFormat
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

/// The knowledge that a receiver regains when it opens a folder again.
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

  @Test func `a place in a stream stays taken when the receiver starts again`() throws {
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

  @Test func `a session without a record is listed with its chunks, and with it once`() throws {
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
    #expect(try again.sessions() == [held])
    #expect(try FolderIntake(folder: folder.path).sessions() == [held])
  }
}
