import BoardDriver
import DiskFaults
import Foundation
@testable import Gateway
import LinuxSystem
import Recording
import RingBuffer
import Storage
import TestSupport
import Testing
import Values

/// A memory card that takes seconds for one sync while samples arrive at the rate of ten boards.
@Suite(.realTime) struct SyncStallTests {
  private static let rate = 2_000
  private static let identity = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "", firmware: "")

  /// The duration of the stall in seconds. `FOOTBRIDGE_STALL=10` sets a longer one.
  private static let stall =
    ProcessInfo.processInfo.environment["FOOTBRIDGE_STALL"].flatMap { Double($0) } ?? 2

  @Test
  func `if a sync takes several seconds at 2,000 samples per second, no sample is lost`()
    async throws
  {
    let disk = try SimulatedDisk()
    let path = disk.path + "/store"
    let readings = Ring<Reading>.make(capacity: ReaderThread.ringCapacity)
    let positions = Ring<PositionReport>.make(capacity: 1 << 4)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    let session = Session(bootID: try BootClock.bootID(), start: BootClock.now(), note: "")
    _ = try await recorder.open(.store(path), for: session, sealSeconds: 1)
    let stream = StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 1, rate: Double(Self.rate),
      lossAccounting: .counted)
    await recorder.addBoard(0, Self.identity, [stream])

    var producer = readings.producer
    var pushed = 0
    var refused = 0
    // Pushes all samples that have come due, so that a busy machine stores the same number. After a
    // long delay they are pushed in parts, because they do not all fit into the ring.
    func pushDue() {
      let all = Int(BootClock.now().seconds(since: session.start) * Double(Self.rate))
      let due = min(all, pushed + 2 * Self.rate)
      while pushed < due {
        let arrival = session.start.advanced(bySeconds: Double(pushed) / Double(Self.rate))
        let reading = Reading(board: 0, stream: 0, arrival: arrival, counter: UInt32(pushed))
        if !producer.push(reading) { refused += 1 }
        pushed += 1
      }
    }
    func push(until isOver: () -> Bool) async throws {
      pushDue()
      while !isOver() {
        try await Task.sleep(for: .milliseconds(20))
        pushDue()
      }
    }
    // The session has been stored by this time. One chunk is filled each second, and the sync that
    // stores it stalls.
    try await push { pushed >= Self.rate / 2 }
    disk.stallNextSync(seconds: Self.stall)
    try await push { !disk.isStallDue }
    // The progress is measured in samples, because a lot of time may pass between two pushes on a
    // busy machine.
    let end = BootClock.now().seconds(since: session.start) + Self.stall + 0.5
    try await push { pushed >= Int(end * Double(Self.rate)) }
    let totals = await recorder.finish()

    #expect(refused == 0, "the ring was full")
    let recorded = try #require(totals.streams.first)
    #expect(recorded.stored == UInt64(pushed) && recorded.lost.isEmpty)
    #expect(pushed >= Int(Self.stall * Double(Self.rate)))
    let reader = try StoreReader(path: path)
    #expect(try reader.streams(of: session.id).first?.sampleCount == pushed)
    withExtendedLifetime(disk) {}
  }
}
