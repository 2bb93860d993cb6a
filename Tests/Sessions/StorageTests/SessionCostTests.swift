import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// The cost of listing sessions, in instructions of SQLite's virtual machine. The number is the
/// same on every computer. Ten times as many sessions may cost at most twelve times as much.
@Suite(.computation) struct SessionCostTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Whether the sessions belong to one boot, and whether their clocks can be trusted.
  enum Kind: String, CaseIterable {
    case ownClock
    case oneBootWithoutClock
    case oneBootDatedByOne
    case bootsWithoutClock
  }

  /// Creates a store with this many sessions, each with one chunk.
  private func store(_ count: Int, _ kind: Kind) throws -> String {
    let path = folder.path + "/\(kind)-\(count)"
    let store = try Store.open(path: path)
    let boot =
      kind == .bootsWithoutClock || kind == .ownClock
      ? "CAST(printf('b%015d', i) AS BLOB)" : "x'000102030405060708090a0b0c0d0e0f'"
    let source =
      switch kind {
      case .ownClock: "2"
      case .oneBootDatedByOne: "iif(i = 1, 2, 0)"
      case .oneBootWithoutClock, .bootsWithoutClock: "0"
      }
    let number =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    let session = "CAST(printf('s%015d', i) AS BLOB)"
    try store.database.execute(
      """
      BEGIN;
      INSERT INTO session (id, boot_id, start_ns, end_ns, ending, note, number)
        \(number) SELECT \(session), \(boot), i * 1000, i * 1000 + 500, 0, '', i FROM n;
      INSERT INTO board (session, address, name, model, firmware)
        \(number) SELECT \(session), 7, 'left', '', '' FROM n;
      INSERT INTO stream (number, session, board, signal, unit, axes, counts_per_unit, rate,
          loss_accounting, axis_names, raw_form, board_ticks)
        \(number) SELECT i, \(session), 7, 'acceleration', 'g', 3, 1, 100, 0, 'x,y,z', 0, 0 FROM n;
      INSERT INTO chunk (number, id, stream, sequence, samples, lost, first_ns, bytes)
        \(number) SELECT i, CAST(printf('c%015d', i) AS BLOB), i, 0, 10, 1, i, x'00' FROM n;
      INSERT INTO clock (session, boot_ns, utc_ns, source)
        \(number) SELECT \(session), i * 1000, 1777887000000000000, \(source) FROM n;
      COMMIT;
      """, doing: "fill")
    try store.close()
    return path
  }

  /// Returns the cost of a query in virtual machine instructions.
  private func steps(_ path: String, _ ask: (borrowing StoreReader) throws -> Void) throws -> Int {
    let reader = try StoreReader(path: path)
    let before = reader.database.work.steps
    try ask(reader)
    return reader.database.work.steps - before
  }

  @Test(arguments: Kind.allCases)
  func `the cost of listing sessions grows at most in proportion to their number`(_ kind: Kind)
    throws
  {
    var newest: [Int] = []
    var all: [Int] = []
    for count in [200, 2_000] {
      let path = try store(count, kind)
      let sessions = try StoreReader(path: path).sessions()
      try #require(sessions.count == count)
      newest.append(
        try steps(path) { reader in
          let outlines = try reader.outlines(of: Array(sessions.suffix(20)), StoreTail())
          #expect(outlines.map(\.samples) == Array(repeating: 10, count: 20))
          #expect(outlines.allSatisfy { $0.boards == 1 && $0.lost == 1 })
          let dated: ClockTable.Source =
            kind == .ownClock || kind == .oneBootDatedByOne ? .satellites : .system
          #expect(outlines.allSatisfy { $0.clock.source == dated })
        })
      all.append(
        try steps(path) { reader in
          let outlines = try reader.outlines(of: sessions, StoreTail())
          #expect(outlines.count == count)
        })
    }
    #expect(all[1] < all[0] * 12, "\(all)")
    // The clock entry that dates a boot's sessions must be looked up once per boot, not once per
    // session.
    let isOneBoot = kind == .oneBootWithoutClock || kind == .oneBootDatedByOne
    #expect(newest[1] < newest[0] * (isOneBoot ? 12 : 2), "\(newest)")
  }

  @Test(arguments: Kind.allCases)
  func `the cost of finding unsent sessions grows at most in proportion to the number of sessions`(
    _ kind: Kind
  )
    throws
  {
    var counts: [Int] = []
    var unfinished: [Int] = []
    for count in [200, 2_000] {
      let path = try store(count, kind)
      let lab = try StoreEditor(path: path).addDestination(
        named: "lab", place: "folder /lab", settings: "{}", at: UTCTime(nanoseconds: 1))
      counts.append(
        try steps(path) { reader in
          let found = try reader.uploadCounts(for: lab)
          #expect(found.waitingSessions == count)
        })
      let editor = try StoreEditor(path: path)
      try editor.database.execute(
        """
        INSERT INTO upload (chunk, destination, state, attempts, error, utc_ns)
        SELECT number, \(lab.number), 1, 1, '', 1 FROM chunk
        """, doing: "fill")
      unfinished.append(
        try steps(path) { reader in
          let found = try reader.unfinishedSessions(for: lab)
          #expect(found.count == count)
        })
    }
    #expect(counts[1] < counts[0] * 12, "\(counts)")
    #expect(unfinished[1] < unfinished[0] * 12, "\(unfinished)")
  }

  @Test func `a few sessions are found through an index, however many other sessions exist`() throws
  {
    var newest: [Int] = []
    var near: [Int] = []
    for count in [200, 2_000] {
      let path = try store(count, .ownClock)
      let all = try StoreReader(path: path).sessions()
      newest.append(
        try steps(path) { reader in
          let few = try reader.sessions(newest: 20)
          #expect(few == all.suffix(20))
        })
      near.append(
        try steps(path) { reader in
          let one = try reader.session(all[99].id)
          let five = try reader.sessions(near: all[99].id, all[101].id)
          #expect(one == all[99] && five == Array(all[98...102]))
        })
      let reader = try StoreReader(path: path)
      #expect(try reader.sessionCount() == count)
      #expect(try reader.sessions(newest: count + 1) == all)
      #expect(try reader.sessions(newest: 0) == [])
      // One id precedes all sessions, and the other is the first session's.
      #expect(
        try reader.sessions(near: UniqueID(high: 0, low: 0), all[0].id) == Array(all[0...1]))
    }
    #expect(newest[1] < newest[0] + 20, "\(newest)")
    #expect(near[1] < near[0] + 20, "\(near)")
  }

  @Test
  func `a store that lacks the session index lists the same sessions, and a writer adds the index`()
    throws
  {
    let path = try store(50, .ownClock)
    let all = try StoreReader(path: path).sessions()
    do {
      let database = try Database.open(path: path, mode: .recording)
      try database.execute("DROP INDEX session_of_number", doing: "make old")
    }
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions(newest: 3) == all.suffix(3))
    #expect(try reader.sessions(near: all[9].id, all[9].id) == Array(all[8...10]))
    #expect(try reader.check()?.structure == [])
    _ = try StoreEditor(path: path).addDestination(
      named: "lab", place: "folder /lab", settings: "{}", at: UTCTime(nanoseconds: 1))
    #expect(
      try reader.database.integer(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'session_of_number'") == 1)
  }

  @Test
  func `the cost of counting waiting chunks grows at most in proportion to all chunks`() throws {
    var counted: [Int] = []
    for count in [200, 2_000] {
      let path = try store(count, .ownClock)
      let editor = try StoreEditor(path: path)
      let lab = try editor.addDestination(
        named: "lab", place: "folder /lab", settings: "{}", at: UTCTime(nanoseconds: 1))
      let reader = try StoreReader(path: path)
      #expect(
        try reader.waitingAmount(for: lab)
          == UploadCounts.Amount(count: count, bytes: UInt64(count)))
      // All but three chunks are sent or rejected. One of the three has failed.
      try editor.database.execute(
        """
        INSERT INTO upload (chunk, destination, state, attempts, error, utc_ns)
        SELECT number, \(lab.number), iif(number = 9, 0, 1 + number % 2), 1, '', 1 FROM chunk
        WHERE number NOT IN (7, 8)
        """, doing: "fill")
      let waiting = UploadCounts.Amount(count: 3, bytes: 3)
      #expect(try reader.uploadCounts(for: lab).waitingChunks == waiting)
      let all = try reader.sessions()
      #expect(
        try reader.waitingAmount(for: lab, sessions: [all[7].id, all[30].id])
          == UploadCounts.Amount(count: 1, bytes: 1))
      counted.append(
        try steps(path) { reader in
          let amount = try reader.waitingAmount(for: lab)
          #expect(amount == waiting)
        })
    }
    #expect(counted[1] < counted[0] * 11, "\(counted)")
  }

  @Test
  func `a check of a store whose chunks are all damaged counts them and lists the first ones`()
    throws
  {
    var checked: [Int] = []
    for count in [200, 2_000] {
      let path = try store(count, .ownClock)
      checked.append(
        try steps(path) { reader in
          let check = try #require(try reader.check())
          #expect(check.chunks == count && check.damaged == count)
          #expect(!check.isWhole)
          #expect(check.findings.count == min(count, StoreCheck.listed))
        })
      let repaired = try #require(try StoreMaintenance(path: path).setDamageAside())
      #expect(repaired.damaged == count)
      let after = try #require(try StoreReader(path: path).check())
      #expect(after.isWhole && after.chunks == 0 && after.setAside == count)
    }
    #expect(checked[1] < checked[0] * 12, "\(checked)")
  }
}
