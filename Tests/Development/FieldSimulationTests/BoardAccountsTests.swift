import Recording
import TestSupport
import Testing
import Values

@testable import FieldSimulation
@testable import Simulation

/// The check of a board's samples. Each fault must break its own invariant and no other.
@Suite(.computation) struct BoardAccountsTests {
  /// Returns 700 seconds of one stream at 10 samples per second, all received and stored. After 300
  /// seconds, the board pauses for `pause` seconds.
  private func accounts(pause: Double = 0) -> BoardAccounts {
    var air = AirLog()
    var stream = StoredStream(
      board: BoardAddress(value: 1), signal: "acceleration", rate: 10)
    for number in 0..<7_000 {
      let time = Double(number) / 10 + (number < 3_000 ? 0 : pause)
      air.take(packet(number, at: time), isLeftOver: false)
      stream.words.append(words(number))
      stream.arrivals.append(time)
    }
    return BoardAccounts(
      air: air, streams: [stream], clockFactor: 1, dropped: 0, start: 0, end: 701 + pause,
      stoppedAt: 700 + pause,
      wasCut: false, hadFault: false, lostPacketsOnly: true, bootOffset: 0)
  }

  private func words(_ number: Int) -> UInt64 { UInt64(number) * 7 + 1 }

  private func packet(_ number: Int, at time: Double) -> SimulatedNotification {
    let words = words(number)
    let sample = (0..<6).map { UInt8(truncatingIfNeeded: words >> (8 * $0)) }
    return SimulatedNotification(time: time, bytes: [0x09, 0x03, 0] + sample, sampleCount: 1)
  }

  private func broken(
    pause: Double = 0, _ change: (inout BoardAccounts) -> Void
  ) -> [FieldInvariant] {
    var accounts = accounts(pause: pause)
    change(&accounts)
    return accounts.violations().map(\.invariant)
  }

  private func gap(_ lost: UInt64, from start: Double, to end: Double) -> Gap {
    Gap(
      start: BootTime(nanoseconds: Int64(start * 1e9)),
      end: BootTime(nanoseconds: Int64(end * 1e9)), lost: lost, isEstimate: false, reason: .link)
  }

  @Test func `a complete recording breaks no invariant`() {
    #expect(broken { _ in } == [])
  }

  @Test func `a received sample that is not stored is reported`() {
    #expect(broken { $0.streams[0].remove(at: 20) } == [.stored])
  }

  @Test func `a sample stored twice is reported`() {
    #expect(broken { $0.streams[0].insert(words(20), at: 20) } == [.nothingElse])
  }

  @Test func `a packet received twice must be stored once`() {
    var air = AirLog()
    for number in 0..<7_000 {
      let sound = packet(number, at: Double(number) / 10)
      air.take(sound, isLeftOver: false)
      guard number == 20 else { continue }
      let again = SimulatedNotification(time: sound.time, bytes: sound.bytes, sampleCount: 0)
      air.take(again, isLeftOver: false)
    }
    #expect(broken { $0.air = air } == [])
    let found = broken {
      $0.air = air
      $0.streams[0].insert(words(20), at: 20)
    }
    #expect(found == [.nothingElse])
  }

  @Test func `two samples in the wrong order are reported`() {
    #expect(broken { $0.streams[0].words.swapAt(20, 21) }.contains(.nothingElse))
  }

  @Test func `a sample with a wrong arrival time is reported`() {
    #expect(broken { $0.streams[0].arrivals[20] += 0.9 } == [])
    #expect(broken { $0.streams[0].arrivals[20] += 1.1 } == [.moments])
    #expect(broken { $0.streams[0].arrivals[20] -= 0.1 } == [.moments])
  }

  @Test
  func `samples may be missing from a board's count only if its firmware hung at the time`() {
    #expect(broken(pause: 3) { $0.hadFault = true } == [.time])
    #expect(
      broken(pause: 3) {
        $0.hadFault = true
        $0.hungSeconds = 3
      } == [])
    #expect(
      broken(pause: 3) {
        $0.hadFault = true
        $0.hungSeconds = 1
      } == [.time])
  }

  @Test func `after a power cut, only the destroyed samples may be counted as lost`() {
    func tear(_ accounts: inout BoardAccounts, counted: UInt64) {
      accounts.wasCut = true
      accounts.stoppedAt = nil
      accounts.end = 700
      for _ in 0..<5 { accounts.streams[0].remove(at: 6_990) }
      accounts.streams[0].gaps = [gap(counted, from: 698.9, to: 699.5)]
    }
    #expect(broken { tear(&$0, counted: 5) } == [])
    #expect(broken { tear(&$0, counted: 6) } == [.noFalseLoss])
  }

  @Test func `a sample time that is not later than the previous one is reported`() {
    #expect(broken { $0.streams[0].fallen = 20 } == [.moments])
  }

  @Test func `each sample lost in radio transmission must be counted as lost exactly once`() {
    func lose(_ accounts: inout BoardAccounts, counted: UInt64) {
      var air = AirLog()
      for number in 0..<7_000 where number < 1_000 || number >= 1_050 {
        air.take(packet(number, at: Double(number) / 10), isLeftOver: false)
      }
      accounts.air = air
      accounts.hadFault = true
      accounts.dropped = 50
      for _ in 0..<50 { accounts.streams[0].remove(at: 1_000) }
      accounts.streams[0].gaps = [gap(counted, from: 99.9, to: 105)]
    }
    #expect(broken { lose(&$0, counted: 50) } == [])
    #expect(broken { lose(&$0, counted: 49) } == [.counted])
    #expect(broken { lose(&$0, counted: 150) } == [.counted, .time])
    // The sensor produced no samples until it was restarted.
    func restart(_ accounts: inout BoardAccounts, counted: UInt64) {
      lose(&accounts, counted: counted)
      accounts.streams[0].gaps[0].reason = .silent
    }
    #expect(broken { restart(&$0, counted: 52) } == [])
    #expect(broken { restart(&$0, counted: 53) } == [.counted])
    #expect(broken { restart(&$0, counted: 47) } == [.counted])
  }

  @Test func `a loss without a cause is reported`() {
    #expect(broken { $0.streams[0].gaps = [gap(1, from: 9, to: 10)] } == [.noFalseLoss])
  }

  @Test func `a stream that falls silent in the last minutes is reported`() {
    let found = broken { accounts in
      var air = AirLog()
      for number in 0..<6_000 {
        air.take(packet(number, at: Double(number) / 10), isLeftOver: false)
      }
      accounts.air = air
      accounts.streams[0].words.removeLast(1_000)
      accounts.streams[0].arrivals.removeLast(1_000)
    }
    #expect(found == [.noSilence])
  }

  @Test
  func `samples from the last second before a power cut may be missing, but earlier ones may not`()
  {
    func cut(_ accounts: inout BoardAccounts, missing: Int) {
      accounts.wasCut = true
      accounts.stoppedAt = nil
      accounts.end = 700
      accounts.streams[0].words.removeLast(missing)
      accounts.streams[0].arrivals.removeLast(missing)
    }
    #expect(broken { cut(&$0, missing: 10) } == [])
    #expect(broken { cut(&$0, missing: 20) } == [.stored])
  }
}

extension StoredStream {
  fileprivate mutating func remove(at place: Int) {
    words.remove(at: place)
    arrivals.remove(at: place)
  }

  fileprivate mutating func insert(_ words: UInt64, at place: Int) {
    self.words.insert(words, at: place)
    arrivals.insert(arrivals[place], at: place)
  }
}
