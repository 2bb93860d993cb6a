import Foundation
import LinuxSystem
import NMEA
@testable import Positioning
import Recording
import RingBuffer
import Simulation
import TestSupport
import Testing
import Values

/// A receiver thread with the recorder's end of its ring, and intervals short enough for a test.
private struct Listener: ~Copyable {
  let bell: WakeUp
  let receiver: ReceiverThread
  var reports: RingConsumer<PositionReport>

  init(path: String, capacity: Int = 64) throws {
    let timing = ReceiverWatch.Timing(
      silence: 0.4, pause: 0.05, backOff: [0.02, 0.02, 0.05],
      fixes: FixWatch.Timing(lostCycles: 0))
    let configuration = SerialFeed.Configuration(
      path: path, speed: .baud9600, floor: WeekRollover.replayFloor, timing: timing)
    let bell = try WakeUp()
    let ends = Ring<PositionReport>.make(capacity: capacity)
    let reports = ends.consumer
    receiver = try ReceiverThread(
      SerialFeed(configuration, at: BootClock.now()), reports: ends.producer, recorder: bell)
    self.bell = bell
    self.reports = reports
  }

  /// Waits for an expected report, calling `nudge` repeatedly.
  mutating func report(
    nudge: () -> Void = {}, where isWanted: (PositionReport) -> Bool
  ) -> PositionReport? {
    var polls = PollSet()
    polls.add(bell.number)
    let end = GivenTime.now.advanced(bySeconds: patience)
    while GivenTime.now < end {
      nudge()
      polls.wait(seconds: 0.1)
      bell.clear()
      while let report = reports.pop() {
        if isWanted(report) { return report }
      }
    }
    return nil
  }

  /// Waits for a status, calling `nudge` repeatedly.
  func reaches(nudge: () -> Void = {}, _ isReached: (ReceiverStatus) -> Bool) -> Bool {
    var polls = PollSet()
    polls.add(bell.number)
    let end = GivenTime.now.advanced(bySeconds: patience)
    while GivenTime.now < end {
      if isReached(receiver.status) { return true }
      nudge()
      polls.wait(seconds: 0.02)
      bell.clear()
    }
    return false
  }
}

/// A receiver that sends its sentences on request, over a pseudo-terminal.
private struct Speaker: ~Copyable {
  let terminal: PseudoTerminal
  private var receiver: SimulatedReceiver
  private var second = UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 0)

  init(fixAfter: Double = 0) throws {
    terminal = try PseudoTerminal()
    receiver = SimulatedReceiver(fixAfter: fixAfter)
  }

  mutating func speak() {
    _ = terminal.controller.write(receiver.burst(at: second))
    second.nanoseconds += 1_000_000_000
  }

  consuming func unplug() {}
}

@Suite(.realTime) struct ReceiverThreadTests {
  @Test func `a receiver's sentences become fixes with their arrival times`() throws {
    var speaker = try Speaker()
    let begin = BootClock.now()
    var listener = try Listener(path: speaker.terminal.path)
    let report = listener.report(nudge: { speaker.speak() }, where: { _ in true })
    guard case .fix(let fix) = report else {
      Issue.record("no fix but \(String(describing: report))")
      return
    }
    #expect(abs(fix.latitude - 53.168) < 0.01)
    #expect(abs(fix.longitude - 9.940) < 0.01)
    #expect(fix.utc.calendar.day == 4)
    #expect(fix.arrival > begin && fix.arrival < BootClock.now())
    #expect(fix.isThreeDimensional)
    // If the machine stays busy for long, the fix expires before it is read, and the next burst
    // restores it.
    #expect(
      listener.reaches(nudge: { speaker.speak() }) {
        $0.fix != nil && $0.problem == nil && $0.state == .fix3D && $0.goodSentences >= 4
      })
    #expect(listener.receiver.status.badSentences == 0)
  }

  @Test func `a fix is published without waiting for a second burst of sentences`() throws {
    var speaker = try Speaker()
    var listener = try Listener(path: speaker.terminal.path)
    // The port discards everything sent before it was opened, so the test waits for the first data.
    #expect(listener.reaches(nudge: { speaker.speak() }) { $0.goodSentences > 0 })
    while listener.report(where: { _ in true }) == nil {}
    speaker.speak()
    #expect(listener.report(where: { _ in true }) != nil)
  }

  @Test
  func `a searching receiver is reported without a fix, and as lost only while it is silent`()
    throws
  {
    var speaker = try Speaker(fixAfter: .infinity)
    var listener = try Listener(path: speaker.terminal.path)
    let report = listener.report(nudge: { speaker.speak() }, where: { _ in true })
    guard case .noFix = report else {
      Issue.record("not without a fix: \(String(describing: report))")
      return
    }
    #expect(listener.reaches { $0.state == .noFix })
    #expect(listener.reaches { $0.state == .lost })
    #expect(listener.reaches(nudge: { speaker.speak() }) { $0.state == .noFix })
  }

  @Test func `an unplugged receiver is found again when its device name reappears`() throws {
    let folder = try TemporaryFolder()
    let name = folder.path + "/receiver"
    var first = try Speaker()
    try FileManager.default.createSymbolicLink(
      atPath: name, withDestinationPath: first.terminal.path)
    var listener = try Listener(path: name)
    #expect(listener.report(nudge: { first.speak() }, where: { _ in true }) != nil)

    // The name disappears with the device. If it remained, it would refer to the next terminal that
    // any program opens.
    try FileManager.default.removeItem(atPath: name)
    first.unplug()
    #expect(listener.reaches { $0.state == .unplugged })

    var second = try Speaker()
    try FileManager.default.createSymbolicLink(
      atPath: name, withDestinationPath: second.terminal.path)
    let after = BootClock.now()
    let report = listener.report(nudge: { second.speak() }) { report in
      if case .fix(let fix) = report { fix.arrival > after } else { false }
    }
    #expect(report != nil)
    #expect(listener.reaches { $0.state == .fix3D })
    #expect(listener.receiver.status.goodSentences >= 8)
  }

  @Test func `if a silent port's name moves to another device, the new device is opened`() throws {
    let folder = try TemporaryFolder()
    let name = folder.path + "/receiver"
    let first = try Speaker()
    var second = try Speaker()
    try FileManager.default.createSymbolicLink(
      atPath: name, withDestinationPath: first.terminal.path)
    var listener = try Listener(path: name)
    #expect(listener.reaches { $0.state == .lost })
    try FileManager.default.removeItem(atPath: name)
    try FileManager.default.createSymbolicLink(
      atPath: name, withDestinationPath: second.terminal.path)
    #expect(listener.report(nudge: { second.speak() }, where: { _ in true }) != nil)
    first.unplug()
  }

  @Test func `the receiver thread waits for a missing port and reports the reason`() throws {
    let folder = try TemporaryFolder()
    let name = folder.path + "/receiver"
    var listener = try Listener(path: name)
    #expect(listener.reaches { $0.state == .unplugged })
    #expect(listener.receiver.status.problem?.description.contains(name) == true)
    var speaker = try Speaker()
    try FileManager.default.createSymbolicLink(
      atPath: name, withDestinationPath: speaker.terminal.path)
    #expect(listener.report(nudge: { speaker.speak() }, where: { _ in true }) != nil)
  }

  @Test func `a file that is not a terminal is rejected, and the error names the file`() throws {
    let folder = try TemporaryFolder()
    let name = folder.path + "/not-a-port"
    try Data("$GPGGA".utf8).write(to: URL(fileURLWithPath: name))
    let listener = try Listener(path: name)
    #expect(listener.reaches { $0.problem?.description.contains(name) == true })
  }

  @Test
  func `reports that do not fit into the ring are counted and never block the receiver thread`()
    throws
  {
    var speaker = try Speaker()
    let listener = try Listener(path: speaker.terminal.path, capacity: 1)
    #expect(listener.reaches(nudge: { speaker.speak() }) { $0.lostReports >= 2 })
    listener.receiver.stop()
  }

  @Test func `stopping the receiver thread, even twice, closes the port`() async throws {
    let speaker = try Speaker()
    let listener = try Listener(path: speaker.terminal.path)
    #expect(listener.reaches { $0.state == .lost })
    listener.receiver.stop()
    listener.receiver.stop()
    let path = speaker.terminal.path
    // The terminal keeps its own end open. On a busy machine the thread may still be running after
    // `stop`.
    try await wait(for: "the port is closed") {
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return descriptors.count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      } == 1
    }
  }

  @Test func `a simulated receiver yields a fix, and is unplugged when it stops`() throws {
    let line = try SimulatedReceiverLine()
    var listener = try Listener(path: line.path)
    let report = listener.report { if case .fix = $0 { true } else { false } }
    #expect(report != nil)
    line.stop()
    #expect(listener.reaches { $0.state == .unplugged })
  }
}
