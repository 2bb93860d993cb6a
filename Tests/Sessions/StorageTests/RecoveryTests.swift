import ChunkFormat
import Foundation
import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// The next recorder recovers an interrupted recording.
@Suite(.computation) struct RecoveryTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let session = SampleRecording.session

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records three chunks and does not end the session, as in a crash.
  private func recordAndBreakOff() throws {
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.addBoard(SampleRecording.board, session: session.id)
    try store.addStream(
      SampleRecording.acceleration, board: SampleRecording.board.address, session: session.id)
    try store.commit(
      chunks: (0..<3).map { SampleRecording.chunk(UInt32($0)) }, fixes: SampleRecording.fixes,
      clock: SampleRecording.clock)
    try store.close()
  }

  /// The arrival time of the last sample in the recording.
  private static let last = SampleRecording.chunk(2).arrivals[99]

  /// Opens the store of an interrupted recording before the next recorder ends its session.
  private func brokenOff() throws -> Store {
    try recordAndBreakOff()
    var store = try Store(forChanging: path)
    store.resume(session.id, fixCount: SampleRecording.fixes.count)
    return store
  }

  private func abandon(_ tail: consuming Tail) {}

  /// Overwrites two bytes of a stored chunk.
  private func spoil(sequence: Int) throws {
    let database = try Database.open(path: path, mode: .recording)
    try database.execute(
      """
      UPDATE chunk SET bytes = CAST(substr(bytes, 1, 200) || x'00ff' || substr(bytes, 203) AS BLOB)
      WHERE sequence = \(sequence)
      """, doing: "spoil")
  }

  /// Returns the session that a recorder may continue. The recorder starts this many seconds after
  /// the last sample, or `uptime` seconds after a restart if `isOtherBoot` is true.
  private func interrupted(
    _ seconds: Double, isOtherBoot: Bool = false, uptime: Double = 20, utc: Double = 60
  ) throws -> InterruptedSession? {
    let reader = try StoreReader(path: path)
    let boot = isOtherBoot ? UniqueID(high: 9, low: 9) : session.bootID
    let now =
      isOtherBoot
      ? BootTime(nanoseconds: Int64(uptime * 1e9)) : Self.last.advanced(bySeconds: seconds)
    // The recording's clock entry gives the date of its start.
    let start = SampleRecording.clock[0].utc.nanoseconds
    return try reader.interruptedSession(
      boot: boot, at: (now, UTCTime(nanoseconds: start + Int64(utc * 1e9))))
  }

  @Test func `only a session that was interrupted less than ten minutes ago may be continued`()
    throws
  {
    try recordAndBreakOff()
    let found = try #require(try interrupted(599))
    #expect(found.isOfThisBoot && found.session.id == session.id && found.fixCount == 2)
    #expect(found.streams.map(\.sequence) == [3])
    #expect(found.streams.first?.newest?.counters.last == 299)
    #expect(try interrupted(601) == nil)
    let other = try #require(try interrupted(0, isOtherBoot: true))
    #expect(!other.isOfThisBoot && other.streams.isEmpty)
    // Either the computer has been on for a long time, or its clock shows that it was off for a
    // long time.
    #expect(try interrupted(0, isOtherBoot: true, uptime: 700) == nil)
    #expect(try interrupted(0, isOtherBoot: true, utc: 700) == nil)
  }

  @Test func `a session whose boards were already being stopped is not continued`() throws {
    var store = try brokenOff()
    try store.commit(
      chunks: [], fixes: [], clock: [], events: [SessionEvent(.stopping, at: Self.last)])
    try store.close()
    #expect(try interrupted(1) == nil)
  }

  @Test func `a session with a damaged chunk is not continued`() throws {
    try recordAndBreakOff()
    try spoil(sequence: 1)
    var found: InterruptedSession?
    let now = (boot: Self.last.advanced(bySeconds: 1), utc: UTCTime(nanoseconds: 0))
    let store = try Store.open(path: path) { store throws(StoreError) in
      found = try store.interruptedSession(boot: session.bootID, at: now)
      return found?.session.id
    }
    #expect(found == nil)
    try store.close()
    #expect(try StoreReader(path: path).sessions().map(\.ending) == [.recovered])
  }

  @Test func `a store that was closed cleanly is not checked when opened`() throws {
    try Store.open(path: path).close()
    let store = try Store.open(path: path)
    let recovery = store.recovery
    #expect(recovery == nil)
    try store.close()
  }

  @Test func `damage is counted even if opening the store also recovers a tail`() throws {
    try recordAndBreakOff()
    try spoil(sequence: 1)
    var tail = Tail(store: path)
    let fix = Fix(
      arrival: Self.last.advanced(bySeconds: 1), utc: UTCTime(nanoseconds: 0), latitude: 47,
      longitude: 8, error: Fix.ErrorEstimate(horizontal: 15, basis: .dilution))
    try tail.append([.fix(fix)], beginsGroup: true)
    abandon(tail)
    let store = try Store.open(path: path)
    #expect(store.recovery == Store.Recovery(damagedChunks: 1, damagedSamples: 100))
    #expect(store.tailRecovery == TailRecovery(fixes: 1, damagedChunks: 1))
    #expect(store.leftovers == store.tailRecovery)
    try store.close()
    #expect(TailFiles.existing(store: path).isEmpty)
  }

  @Test
  func `samples of a board that was disconnected when the recorder was killed are counted as lost`()
    throws
  {
    var store = try brokenOff()
    let lost = SessionEvent(
      .linkLost, board: SampleRecording.board.address, at: Self.last.advanced(bySeconds: 1.5))
    let later = SessionEvent(.battery, at: Self.last.advanced(bySeconds: 18))
    try store.commit(chunks: [], fixes: [], clock: [], events: [lost, later])
    let ended = try store.recoverSessions()
    #expect(ended == [session.id])
    let reader = try StoreReader(path: path)
    let stream = try #require(try reader.streams(of: session.id).first)
    let chunks = try reader.chunks(of: stream)
    try #require(chunks.count == 4)
    #expect(chunks[3].sampleCount == 0)
    let bytes = try reader.bytes(ofChunk: chunks[3].id)
    let gaps = try Chunk(decoding: bytes.span)
    #expect(gaps.gaps.map(\.reason) == [.disconnected])
    #expect(gaps.gaps.map(\.lost) == [1_800])
    #expect(try reader.sessions().first?.end == later.time)
    // A second recovery finds nothing to recover.
    #expect(try store.recoverSessions().isEmpty)
    try store.close()
  }

  @Test
  func `a session's last time is its last sample's arrival, even if the board's clock is fast`()
    throws
  {
    var store = try brokenOff()
    var fast = SampleRecording.chunk(3)
    let first = fast.arrivals[0]
    fast.arrivals = fast.arrivals.map {
      first.advanced(bySeconds: 0.997 * $0.seconds(since: first))
    }
    try store.commit(chunks: [fast], fixes: [], clock: [])
    #expect(try store.database.lastTime(of: session.id) == fast.arrivals[99])
    try store.close()
    // The times of an unreadable chunk are computed from its row and the requested rate.
    try spoil(sequence: 3)
    let reader = try StoreReader(path: path)
    #expect(try reader.lastTime(of: session.id) == SampleRecording.chunk(3).arrivals[99])
  }

  @Test(arguments: [(18.0, 1_800), (1.4, 0)])
  func `a board's silence just before a kill is counted as a loss, but a short delay is not`(
    seconds: Double, count: UInt64
  ) throws {
    var store = try brokenOff()
    // The recorder kept running but had not yet detected the silence.
    let later = SessionEvent(.battery, at: Self.last.advanced(bySeconds: seconds))
    try store.commit(chunks: [], fixes: [], clock: [], events: [later])
    _ = try store.recoverSessions()
    let reader = try StoreReader(path: path)
    let stream = try #require(try reader.streams(of: session.id).first)
    let chunks = try reader.chunks(of: stream)
    // A short delay on a link is not treated as a loss.
    try #require(chunks.count == (count == 0 ? 3 : 4))
    if count > 0 {
      let bytes = try reader.bytes(ofChunk: chunks[3].id)
      let gaps = try Chunk(decoding: bytes.span).gaps
      #expect(gaps.map(\.reason) == [.link])
      #expect(gaps.map(\.lost) == [count] && gaps.allSatisfy(\.isEstimate))
    }
    try store.close()
  }

  @Test(arguments: [SessionEvent.Kind.edited, .hazard, .damaged, .dropped])
  func `notes that other programs add later do not extend an interrupted session`(
    _ kind: SessionEvent.Kind
  ) throws {
    var store = try brokenOff()
    let before = try store.database.lastTime(of: session.id)
    // The note is added ten minutes later, while another program is still recovering the tail.
    try store.commit(
      chunks: [], fixes: [], clock: [],
      events: [SessionEvent(kind, at: Self.last.advanced(bySeconds: 600), text: "Slope")])
    _ = try store.recoverSessions()
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().first?.end == before)
    let stream = try #require(try reader.streams(of: session.id).first)
    #expect(try reader.chunks(of: stream).count == 3)
    try store.close()
  }

  @Test(arguments: [false, true])
  func `a store without tables is treated as missing, and the next recorder creates it`(
    hasPage: Bool
  ) throws {
    if hasPage {
      // A database without tables, as created by SQLite itself.
      let database = try Database.open(path: path, mode: .recording)
      try database.execute("PRAGMA page_size = 512; PRAGMA journal_mode = WAL", doing: "begin")
    } else {
      try Data().write(to: URL(filePath: path))
    }
    #expect(!StoreReader.exists(at: path))
    try recordAndBreakOff()
    #expect(StoreReader.exists(at: path))
    #expect(try StoreReader(path: path).sessions().count == 1)
  }

  @Test
  func `a file that is not a store is not treated as missing, and a recorder rejects it`() throws {
    try Data("a text, and no store".utf8).write(to: URL(filePath: path))
    #expect(StoreReader.exists(at: path))
    #expect(throws: StoreError.self) { try Store.open(path: self.path).close() }
  }

  @Test func `boards that were stopped before the interruption have no losses`() throws {
    var store = try brokenOff()
    // Two samples were in transit when the stop was requested, and the disk was slow afterwards.
    let stop = SessionEvent(
      .stopping, at: Self.last.advanced(bySeconds: -0.02), text: "the disk is full")
    let later = SessionEvent(.battery, at: Self.last.advanced(bySeconds: 18))
    try store.commit(chunks: [], fixes: [], clock: [], events: [stop, later])
    _ = try store.recoverSessions()
    let reader = try StoreReader(path: path)
    let stream = try #require(try reader.streams(of: session.id).first)
    #expect(try reader.chunks(of: stream).count == 3)
    try store.close()
  }

  @Test
  func `a disconnected board's samples are counted as lost only until the boards are stopped`()
    throws
  {
    var store = try brokenOff()
    let lost = SessionEvent(
      .linkLost, board: SampleRecording.board.address, at: Self.last.advanced(bySeconds: 1.5))
    let stop = SessionEvent(.stopping, at: Self.last.advanced(bySeconds: 5))
    let later = SessionEvent(.battery, at: Self.last.advanced(bySeconds: 18))
    try store.commit(chunks: [], fixes: [], clock: [], events: [lost, stop, later])
    _ = try store.recoverSessions()
    let reader = try StoreReader(path: path)
    let stream = try #require(try reader.streams(of: session.id).first)
    let chunks = try reader.chunks(of: stream)
    try #require(chunks.count == 4)
    let bytes = try reader.bytes(ofChunk: chunks[3].id)
    #expect(try Chunk(decoding: bytes.span).gaps.map(\.lost) == [500])
    try store.close()
  }

  @Test func `an interrupted session does not end before its last sample`() throws {
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.add(SampleRecording.board, [SampleRecording.acceleration], session: session.id)
    var chunk = SampleRecording.chunk(0)
    // Eight seconds are missing in the middle.
    for index in 50..<100 {
      chunk.counters[index] += 800
      chunk.arrivals[index] = chunk.arrivals[index].advanced(bySeconds: 8)
    }
    try store.commit(chunks: [chunk], fixes: [], clock: [])
    try store.recoverSessions()
    #expect(try StoreReader(path: path).sessions().first?.end == chunk.arrivals[99])
    try store.close()
  }

  @Test func `an interrupted session ends with its last stored data`() throws {
    try recordAndBreakOff()
    var store = try Store.open(path: path)
    #expect(store.recovery == Store.Recovery())
    // For other programs, an open session belongs to the recorder.
    #expect(try store.openSessions().isEmpty)
    var next = session
    next.id = UniqueID(high: 7, low: 7)
    try store.begin(next)
    let reader = try StoreReader(path: path)
    let ended = try #require(try reader.sessions().first)
    #expect(ended.id == session.id)
    #expect(ended.ending == .recovered)
    // The third chunk starts two seconds after the start of the session, and contains 100 samples
    // at 100 Hz.
    #expect(ended.end == session.start.advanced(bySeconds: 2.99))
    #expect(try reader.events(of: session.id).map(\.kind) == [.recovered])
    // To every reader, the session that is being recorded is still open.
    #expect(try store.openSessions() == [next])
    try store.close()
  }

  @Test
  func `damage found while opening a store is reported even if no tail is recovered`() throws {
    try recordAndBreakOff()
    try spoil(sequence: 1)
    let store = try Store.open(path: path)
    #expect(store.leftovers == TailRecovery(damagedChunks: 1))
    try store.close()
  }

  @Test func `opening a store quarantines a damaged chunk and adds an event`() throws {
    try recordAndBreakOff()
    try spoil(sequence: 1)
    let store = try Store.open(path: path)
    #expect(store.recovery == Store.Recovery(damagedChunks: 1, damagedSamples: 100))
    try store.close()
    let reader = try StoreReader(path: path)
    let stream = try #require(try reader.streams(of: session.id).first)
    #expect(try reader.chunks(of: stream).map(\.sequence) == [0, 2])
    #expect(try reader.damage(of: session.id) == (1, 100))
    let event = try #require(try reader.events(of: session.id).first)
    #expect(event.kind == .damaged)
    #expect(event.value == 100)
    #expect(event.text.hasPrefix("chunk 1 of acceleration: "))
    let database = try Database.open(path: path, mode: .reading)
    #expect(try database.integer("SELECT length(bytes) > 200 FROM damaged") == 1)
  }

  @Test func `a torn file is rejected and left unchanged, and the error suggests a remedy`() throws
  {
    try recordAndBreakOff()
    var bytes = try Data(contentsOf: URL(filePath: path))
    // A page header that is invalid for every page type overwrites the root page of a table in the
    // middle of the file.
    let database = try Database.open(path: path, mode: .reading)
    let page = try database.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'chunk'")
    let start = Int(page - 1) * Schema.pageSize
    bytes.replaceSubrange(start..<start + 16, with: repeatElement(0xff, count: 16))
    try bytes.write(to: URL(filePath: path))
    do throws(StoreError) {
      _ = try Store.open(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .damaged)
      #expect(
        error.remedy == "set damaged parts aside with: footbridge store repair --store \(path)")
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }

  @Test(.realTime)
  func `a leftover lock file makes the next recorder check the store`()
    async throws
  {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let store = try Store.open(path: path)
      kill(getpid(), SIGKILL)
      try store.close()
    }
    #expect(!StoreReader.isBeingRecordedInto(path))
    let store = try Store.open(path: path)
    #expect(store.recovery == Store.Recovery())
    #expect(StoreReader.isBeingRecordedInto(path))
    try store.close()
    #expect(!StoreReader.isBeingRecordedInto(path))
  }
}
