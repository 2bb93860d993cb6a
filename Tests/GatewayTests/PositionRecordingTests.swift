@testable import Gateway
import LinuxSystem
import Recording
import RingBuffer
import Storage
import TestSupport
import Testing
import Values

/// The track and UTC time of a session, which the recorder stores from a receiver's reports.
@Suite(.realTime) struct PositionRecordingTests {
  private let folder: TemporaryFolder
  private let identity = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "", firmware: "")

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records a receiver's reports, one per second, with this clock error in seconds. The boards
  /// stop after `stop` seconds. If `stop` is `nil`, boards and receiver end together.
  private func record(
    _ hasFix: [Bool], off: Double = 0, stop: Double? = nil
  ) async throws -> (session: UniqueID, remarks: [ClockTable.Disagreement]) {
    let readings = Ring<Reading>.make(capacity: 1 << 4)
    let positions = Ring<PositionReport>.make(capacity: 1 << 6)
    let remarks = Guarded<[ClockTable.Disagreement]>([])
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in }, onClock: { found in remarks.withLock { $0.append(found) } })
    let now = BootClock.pair()
    let session = Session(bootID: try BootClock.bootID(), start: now.boot)
    _ = try await recorder.open(.store(folder.path + "/store"), for: session)
    await recorder.addBoard(
      0, identity,
      [
        StreamDescription(
          signal: "acceleration", unit: "g", countsPerUnit: 1, rate: 100,
          lossAccounting: .counted)
      ])
    if let stop { recorder.noteStop(at: now.boot.advanced(bySeconds: stop)) }
    var producer = positions.producer
    for (second, hasFix) in hasFix.enumerated() {
      let arrival = now.boot.advanced(bySeconds: Double(second))
      let utc = UTCTime(
        nanoseconds: now.utc.nanoseconds + Int64((Double(second) + off) * 1e9))
      let fix = Fix(
        arrival: arrival, utc: utc, latitude: 50, longitude: 14,
        error: Fix.ErrorEstimate(horizontal: 4, basis: .dilution))
      let isPushed = producer.push(hasFix ? .fix(fix) : .noFix(arrival: arrival))
      #expect(isPushed)
    }
    _ = await recorder.finish()
    return (session.id, remarks.withLock { $0 })
  }

  @Test
  func `the first fix after an outage is marked, and fixes are stored with their error`()
    async throws
  {
    let (session, remarks) = try await record([true, true, true, false, true, true])
    let fixes = try StoreReader(path: folder.path + "/store").fixes(of: session)
    #expect(fixes.map(\.followsLoss) == [false, false, false, true, false])
    #expect(fixes.allSatisfy { $0.error?.horizontal == 4 })
    #expect(remarks.isEmpty)
    let clock = try StoreReader(path: folder.path + "/store").clock(of: session)
    // The clock of this machine may or may not be synchronised.
    #expect(clock.source == .satellites || clock.source == .synchronised)
  }

  @Test
  func `positions after the boards stop are not stored, and none is later than the session's end`()
    async throws
  {
    for (stop, count) in [(1.5, 2), (nil, 4)] as [(Double?, Int)] {
      let (id, _) = try await record([true, true, true, true], stop: stop)
      let reader = try StoreReader(path: folder.path + "/store")
      let session = try #require(try reader.sessions().first { $0.id == id })
      let fixes = try reader.fixes(of: id)
      #expect(fixes.count == count)
      #expect(try #require(session.end) >= #require(fixes.last).arrival)
    }
  }

  @Test
  func `a receiver's GPS week rollover is detected, and the receiver's dates are corrected`()
    async throws
  {
    let (session, remarks) = try await record(
      Array(repeating: true, count: 5), off: -619_315_200)
    #expect(remarks == [.weekRollover(turns: 1)])
    let clock = try StoreReader(path: folder.path + "/store").clock(of: session)
    let now = BootClock.pair()
    let utc = try #require(clock.utc(at: now.boot))
    #expect(abs(utc.nanoseconds - now.utc.nanoseconds) < 1_000_000_000)
  }

  @Test func `a difference of a minute between two clocks is reported once`() async throws {
    let (session, remarks) = try await record(Array(repeating: true, count: 9), off: 60)
    let disagreement = try #require(remarks.first)
    #expect(remarks.count == 1)
    #expect(disagreement.description == "the system clock is 60 s behind the satellites")
    let clock = try StoreReader(path: folder.path + "/store").clock(of: session)
    #expect(clock.source == .satellites)
  }
}
