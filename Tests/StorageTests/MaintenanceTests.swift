import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

@testable import Storage

/// A store as a whole: checked, repaired, compacted, copied, and sessions deleted from it.
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

  /// A recording of so many chunks of two streams each, with everything a session can have.
  private func record(_ count: Int = 4, samples: Int = 100) throws -> Store {
    var store = try Store(path: path)
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

  @Test func `a store is checked while it is recorded into`() throws {
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

  @Test func `chunks that are not as written are named, and set aside by a repair`() throws {
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

  @Test func `maintenance waits for the recorder, and makes no store`() throws {
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

  /// The pages which the tree of a table consists of, but for those that hold only the rest of a row.
  private func pages(of table: String, where condition: String = "pagetype = 'leaf'") throws
    -> [Int64]
  {
    let database = try Database.open(path: path, mode: .reading)
    var query = try database.prepare(
      "SELECT pageno FROM dbstat WHERE name = ? AND \(condition) ORDER BY path",
      doing: "read")
    try query.bind(table)
    var pages: [Int64] = []
    while try query.step() { pages.append(query.integer(0)) }
    return pages
  }

  @Test func `of a torn file everything that can be read is saved, and the torn one is kept`()
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
    #expect(salvage.strays == 0)
    #expect(salvage.damaged == 0)
    #expect(salvage.unreadable > 0)
    #expect(Int64(salvage.chunks + salvage.unreadable) == all)
    // The leaf that is torn held a few rows.
    #expect(salvage.unreadable <= 40)
    #expect(try Data(contentsOf: URL(filePath: salvage.kept)) == torn)
    let after = try #require(try StoreReader(path: path).check())
    #expect(after.isWhole)
    #expect(after.chunks == salvage.chunks)
    let reader = try StoreReader(path: path)
    #expect(try reader.fixes(of: session.id).count == 4)
    #expect(try reader.hazards(of: session.id).count == 1)
    try Store(path: path).close()
    #expect(try files == ["store", "store.damaged"])
  }

  @Test func `whatever page is torn, a repair ends with a store that is whole or says it cannot`()
    throws
  {
    try close(record(6, samples: 300))
    let whole = try Data(contentsOf: URL(filePath: path))
    let pages = Int64(whole.count / Schema.pageSize)
    let chunks = try integer("SELECT count(*) FROM chunk")
    // The text of a table may go on behind its leaf.
    let catalogue = try self.pages(of: "sqlite_schema", where: "TRUE")
    // Each takes a tenth of a second, and the pages of a chunk are alike.
    for page in stride(from: 1, through: pages, by: 3) {
      try whole.write(to: URL(filePath: path))
      try tear(page: page)
      do throws(StoreError) {
        guard let salvage = try StoreSalvage.run(path) else { continue }
        #expect(Int64(salvage.chunks) <= chunks, "page \(page)")
        #expect(salvage.chunks > 0 || salvage.unreadable + salvage.strays + salvage.damaged > 0)
        #expect(try StoreReader(path: path).check()?.isWhole == true, "page \(page)")
        try Store(path: path).close()
      } catch {
        // The first page is what makes it a database, others are where its tables are named.
        #expect([.notAStore, .damaged].contains(error.kind), "page \(page): \(error)")
        #expect(page == 1 || catalogue.contains(page), "page \(page): \(error)")
      }
    }
  }

  // MARK: Compact and delete

  private func send(_ chunk: UniqueID) throws {
    let time = UTCTime(nanoseconds: 1)
    let editor = try StoreEditor(path: path)
    let lab = try editor.addDestination(
      named: "lab", place: "folder /lab", settings: "{}", at: time)
    try editor.noteUploads([ChunkUpload(chunk, .sent, attempts: 1)], to: lab, at: time)
    try editor.noteUpload(
      ofSession: session.id, to: lab, SessionUpload(.sent, attempts: 1, revision: "1"), at: time)
  }

  @Test func `a session is deleted with all it has, and compacting gives its room back`() throws {
    try close(record(100))
    var other = session
    other.id = UniqueID(high: 5, low: 5)
    var store = try Store(path: path)
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

  @Test func `a backup is the store at one instant, also while it is recorded into`() throws {
    var store = try record(200)
    let copy = folder.path + "/copy"
    var sequence: UInt32 = 200
    // Far more is written meanwhile than there was: the copy neither has it nor begins anew for it.
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
    // It is a store like any other.
    try Store(path: copy).close()
    #expect(try files == ["copy", "store"])
  }

  @Test func `a backup that is ended early leaves no file`() throws {
    try close(record())
    #expect(try StoreBackup.make(of: path, to: folder.path + "/copy") { _, _ in false } == nil)
    #expect(try files == ["store"])
  }

  @Test func `a backup replaces no file`() throws {
    try close(record())
    try Data([1]).write(to: URL(filePath: folder.path + "/copy"))
    do throws(StoreError) {
      _ = try StoreBackup.make(of: path, to: folder.path + "/copy")
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .refused)
      #expect(
        error.description == """
          cannot back up to \(folder.path)/copy: there is a file of that name
                 give another name, or move that file away
          """)
    }
    #expect(try Data(contentsOf: URL(filePath: folder.path + "/copy")) == Data([1]))
  }

  @Test func `a backup to a place that is not there says so`() throws {
    try close(record())
    do throws(StoreError) {
      _ = try StoreBackup.make(of: path, to: folder.path + "/no/copy")
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .cannotOpen)
      #expect(error.message.contains("/no/copy"))
    }
  }
}
