import Foundation
import Glibc
import LinuxSystem
@testable import Positioning
import Recording
import Simulation
import TestSupport
import Testing
import Values

/// Positions from log files, and fixed positions.
@Suite(.realTime) struct OtherSourceTests {
  static func at(_ seconds: Double) -> BootTime { ReceiverWatchTests.at(seconds) }

  static func fix(second: Double) -> PositionReport {
    .fix(
      Fix(
        arrival: at(0), utc: UTCTime(nanoseconds: Int64(second * 1e9)), latitude: 0,
        longitude: 0))
  }

  @Test func `fixes from a file arrive at the same intervals as in the recording`() {
    var pace = ReplayPace(isHurried: false)
    let steps = [100.0, 101, 101.2, 103]
    let due = steps.map { pace.due(Self.fix(second: $0), at: Self.at(50)) }
    #expect(due.map { $0.seconds(since: Self.at(50)) } == [0, 1, 1.2, 3])
  }

  @Test func `a pause or a backward step in a receiver log is replayed as one second`() {
    var pace = ReplayPace(isHurried: false)
    let steps = [100.0, 5_000, 10]
    let due = steps.map { pace.due(Self.fix(second: $0), at: Self.at(0)) }
    #expect(due.map { $0.seconds(since: Self.at(0)) } == [0, 1, 2])
  }

  @Test func `an epoch without a fix is also replayed as one second`() {
    var pace = ReplayPace(isHurried: false)
    let reports = [
      Self.fix(second: 100), .noFix(arrival: Self.at(0)), .noFix(arrival: Self.at(0)),
      Self.fix(second: 103),
    ]
    let due = reports.map { pace.due($0, at: Self.at(0)).seconds(since: Self.at(0)) }
    #expect(due == [0, 1, 2, 3])
  }

  @Test func `a named pipe is rejected at once, without waiting for a writer`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/pipe"
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let feed = FileFeed(PositionSource.Replay(path: path))
    var status = ReceiverStatus()
    feed.describe(&status)
    let state = feed.state
    #expect(state == .ended && status.problem?.reason == "it is not a file")
  }

  @Test func `a file is replayed to its end, with the times that it contains`() throws {
    let folder = try TemporaryFolder()
    var receiver = SimulatedReceiver()
    var bytes: [UInt8] = Array("# a log\r\n".utf8)
    let start = UTCTime(year: 2021, month: 2, day: 3, nanosecondOfDay: 0)
    for second in 0..<300 {
      bytes += receiver.burst(
        at: UTCTime(nanoseconds: start.nanoseconds + Int64(second) * 1_000_000_000))
    }
    let path = folder.path + "/walk.nmea"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let log = try EventLog()
    let before = BootClock.now()
    let thread = try ReceiverThread(
      .file(PositionSource.Replay(path: path, isHurried: true)), reports: nil, recorder: nil,
      listener: log.listener)
    #expect(log.waits(for: .ended))
    thread.stop()
    #expect(log.fixes.count == 300)
    #expect(log.fixes.first?.utc == start)
    #expect(log.fixes.allSatisfy { $0.arrival >= before })
    #expect(thread.status.goodSentences == 1_200)
    #expect(thread.status.problem == nil)
  }

  @Test func `a missing file ends the source at once and is reported as the reason`() throws {
    let log = try EventLog()
    let thread = try ReceiverThread(
      .file(PositionSource.Replay(path: "/nothing/here")), reports: nil, recorder: nil,
      listener: log.listener)
    #expect(log.waits { $0.states == [.ended] })
    #expect(log.problems.last?.message == "cannot open /nothing/here: No such file or directory")
    thread.stop()
  }

  @Test
  func `a fixed position is reported repeatedly, as a manual position with its altitude`() throws {
    let log = try EventLog()
    let place = PositionSource.FixedPosition(latitude: 53.168, longitude: 9.94, altitudeMSL: 62)
    let thread = try ReceiverThread(
      FixedFeed(place, interval: 0.01, at: BootClock.now()), reports: nil, recorder: nil,
      listener: log.listener)
    #expect(log.waits { $0.fixes.count >= 3 })
    thread.stop()
    #expect(log.states == [.fixed])
    #expect(log.fixes.allSatisfy { $0.quality == .manual && $0.altitudeMSL == 62 })
    let arrivals = log.fixes.map(\.arrival)
    #expect(arrivals == arrivals.sorted())
  }
}
