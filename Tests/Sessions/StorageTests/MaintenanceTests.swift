import ChunkFormat
import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// Checking, repairing, compacting and backing up a store, and deleting its sessions.
@Suite(.computation) struct MaintenanceTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let session = SampleRecording.session
  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records this many chunks for each of two streams, with every kind of session data.
  private func record(_ count: Int = 4, samples: Int = 100) throws -> Store {
    var store = try Store.open(path: path)
    try store.begin(
      session, hazards: [Hazard(name: "Slope", intensity: 1, time: session.start)])
    try store.addBoard(SampleRecording.board, session: session.id)
    for stream in [SampleRecording.acceleration, SampleRecording.temperature] {
      try store.addStream(stream, board: SampleRecording.board.address, session: session.id)
      try store.commit(
        chunks: (0..<count).map { SampleRecording.chunk(UInt32($0), of: stream, count: samples) },
        fixes: SampleRecording.fixes, clock: SampleRecording.clock,
        events: [SessionEvent(.battery, at: session.start, value: 99)])
    }
    return store
  }

  private func close(_ store: consuming Store) throws {
    try store.end(session: session.id, at: session.start.advanced(bySeconds: 9))
    try store.close()
  }

  private func spoil(_ sequences: String, of signal: String) throws {
    let database = try Database.open(path: path, mode: .recording)
    try database.execute(
      """
      UPDATE chunk SET bytes = CAST(substr(bytes, 1, 200) || x'00ff' || substr(bytes, 203) AS BLOB)
      WHERE sequence IN (\(sequences))
        AND stream = (SELECT number FROM stream WHERE signal = '\(signal)')
      """, doing: "spoil")
  }

  private func integer(_ sql: String, in path: String? = nil) throws -> Int64 {
    try Database.open(path: path ?? self.path, mode: .reading).integer(sql)
  }

  // MARK: Check and repair

  @Test
  func `a store can be checked while a recorder uses it, and the check can be cancelled`() throws {
    let store = try record()
    var steps: [Int] = []
    let check = try StoreReader(path: path).check { done, total in
      #expect(total == 8)
      steps.append(done)
      return true
    }
    #expect(check == StoreCheck(sessions: 1, chunks: 8))
    #expect(check?.isWhole == true)
    #expect(steps == Array(0...8))
    #expect(try StoreReader(path: path).check { done, _ in done < 3 } == nil)
    try close(store)
  }

  @Test func `damaged chunks are listed, and quarantined by a repair`() throws {
    try close(record())
    try spoil("1, 3", of: "temperature")
    let check = try #require(try StoreReader(path: path).check())
    #expect(!check.isWhole)
    #expect(check.findings.map(\.sequence) == [1, 3])
    #expect(check.findings.allSatisfy { $0.signal == "temperature" && $0.samples == 100 })
    #expect(check.findings.allSatisfy { $0.board == SampleRecording.board.address })
    #expect(try integer("SELECT count(*) FROM chunk") == 8)

    let repaired = try StoreMaintenance(path: path).setDamageAside()
    #expect(repaired == check)
    let after = try #require(try StoreReader(path: path).check())
    #expect(after.isWhole)
    #expect(after.chunks == 6)
    #expect(after.setAside == 2)
    #expect(try StoreReader(path: path).damage(of: session.id) == (2, 200))
    #expect(try integer("SELECT count(*) FROM event WHERE kind = 'damaged'") == 2)
  }

  @Test(arguments: [false, true])
  func `a damaged chunk that a destination has received is not counted as lost`(
    isTorn: Bool
  ) throws {
    try close(record())
    let stream = try StoreReader(path: path).streams(of: session.id)[1]
    let sent = try StoreReader(path: path).chunks(of: stream)[1]
    try send(sent.id)
    try spoil("1, 3", of: "temperature")
    if isTorn {
      let salvage = try #require(try StoreSalvage.run(path))
      #expect(salvage.damaged == 2 && salvage.lostSamples == 105)
    } else {
      #expect(try StoreMaintenance(path: path).setDamageAside()?.damaged == 2)
    }

    let after = try StoreReader(path: path)
    #expect(try after.damage(of: session.id).chunks == 2)
    let losses = try after.losses()
    #expect(losses == (1, 0))
    let outline = try #require(try after.outlines(of: after.sessions(), StoreTail()).first)
    // Each chunk records 5 lost samples. One of the two damaged chunks has a copy, which lacks the
    // same 5 samples.
    #expect(outline.lostChunks == 1 && outline.lost == 7 * 5 + 105)
    #expect(try after.samplesLostWithChunks(of: stream) == 110)
    // Both chunks are missing from an export.
    #expect(try after.goneSamples(of: stream, in: 0...3) == 210)
    #expect(try after.goneChunks(of: session.id).map(\.places) == [[1...1, 3...3]])
    // The record lists the chunk that the destination has, so the destination's copy of the session
    // is complete.
    let record = try #require(try after.record(of: session.id)?.streams.last)
    #expect(record.chunks.map(\.sequence) == [0, 1, 2] && record.gone.map(\.sequence) == [3])
    #expect(record.chunks[1].id == sent.id)
  }

  private static let swap = """
    CREATE TEMP TABLE former AS SELECT number, bytes FROM chunk;
    UPDATE chunk SET bytes = (SELECT bytes FROM former
      WHERE former.number = CASE chunk.number WHEN %1 THEN %2 ELSE %1 END)
    WHERE number IN (%1, %2)
    """

  private static func swapBytes(_ first: Int, _ second: Int) -> String {
    swap.replacing("%1", with: "\(first)").replacing("%2", with: "\(second)")
  }

  private func change(_ statement: String) throws {
    try Database.open(path: path, mode: .recording).execute(statement, doing: "spoil")
  }

  @Test(arguments: [false, true])
  func `a repair restores chunks whose rows describe other chunks`(isAfterCut: Bool) throws {
    let changes = [
      ("UPDATE chunk SET sequence = 9 WHERE number = 2", 1),
      ("UPDATE chunk SET sequence = -120 WHERE number IN (1, 5)", 2),
      ("UPDATE chunk SET samples = 7, lost = 0 WHERE number = 4", 1),
      ("UPDATE chunk SET lost = lost + 4096 WHERE number = 6", 1),
      ("UPDATE chunk SET first_ns = first_ns - 1 WHERE number = 7", 1),
      ("UPDATE chunk SET stream = 2, sequence = 9 WHERE number = 1", 1),
      ("UPDATE chunk SET id = zeroblob(16) WHERE number = 3", 1),
      (Self.swapBytes(2, 3), 2), (Self.swapBytes(1, 5), 2),
    ]
    let store = try record()
    if isAfterCut { try store.close() } else { try close(store) }
    let before = try StoreReader(path: path).record(of: session.id)?.streams
    // A session is only checked at the first start after a power cut.
    for (statement, count) in changes.prefix(isAfterCut ? 1 : changes.count) {
      try change(statement)
      if isAfterCut {
        let store = try Store.open(path: path)
        #expect(store.recovery == Store.Recovery(), "\(statement)")
        try store.close()
      } else {
        let check = try #require(try StoreMaintenance(path: path).setDamageAside())
        #expect(check.damaged == count && check.restored == count, "\(statement)")
        #expect(check.findings.allSatisfy(\.isRestored) && check.structure.isEmpty)
      }
      let reader = try StoreReader(path: path)
      #expect(try reader.check()?.isWhole == true, "\(statement)")
      // The record has not changed, so no chunk is missing at a receiver that has them all.
      #expect(try reader.record(of: session.id)?.streams == before, "\(statement)")
      #expect(try reader.goneChunks(of: session.id).isEmpty, "\(statement)")
    }
  }

  @Test(arguments: [
    "UPDATE chunk SET id = zeroblob(16) WHERE number = 2",
    "UPDATE chunk SET sequence = 9, samples = 3 WHERE number = 1", MaintenanceTests.swapIDs(2, 3),
    MaintenanceTests.swapIDs(1, 6),
  ])
  func `a repair that restores rows keeps each chunk's upload record`(_ change: String)
    throws
  {
    try close(record())
    let stream = try StoreReader(path: path).streams(of: session.id)[0]
    let chunks = try StoreReader(path: path).chunks(of: stream)
    try send(chunks[0].id, chunks[1].id)
    try self.change(change)
    let check = try #require(try StoreMaintenance(path: path).setDamageAside())
    #expect(check.damaged > 0 && check.restored == check.damaged)
    let lab = try #require(try StoreReader(path: path).destination(named: "lab"))
    let reader = try StoreReader(path: path)
    let waiting = Set(try reader.waitingChunks(for: lab, limit: 9).map(\.id))
    #expect(waiting.count == 6 && waiting.isDisjoint(with: chunks.prefix(2).map(\.id)))
    // A destination has the chunk, so its samples are not lost even if the bytes in the row are
    // damaged.
    try spoil("1", of: "acceleration")
    #expect(try StoreMaintenance(path: path).setDamageAside()?.damaged == 1)
    let losses = try StoreReader(path: path).losses()
    #expect(losses == (0, 0))
  }

  /// Returns SQL that swaps the ids of two chunks.
  private static func swapIDs(_ one: Int, _ other: Int) -> String {
    """
    CREATE TEMP TABLE ids AS SELECT number, id FROM chunk WHERE number IN (\(one), \(other));
    UPDATE chunk SET id = randomblob(16) WHERE number = \(one);
    UPDATE chunk SET id = (SELECT id FROM ids WHERE number = \(one)) WHERE number = \(other);
    UPDATE chunk SET id = (SELECT id FROM ids WHERE number = \(other)) WHERE number = \(one);
    DROP TABLE ids
    """
  }

  @Test(arguments: [MaintenanceTests.swapBytes(2, 3), MaintenanceTests.swapBytes(1, 6)])
  func `chunks are sent again if their rows do not show which chunk was sent`(_ change: String)
    throws
  {
    try close(record())
    let stream = try StoreReader(path: path).streams(of: session.id)[0]
    let chunks = try StoreReader(path: path).chunks(of: stream)
    try send(chunks[0].id, chunks[1].id)
    try self.change(change)
    let check = try #require(try StoreMaintenance(path: path).setDamageAside())
    #expect(check.damaged == 2 && check.restored == 2)
    let lab = try #require(try StoreReader(path: path).destination(named: "lab"))
    let waiting = try StoreReader(path: path).waitingChunks(for: lab, limit: 9)
    #expect(waiting.count == 7)
  }

  @Test func `a damaged chunk is counted as lost if its row has the id of a restored chunk`() throws
  {
    try close(record())
    let stream = try StoreReader(path: path).streams(of: session.id)[0]
    let chunks = try StoreReader(path: path).chunks(of: stream)
    try send(chunks[0].id)
    try change(Self.swapIDs(1, 2))
    try change("UPDATE chunk SET bytes = zeroblob(length(bytes)) WHERE number = 2")
    let check = try #require(try StoreMaintenance(path: path).setDamageAside())
    #expect(check.damaged == 2 && check.restored == 1)
    let reader = try StoreReader(path: path)
    #expect(try reader.chunks(of: stream).first?.id == chunks[0].id)
    #expect(try reader.losses().chunks == 1)
    #expect(try integer("SELECT count(*) FROM damaged WHERE id IN (SELECT id FROM chunk)") == 0)
    #expect(try reader.check()?.isWhole == true)
  }

  @Test(arguments: [
    "UPDATE stream SET signal = 'acceleratioo' WHERE number = 1",
    """
    UPDATE chunk SET sequence = 9 WHERE number = 3;
    UPDATE chunk SET stream = 1, sequence = 7 WHERE number = 8;
    UPDATE stream SET signal = '' WHERE number = 1
    """,
    """
    INSERT INTO board (session, address, name, model, firmware)
      SELECT session, address + 1, name, model, firmware FROM board;
    UPDATE stream SET board = board + 1
    """,
  ])
  func `a repair restores a stream whose row names another stream`(_ change: String) throws {
    try close(record())
    let streams = try StoreReader(path: path).streams(of: session.id)
    let chunks = try StoreReader(path: path).chunks(of: streams[0])
    try send(chunks[0].id)
    try self.change(change)
    let check = try #require(try StoreReader(path: path).check())
    #expect(check.damaged >= 4 && check.structure.isEmpty)
    let repaired = try #require(try StoreMaintenance(path: path).setDamageAside())
    #expect(repaired.restored == check.damaged && repaired.structure.isEmpty)
    let reader = try StoreReader(path: path)
    #expect(try reader.check()?.isWhole == true)
    #expect(try reader.streams(of: session.id) == streams)
    #expect(try reader.chunks(of: streams[0]) == chunks)
    #expect(try integer("SELECT chunk FROM upload WHERE state = 1") == 1)
    #expect(try integer("SELECT count(*) FROM session_upload WHERE revision = ''") == 1)
  }

  @Test(arguments: [true, false])
  func `a sent chunk whose bytes were replaced by another chunk's is not counted as lost`(
    isCopy: Bool
  ) throws {
    try close(record())
    let stream = try StoreReader(path: path).streams(of: session.id)[0]
    let chunks = try StoreReader(path: path).chunks(of: stream)
    try send(chunks[1].id, chunks[2].id)
    try change(
      "UPDATE chunk SET bytes = (SELECT bytes FROM chunk WHERE number = 2) WHERE number = 3")
    // The row from which the bytes were copied is either intact or also damaged.
    if !isCopy { try spoil("1", of: "acceleration") }
    let check = try #require(try StoreMaintenance(path: path).setDamageAside())
    #expect(check.restored == 0)
    let reader = try StoreReader(path: path)
    #expect(try reader.chunks(of: stream).map(\.id) == [0, 1, 3].map { chunks[$0].id })
    let losses = try reader.losses()
    #expect(losses == (0, 0))
    // If only the copy is intact, the chunk is sent again, because the copy's row does not show
    // whether it was sent.
    #expect(try integer("SELECT count(*) FROM upload") == (isCopy ? 1 : 0))
    let listed = try #require(try reader.record(of: session.id)?.streams.first)
    #expect(listed.chunks.map(\.id) == chunks.map(\.id) && listed.gone.isEmpty)
  }

  @Test func `a chunk whose bytes were replaced by another chunk's is set aside`() throws {
    try close(record())
    let copy = "UPDATE chunk SET bytes = (SELECT bytes FROM chunk WHERE number = 2)"
    try change("\(copy) WHERE number = 3")
    let check = try #require(try StoreMaintenance(path: path).setDamageAside())
    #expect(check.damaged == 1 && check.restored == 0)
    // Now the row of chunk 4 contains the bytes of chunk 2, and the bytes in chunk 2's own row are
    // damaged.
    try change("\(copy) WHERE number = 4")
    try spoil("1", of: "acceleration")
    let second = try #require(try StoreMaintenance(path: path).setDamageAside())
    #expect(second.damaged == 2 && second.restored == 0)
    let reader = try StoreReader(path: path)
    #expect(try reader.check()?.isWhole == true)
    let stream = try reader.streams(of: session.id)[0]
    #expect(try reader.chunks(of: stream).map(\.sequence) == [0, 1])
    #expect(try reader.goneChunks(of: session.id).map(\.places) == [[2...3]])
    #expect(try reader.samplesLostWithChunks(of: stream) == 210)
  }

  @Test func `maintenance of a missing store or during a recording is rejected`() throws {
    do throws(StoreError) {
      _ = try StoreMaintenance(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.message == "cannot open \(path): there is no such file")
    }
    #expect(try files == [])
    let store = try record()
    do throws(StoreError) {
      _ = try StoreMaintenance(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .locked)
      #expect(
        error.message == "cannot change \(path): process \(getpid()) is recording into it")
    }
    try close(store)
  }

  // MARK: A torn file

  /// Overwrites the header of a page.
  private func tear(page: Int64) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: UInt64(page - 1) * UInt64(Schema.pageSize))
    try file.write(contentsOf: Data(repeating: 0xff, count: 16))
    try file.close()
  }

  /// Returns the pages of a table's tree, except for overflow pages.
  private func pages(of table: String, where condition: String = "pagetype = 'leaf'") throws
    -> [Int64]
  {
    try Database.open(path: path, mode: .reading).rows(
      "SELECT pageno FROM dbstat WHERE name = ? AND \(condition) ORDER BY path", [table]
    ) { row in row.integer(0) }
  }

  @Test func `all readable data in a torn file are recovered, and the torn file is kept`()
    throws
  {
    try close(record(60, samples: 300))
    let all = try integer("SELECT count(*) FROM chunk")
    let leaves = try pages(of: "chunk")
    try #require(leaves.count > 2)
    try tear(page: leaves[leaves.count / 2])
    let torn = try Data(contentsOf: URL(filePath: path))
    let check = try #require(try StoreReader(path: path).check())
    #expect(!check.structure.isEmpty)
    do throws(StoreError) {
      _ = try StoreMaintenance(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .damaged)
    }

    let salvage = try #require(try StoreSalvage.run(path))
    #expect(salvage.kept == path + ".damaged")
    #expect(salvage.sessions == 1)
    #expect(salvage.damaged == 0 && salvage.unreadable == 0)
    // The torn leaf page contained a few rows. Their chunks describe themselves.
    #expect(salvage.found > 0 && salvage.found <= 40)
    #expect(Int64(salvage.chunks) == all)
    #expect(try Data(contentsOf: URL(filePath: salvage.kept)) == torn)
    let after = try #require(try StoreReader(path: path).check())
    #expect(after.isWhole)
    #expect(after.chunks == salvage.chunks)
    let reader = try StoreReader(path: path)
    #expect(try reader.fixes(of: session.id).count == 4)
    #expect(try reader.hazards(of: session.id).count == 1)
    try Store.open(path: path).close()
    #expect(try files == ["store", "store.damaged"])
  }

  @Test func `a repair of a torn file sends a chunk again if its row described another chunk`()
    throws
  {
    try close(record())
    let stream = try StoreReader(path: path).streams(of: session.id)[0]
    let chunks = try StoreReader(path: path).chunks(of: stream)
    try send(chunks[0].id, chunks[1].id, chunks[3].id)
    try change(Self.swapBytes(2, 3))
    try change("UPDATE chunk SET id = zeroblob(16) WHERE number = 4")
    let salvage = try #require(try StoreSalvage.run(path))
    #expect(salvage.chunks == 8 && salvage.lostSamples == 0)
    let reader = try StoreReader(path: path)
    #expect(try reader.chunks(of: stream) == chunks)
    let lab = try #require(try reader.destination(named: "lab"))
    let waiting = Set(try reader.waitingChunks(for: lab, limit: 9).map(\.id))
    #expect(waiting.count == 6 && waiting.isDisjoint(with: [chunks[0].id, chunks[3].id]))
  }

  @Test func `a repair loses at most one chunk, whichever page is torn`() throws {
    try close(record(6, samples: 300))
    let whole = try Data(contentsOf: URL(filePath: path))
    let pages = Int64(whole.count / Schema.pageSize)
    let chunks = try integer("SELECT count(*) FROM chunk")
    // Testing a page takes a tenth of a second, and all pages of a chunk are equivalent.
    for page in stride(from: 1, through: pages, by: 3) {
      try whole.write(to: URL(filePath: path))
      try tear(page: page)
      let salvage = try #require(try StoreSalvage.run(path), "page \(page)")
      #expect(Int64(salvage.chunks) >= chunks - 1, "page \(page)")
      #expect(try StoreReader(path: path).check()?.isWhole == true, "page \(page)")
      try Store.open(path: path).close()
    }
  }

  // MARK: Compact and delete

  private func send(_ chunks: UniqueID...) throws {
    let time = UTCTime(nanoseconds: 1)
    let editor = try StoreEditor(path: path)
    let lab = try editor.addDestination(
      named: "lab", place: "folder /lab", settings: "{}", at: time)
    try editor.noteUploads(chunks.map { ChunkUpload($0, .sent, attempts: 1) }, to: lab, at: time)
    try editor.noteUpload(
      ofSession: session.id, to: lab, SessionUpload(.sent, attempts: 1, revision: "1"), at: time)
  }

  @Test func `a session is deleted with all its data, and compaction frees its space`() throws {
    try close(record(100))
    var other = session
    other.id = UniqueID(high: 5, low: 5)
    var store = try Store.open(path: path)
    try store.begin(other)
    try store.end(session: other.id, at: other.start)
    try store.close()
    try spoil("0", of: "temperature")
    let maintenance = try StoreMaintenance(path: path)
    _ = try maintenance.setDamageAside()
    let chunk = try StoreReader(path: path).streams(of: session.id)[0]
    let first = try StoreReader(path: path).chunks(of: chunk)[0].id
    try send(first)
    let deleted = try maintenance.delete(session.id, at: UTCTime(nanoseconds: 2))
    #expect(deleted.chunks == 199)
    #expect(deleted.samples == 19_900)
    #expect(deleted.unsent == 198)
    let others = ["session", "setting", "known_board", "destination"]
    for table in Schema.tables where !others.contains(table) {
      #expect(try integer("SELECT count(*) FROM \(table)") == 0, "\(table)")
    }
    #expect(try StoreReader(path: path).sessions().map(\.id) == [other.id])
    let (before, after) = try maintenance.compact()
    #expect(after < before)
    do throws(StoreError) {
      _ = try maintenance.delete(session.id, at: UTCTime(nanoseconds: 3))
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .unknown)
    }
    _ = consume maintenance
    #expect(try files == ["store"])
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64 == after)
  }

  // MARK: Backup

  @Test func `a backup is a snapshot of the store at one instant, even during a recording`()
    throws
  {
    var store = try record(200)
    let copy = folder.path + "/copy"
    var sequence: UInt32 = 200
    // More data are written during the copy than existed before. The backup does not contain them,
    // and the copy does not start over.
    let bytes = try StoreBackup.make(of: path, to: copy) { done, total in
      #expect(done <= total)
      do {
        try store.commit(
          chunks: (0..<50).map { SampleRecording.chunk(sequence + $0) }, fixes: [], clock: [])
        sequence += 50
      } catch {
        Issue.record(error)
      }
      return sequence < 10_000
    }
    #expect(try FileManager.default.attributesOfItem(atPath: copy)[.size] as? UInt64 == bytes)
    #expect(sequence > 200)
    let check = try #require(try StoreReader(path: copy).check())
    #expect(check == StoreCheck(sessions: 1, chunks: 400))
    try close(store)
    // The copy can be used like any other store.
    try Store.open(path: copy).close()
    #expect(try files == ["copy", "store"])
  }

  @Test func `a cancelled backup leaves no file`() throws {
    try close(record())
    #expect(try StoreBackup.make(of: path, to: folder.path + "/copy") { _, _ in false } == nil)
    #expect(try files == ["store"])
  }

  @Test func `a second backup to the same file is rejected, and the first is not disturbed`() throws
  {
    try close(record())
    let copy = folder.path + "/copy"
    var isFirst = true
    let bytes = try StoreBackup.make(of: path, to: copy) { [path] _, _ in
      guard isFirst else { return true }
      isFirst = false
      do throws(StoreError) {
        _ = try StoreBackup.make(of: path, to: copy)
        Issue.record("accepted")
      } catch {
        #expect(error.kind == .locked)
        #expect(
          error.message == "cannot back up to \(copy): process \(getpid()) is backing up to it")
      }
      return true
    }
    #expect(bytes ?? 0 > 0 && !isFirst)
    #expect(try StoreReader(path: copy).sessions().count == 1)
    #expect(try files == ["copy", "store"])
  }

  @Test func `a backup replaces a file only on request, and never the store itself`() throws {
    try close(record())
    let copy = folder.path + "/copy"
    try Data([1]).write(to: URL(filePath: copy))
    func refusal(_ destination: String, replacing: Bool = false) -> String? {
      do throws(StoreError) {
        _ = try StoreBackup.make(of: path, to: destination, replacing: replacing)
        return nil
      } catch {
        return error.kind == .refused ? error.words : "\(error.kind)"
      }
    }
    #expect(
      refusal(copy) == """
        cannot write \(copy): the file already exists
               give another name, or add --force to replace it
        """)
    #expect(try Data(contentsOf: URL(filePath: copy)) == Data([1]))
    #expect(
      refusal(folder.path) == """
        cannot write \(folder.path): it is a folder
               give the path of a file in it, as in \(folder.path)/backup.sqlite
        """)
    #expect(
      refusal("/dev/null", replacing: true) == """
        cannot back up to /dev/null: a backup cannot be written to a pipe or a device
               give the path of a file
        """)
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "store")
    for name in [path, link] {
      #expect(
        refusal(name, replacing: true) == """
          cannot back up to \(name): it is the store itself
                 give another name, preferably on another disk
          """)
    }
    #expect(try StoreBackup.make(of: path, to: copy, replacing: true) != nil)
    #expect(try StoreReader(path: copy).check() == StoreCheck(sessions: 1, chunks: 8))
    #expect(try files == ["copy", "link", "store"])
  }

  @Test func `a backup during a recording includes the records in the tail`() throws {
    var store = try record()
    let open = SampleRecording.chunk(4, count: 60)
    var outline = open
    outline.counters = []
    outline.arrivals = []
    outline.columns = outline.columns.map { _ in [] }
    outline.gaps = []
    var tail = Tail(store: path)
    let piece = try #require(open.piece(from: ChunkPosition()))
    var fix = SampleRecording.fixes[1]
    fix.arrival = BootTime(nanoseconds: 9_000_000_000)
    try tail.append(
      [.stream(0, outline), .samples(0, piece), .fix(fix)], beginsGroup: true)
    let copy = folder.path + "/copy"
    _ = try #require(try StoreBackup.make(of: path, to: copy))
    let reader = try StoreReader(path: copy)
    let streams = try reader.streams(of: session.id)
    #expect(streams.map(\.sampleCount) == [460, 400])
    #expect(try reader.fixes(of: session.id).last == fix)
    let last = try #require(try reader.chunks(of: streams[0]).last)
    let bytes = try reader.bytes(ofChunk: last.id)
    #expect(try Chunk(decoding: bytes.span).columns == open.columns)
    // The recorder continues with its own chunk, which has a different id.
    try store.commit(chunks: [open], fixes: [], clock: [])
    #expect(open.id != last.id)
    let current = tail.segment
    current?.remove()
    try close(store)
    #expect(try files == ["copy", "store"])
  }

  @Test func `the error for a backup to a missing folder names the path`() throws {
    try close(record())
    do throws(StoreError) {
      _ = try StoreBackup.make(of: path, to: folder.path + "/no/copy")
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .cannotOpen)
      #expect(error.message.contains("/no/copy"))
    }
  }

  // MARK: Impossible values in rows and indexes

  @Test(arguments: [Int64.max, .min, -1, 1 << 40])
  func `an impossible sample count in a row is limited, and a repair restores the row`(
    samples: Int64
  ) throws {
    try close(try record())
    do {
      let database = try Database.open(path: path, mode: .recording)
      try database.execute("UPDATE chunk SET samples = \(samples)", doing: "spoil")
    }
    let reader = try StoreReader(path: path)
    let outlines = try reader.outlines(of: try reader.sessions(), StoreTail())
    #expect(outlines.allSatisfy { (0...8 << 20).contains($0.samples) })
    for stream in try reader.streams(of: session.id) {
      #expect((0...4 << 20).contains(stream.sampleCount))
      for chunk in try reader.chunks(of: stream) {
        #expect((0...1 << 20).contains(chunk.sampleCount))
      }
    }
    // All chunks are damaged because their rows describe other chunks. Only chunks whose bytes are
    // also damaged are set aside.
    try spoil("1, 3", of: "temperature")
    let check = try StoreMaintenance(path: path, checksIndexes: true).setDamageAside()
    #expect(check?.findings.count == 8 && check?.restored == 6)
    let (chunks, lost) = try StoreReader(path: path).damage(of: session.id)
    #expect(chunks == 2 && (0...2 << 20).contains(lost))
  }

  @Test func `a fix's position error is omitted if it is infinite`() throws {
    try close(try record())
    do {
      let database = try Database.open(path: path, mode: .recording)
      try database.execute(
        "UPDATE fix SET error_horizontal = -9e999, error_vertical = 9e999, error_basis = 1",
        doing: "spoil")
    }
    let fixes = try StoreReader(path: path).fixes(of: session.id, from: 0, limit: 10)
    #expect(!fixes.isEmpty && fixes.allSatisfy { $0.error == nil })
  }

  @Test func `a check detects an index with missing rows, and a repair rebuilds it`() throws {
    try close(try record())
    // SQLite is unaware of the index while the row is being changed.
    let index = "name = 'session_of_boot'"
    var root: Int64 = 0
    do {
      let database = try Database.open(path: path, mode: .recording)
      root = try database.integer("SELECT rootpage FROM sqlite_schema WHERE \(index)")
      try database.execute(
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE \(index)", doing: "spoil")
    }
    do {
      let database = try Database.open(path: path, mode: .recording)
      try database.execute(
        """
        UPDATE session SET boot_id = zeroblob(16);
        PRAGMA writable_schema = ON;
        INSERT INTO sqlite_schema VALUES ('index', 'session_of_boot', 'session', \(root),
          'CREATE INDEX session_of_boot ON session (boot_id)');
        """, doing: "spoil")
    }
    #expect(try StoreReader(path: path).check()?.structure.isEmpty == false)
    #expect(throws: StoreError.self) {
      _ = try StoreMaintenance(path: path, checksIndexes: true).setDamageAside()
    }
    _ = try StoreSalvage.run(path)
    let check = try #require(try StoreReader(path: path).check())
    #expect(check.isWhole && check.chunks == 8, "\(check)")
  }
}
