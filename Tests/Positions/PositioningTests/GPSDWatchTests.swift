@testable import Positioning
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct GPSDWatchTests {
  private func at(_ seconds: Double) -> BootTime { ReceiverWatchTests.at(seconds) }

  private func greeted() -> GPSDWatch {
    var watch = GPSDWatch(at: at(0))
    _ = watch.next(at: at(0))
    watch.greeted()
    return watch
  }

  @Test func `gpsd is contacted immediately, then after pauses of one, two, five and ten seconds`()
  {
    var watch = GPSDWatch(at: at(0))
    var tries: [Int] = []
    for second in 0...40 where watch.next(at: at(Double(second))) == .connect {
      tries.append(second)
      watch.closed(at: at(Double(second)))
    }
    #expect(tries == [0, 1, 3, 8, 18, 28, 38])
    #expect(watch.state == .noDaemon)
  }

  @Test
  func `a peer that accepts a connection but sends no greeting is disconnected after ten seconds`()
  {
    var watch = GPSDWatch(at: at(0))
    #expect(watch.next(at: at(0)) == .connect)
    #expect(watch.next(at: at(9.9)) == nil)
    #expect(watch.next(at: at(10)) == .giveUp)
  }

  @Test
  func `a missing gpsd, a missing receiver, a lost receiver and a missing fix are distinguished`() {
    var watch = greeted()
    #expect(watch.state == .searching)
    watch.hasDevice(false)
    #expect(watch.state == .noDevice)
    watch.hasDevice(true)
    #expect(watch.state == .searching)
    watch.reported(.noFix(arrival: at(1)), at: at(1))
    #expect(watch.state == .noFix)
    watch.reported(ReceiverWatchTests.fix(isThreeDimensional: false), at: at(2))
    #expect(watch.state == .fix2D)
    watch.lostDevice()
    #expect(watch.state == .unplugged)
    // A report that was still in transit when the receiver was lost.
    watch.reported(ReceiverWatchTests.fix(), at: at(2))
    #expect(watch.state == .unplugged)
    watch.hasDevice(true)
    watch.reported(ReceiverWatchTests.fix(), at: at(3))
    #expect(watch.state == .fix3D)
    watch.closed(at: at(4))
    #expect(watch.state == .noDaemon)
  }

  @Test func `the state of a silent receiver is stale after two seconds and lost after ten`() {
    var watch = greeted()
    watch.hasDevice(true)
    // There is no time limit for gpsd's first report.
    #expect(watch.next(at: at(60)) == nil)
    #expect(watch.state == .searching)
    watch.reported(ReceiverWatchTests.fix(), at: at(60))
    _ = watch.next(at: at(61.9))
    #expect(watch.state == .fix3D)
    _ = watch.next(at: at(62))
    #expect(watch.state == .stale)
    _ = watch.next(at: at(70))
    #expect(watch.state == .lost)
    watch.reported(ReceiverWatchTests.fix(), at: at(71))
    #expect(watch.state == .fix3D)
  }
}
