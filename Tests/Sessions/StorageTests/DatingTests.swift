import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// Sessions that began before any clock was set, and the sources that date them later.
@Suite(.computation) struct DatingTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private static func entry(
    _ boot: Int64, _ utc: Int64, _ source: ClockTable.Source
  ) -> ClockTable.Entry {
    ClockTable.Entry(
      boot: BootTime(nanoseconds: boot * 1_000_000_000),
      utc: UTCTime(nanoseconds: utc * 1_000_000_000), source: source)
  }

  /// Records a session with these clock entries, using a separate recorder.
  private func record(
    boot: UInt64 = 4, at start: Int64, _ entries: [ClockTable.Entry]
  ) throws -> UniqueID {
    let session = Session(
      bootID: UniqueID(high: 3, low: boot),
      start: BootTime(nanoseconds: start * 1_000_000_000))
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.commit(chunks: [], fixes: [], clock: entries)
    try store.end(session: session.id, at: session.start.advanced(bySeconds: 60))
    try store.close()
    return session.id
  }

  private func utc(_ session: UniqueID, at boot: Int64) throws -> Int64? {
    let clock = try StoreReader(path: path).clock(of: session)
    return clock.utc(at: BootTime(nanoseconds: boot * 1_000_000_000))
      .map { $0.nanoseconds / 1_000_000_000 }
  }

  @Test func `a session without a clock uses the clock of a later session of the same boot`() throws
  {
    let first = try record(at: 100, [])
    #expect(try utc(first, at: 100) == nil)
    #expect(try StoreReader(path: path).clock(of: first).sourceName == "unsynced")
    _ = try record(at: 500, [Self.entry(510, 1_780_000_510, .satellites)])
    #expect(try utc(first, at: 100) == 1_780_000_100)
    #expect(try StoreReader(path: path).clock(of: first).sourceName == "gps")
  }

  @Test
  func `a synchronised clock overrides an incorrect system clock, whose readings remain stored`()
    throws
  {
    let first = try record(at: 100, [Self.entry(100, 1_600_000_000, .system)])
    #expect(try utc(first, at: 100) == 1_600_000_000)
    #expect(try StoreReader(path: path).clock(of: first).sourceName == "system")
    _ = try record(at: 500, [Self.entry(510, 1_780_000_510, .synchronised)])
    #expect(try utc(first, at: 100) == 1_780_000_100)
    #expect(try StoreReader(path: path).clockEntries(of: first).map(\.source) == [.system])
  }

  @Test func `a session uses neither the clock of another boot nor an unset clock`() throws {
    let first = try record(at: 100, [])
    _ = try record(boot: 5, at: 50, [Self.entry(60, 1_780_000_060, .satellites)])
    _ = try record(at: 500, [Self.entry(500, 1_600_000_000, .system)])
    #expect(try utc(first, at: 100) == nil)
  }

  @Test func `a session with a trusted clock does not use the clocks of other sessions`() throws {
    let first = try record(at: 100, [Self.entry(110, 1_780_000_110, .satellites)])
    _ = try record(at: 500, [Self.entry(510, 1_780_000_517, .synchronised)])
    #expect(try utc(first, at: 100) == 1_780_000_100)
  }
}
