import LinuxSystem
import Recording
@testable import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct SessionStatisticsTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/walk.store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Stores a session with these statistics.
  private func record(_ statistics: SessionStatistics?) throws {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.end(
      session: SampleRecording.session.id, at: BootTime(nanoseconds: 9_000_000_000), statistics)
    try store.close()
  }

  @Test func `a session's statistics are stored and read back`() throws {
    var statistics = SessionStatistics()
    statistics.elapsed = 900.5
    statistics.distance = 1_234.5
    statistics.movingSeconds = 880
    statistics.highestSpeed = 1.9
    statistics.altitude = .init(source: .barometer, gain: 31, loss: 24.5)
    statistics.fixSeconds = 890
    statistics.steps = [
      .init(board: BoardAddress(value: 0xc8_4b_aa_97_50_05), source: .accelerometer, count: 1_602),
      .init(board: BoardAddress(value: 0xc8_4b_aa_97_50_06), source: .board, count: 1_600),
    ]
    try record(statistics)
    #expect(try StoreReader(path: path).statistics(of: SampleRecording.session.id) == statistics)
  }

  @Test func `an unknown figure is read back as unknown`() throws {
    try record(SessionStatistics())
    let kept = try StoreReader(path: path).statistics(of: SampleRecording.session.id)
    #expect(kept == SessionStatistics())
    #expect(kept?.distance == nil)
    #expect(kept?.altitude == nil)
  }

  @Test func `a session stored without statistics is read back without them`() throws {
    try record(nil)
    #expect(try StoreReader(path: path).statistics(of: SampleRecording.session.id) == nil)
  }

  @Test func `a session's statistics are deleted with the session`() throws {
    var statistics = SessionStatistics()
    statistics.steps = [.init(board: BoardAddress(value: 1), source: .board, count: 1)]
    try record(statistics)
    let maintenance = try StoreMaintenance(path: path)
    _ = try maintenance.delete(SampleRecording.session.id, at: UTCTime(nanoseconds: 0))
    #expect(try StoreReader(path: path).statistics(of: SampleRecording.session.id) == nil)
  }
}
