import Foundation
import Glibc
import LinuxSystem
@testable import Positioning
import Simulation
import TestSupport
import Testing
import Values
import Recording

/// A receiver that sends on request over a pseudo-terminal. If `speed` is not `nil`, its bytes are
/// misread at every other line speed.
private struct Speaker: ~Copyable {
  let terminal: PseudoTerminal
  var speed: SerialSpeed?
  private var receiver: SimulatedReceiver
  private var noise = LineNoise(seed: 7)
  private var second = UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 0)

  init(speed: SerialSpeed? = nil, fixAfter: Double = 0) throws {
    terminal = try PseudoTerminal()
    self.speed = speed
    receiver = SimulatedReceiver(fixAfter: fixAfter)
  }

  mutating func speak() {
    var burst = receiver.burst(at: second)
    if let speed, terminal.speed != speed { burst = noise.misread(burst) }
    _ = terminal.controller.write(burst)
    second.nanoseconds += 1_000_000_000
  }

  mutating func babble(_ count: Int) {
    _ = terminal.controller.write(noise.bytes(count))
  }
}

@Suite(.realTime) struct SerialFeedTests {
  private func listen(
    to path: String, _ log: EventLog, speed: SerialSpeed? = nil, memory: SpeedMemory? = nil,
    silence: Double = 3, patience: Double = 0.25,
    doubt: Double = 600
  ) throws -> ReceiverThread {
    let timing = ReceiverWatch.Timing(
      silence: silence, pause: 0.05, backOff: [0.02],
      // The expected states must not depend on how busy the machine is.
      fixes: FixWatch.Timing(staleSeconds: 600, endSeconds: 600, lostCycles: 0))
    let configuration = SerialFeed.Configuration(
      path: path, speed: speed, timing: timing,
      hunting: SpeedHunt.Timing(patience: patience, bytes: 9_000, doubt: doubt), memory: memory)
    return try ReceiverThread(
      SerialFeed(configuration, at: BootClock.now()), reports: nil, recorder: nil,
      listener: log.listener)
  }

  @Test(arguments: [SerialSpeed.baud4800, .baud9600, .baud115200, .baud921600])
  func `a receiver's line speed is found and remembered`(_ speed: SerialSpeed) throws {
    let folder = try TemporaryFolder()
    let memory = SpeedMemory(path: folder.path + "/speeds")
    var speaker = try Speaker(speed: speed)
    let log = try EventLog()
    let path = speaker.terminal.path
    let receiver = try listen(to: path, log, memory: memory)
    // A fix is reported before the speed is considered known.
    #expect(
      log.waits(nudge: { speaker.speak() }) {
        !$0.fixes.isEmpty && receiver.status.isSpeedFound && memory.speed(of: path) == speed
      })
    #expect(receiver.status.speed == speed)
    receiver.stop()
  }

  @Test func `a remembered line speed is tried first`() throws {
    let folder = try TemporaryFolder()
    let memory = SpeedMemory(path: folder.path + "/speeds")
    var speaker = try Speaker(speed: .baud460800)
    memory.note(.baud460800, of: speaker.terminal.path)
    let log = try EventLog()
    // With this long timeout, the test would never reach the second speed in the list.
    let receiver = try listen(
      to: speaker.terminal.path, log, memory: memory, patience: 3_600)
    #expect(log.waits(nudge: { speaker.speak() }) { !$0.fixes.isEmpty })
    #expect(receiver.status.badSentences == 0)
    receiver.stop()
  }

  @Test func `a configured line speed is kept even if no valid sentence arrives`() throws {
    var speaker = try Speaker(speed: .baud38400)
    let log = try EventLog()
    let receiver = try listen(to: speaker.terminal.path, log, speed: .baud9600, silence: 0.3)
    #expect(log.waits(for: .lost, nudge: { speaker.speak() }))
    #expect(speaker.terminal.speed == .baud9600)
    #expect(log.fixes.isEmpty)
    receiver.stop()
  }

  @Test func `a receiver that changes its line speed is found again`() throws {
    var speaker = try Speaker(speed: .baud9600)
    let log = try EventLog()
    let receiver = try listen(to: speaker.terminal.path, log, silence: 0.3, doubt: 0.4)
    #expect(log.waits(nudge: { speaker.speak() }) { !$0.fixes.isEmpty })
    speaker.speed = .baud57600
    #expect(log.waits(nudge: { speaker.speak() }) { $0.states.contains(.lost) })
    let before = log.fixes.count
    #expect(log.waits(nudge: { speaker.speak() }) { $0.fixes.count > before + 2 })
    #expect(receiver.status.speed == .baud57600)
    receiver.stop()
  }

  @Test
  func `a receiver that sends garbage for a minute is considered lost until its next sentence`()
    throws
  {
    var speaker = try Speaker()
    let log = try EventLog()
    let receiver = try listen(
      to: speaker.terminal.path, log, speed: .baud9600, silence: 0.3)
    #expect(log.waits(nudge: { speaker.speak() }) { !$0.fixes.isEmpty })
    // As many bytes as arrive in a minute at 9,600 baud, sent as fast as the terminal accepts them.
    var rest = 57_600
    #expect(
      log.waits(nudge: {
        speaker.babble(min(rest, 960))
        rest -= min(rest, 960)
      }) { _ in rest == 0 })
    #expect(log.waits(for: .lost))
    #expect(log.waits { $0.reports.contains { if case .noFix = $0 { true } else { false } } })
    #expect(receiver.status.badSentences > 0)
    #expect(receiver.status.faults.values.reduce(0, +) == receiver.status.badSentences)
    let before = log.fixes.count
    #expect(log.waits(nudge: { speaker.speak() }) { $0.fixes.count > before })
    #expect(log.waits(for: .fix3D))
    receiver.stop()
  }

  @Test func `each state of a receiver is reported once, when it begins`() throws {
    var speaker = try Speaker(fixAfter: 3)
    let log = try EventLog()
    let receiver = try listen(
      to: speaker.terminal.path, log, speed: .baud9600, silence: 60)
    // A busy machine may read several epochs at once, so the fix is sent only after `no fix` was
    // reported.
    var spoken = 0
    #expect(
      log.waits(
        every: 0.2,
        nudge: {
          if spoken < 3 { speaker.speak() }
          spoken += 1
        }
      ) { $0.states.contains(.noFix) })
    #expect(log.waits(every: 0.2, nudge: { speaker.speak() }) { $0.states.contains(.fix3D) })
    #expect(log.states == [.searching, .noFix, .fix3D])
    receiver.stop()
  }

  @Test func `a receiver that returns under a different name is found by a pattern`() throws {
    let folder = try TemporaryFolder()
    var first = try Speaker()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/ttyUSB0", withDestinationPath: first.terminal.path)
    let log = try EventLog()
    let receiver = try listen(to: folder.path + "/ttyUSB*", log, silence: 0.3)
    #expect(log.waits(nudge: { first.speak() }) { !$0.fixes.isEmpty })
    #expect(receiver.status.device == folder.path + "/ttyUSB0")
    try FileManager.default.removeItem(atPath: folder.path + "/ttyUSB0")
    #expect(log.waits(for: .unplugged))
    var second = try Speaker()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/ttyUSB1", withDestinationPath: second.terminal.path)
    let before = log.fixes.count
    #expect(log.waits(nudge: { second.speak() }) { $0.fixes.count > before })
    #expect(receiver.status.device == folder.path + "/ttyUSB1")
    receiver.stop()
  }

  @Test
  func `a receiver with two names is listed once, and serial pins only if nothing else is found`()
    throws
  {
    let folder = try TemporaryFolder()
    let terminal = try PseudoTerminal()
    for name in ["by-id-receiver", "gps0"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/" + name, withDestinationPath: terminal.path)
    }
    let nobody = PositionSource.GPSDAddress(host: "127.0.0.1", port: try TCPListener().port)
    let found = SourceCandidates.found(
      [folder.path + "/by-id-*", folder.path + "/gps*"], daemon: nobody)
    #expect(found == [.serial(folder.path + "/by-id-receiver", speed: nil)])
    let daemon = try TCPListener()
    let address = PositionSource.GPSDAddress(host: "127.0.0.1", port: daemon.port)
    #expect(SourceCandidates.found([], daemon: address) == [.gpsd(address)])
    // The serial port on the pins exists even if no receiver is connected.
    let pins = ["/dev/serial0"]
    #expect(SourceCandidates.found([], daemon: address, orElse: pins) == [.gpsd(address)])
    #expect(
      SourceCandidates.found([], daemon: nobody, orElse: pins)
        == [.serial("/dev/serial0", speed: nil)])
  }

  @Test
  func `a port forbidden by the systemd unit and missing permissions have different remedies`() {
    func remedy(_ number: Int32, _ path: String) -> String {
      ReceiverProblem.port(SystemError("open \(path)", number: number), at: path) { false }.remedy
    }
    #expect(
      remedy(EPERM, "/dev/ttyAMA0")
        == "the service's unit forbids this device: add 'DeviceAllow=char-ttyAMA rw' below [Service] "
        + "with 'sudo systemctl edit footbridge', and restart the service")
    #expect(
      remedy(EACCES, "/dev/ttyS9")
        == "add your user to the group dialout; if a login prompt uses this port, 'footbridge doctor "
        + "--gps /dev/ttyS9' shows how to stop it")
    #expect(
      remedy(EACCES, "/dev/ttyUSB9")
        == "add your user to the group dialout, or install the udev rules")
  }
}
