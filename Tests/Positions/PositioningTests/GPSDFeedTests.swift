import LinuxSystem
@testable import Positioning
import Recording
import TestSupport
import Testing
import Values

/// A substitute for gpsd that sends lines chosen by the test.
private struct Daemon: ~Copyable {
  private let listener: TCPListener
  private var client: TCPConnection?

  init() throws { listener = try TCPListener() }

  var address: PositionSource.GPSDAddress {
    PositionSource.GPSDAddress(host: "127.0.0.1", port: listener.port)
  }

  /// Accepts the client, sends the greeting, and waits for the client's request.
  mutating func welcome(major: Int = 3) -> String {
    var polls = PollSet()
    polls.add(listener.number)
    polls.wait(seconds: 60)
    client = listener.accept()
    say(
      #"{"class":"VERSION","release":"3.25","rev":"3.25","proto_major":\#(major),"proto_minor":15}"#
    )
    guard let number = client?.number else { return "" }
    polls.removeAll()
    polls.add(number)
    polls.wait(seconds: 60)
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = client?.read(into: &buffer) ?? 0
    return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
  }

  mutating func say(_ lines: String...) {
    for line in lines { _ = client?.send(Array((line + "\r\n").utf8)) }
  }

  mutating func hangUp() { client = nil }

  /// Sends the report of a fix for this second.
  mutating func sayFix(second: Int, mode: Int = 3) {
    let time = "2026-05-04T09:30:\(second < 10 ? "0" : "")\(second).000Z"
    say(
      #"{"class":"TPV","device":"/dev/ttyUSB0","mode":1}"#,
      #"{"class":"TPV","device":"/dev/ttyUSB0","mode":\#(mode),"time":"\#(time)","lat":53.168,"lon":9.94,"altMSL":62.0}"#,
      #"{"class":"TPV","device":"/dev/ttyUSB0","mode":\#(mode),"time":"\#(time)","lat":53.169,"lon":9.94,"altMSL":62.5,"speed":1.4}"#
    )
  }

  static let devices =
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"NMEA0183","activated":"2026-05-04T09:29:00.000Z","bps":9600,"cycle":1.00}]}"#
}

@Suite(.realTime) struct GPSDFeedTests {
  private static let timing = GPSDWatch.Timing(
    backOff: [0.02, 0.05], patience: 30, silence: 0.5, pause: 0.05,
    fixes: FixWatch.Timing(staleSeconds: 0.2, staleCycles: 0, lostCycles: 0))

  private func listen(
    to address: PositionSource.GPSDAddress, _ log: EventLog
  ) throws -> ReceiverThread {
    try ReceiverThread(
      GPSDFeed(address, timing: Self.timing, at: BootClock.now()), reports: nil, recorder: nil,
      listener: log.listener)
  }

  @Test func `an epoch's last report is used as its fix`() throws {
    var daemon = try Daemon()
    let log = try EventLog()
    let receiver = try listen(to: daemon.address, log)
    #expect(daemon.welcome() == "?WATCH={\"enable\":true,\"json\":true};\r\n")
    daemon.say(Daemon.devices)
    daemon.sayFix(second: 1)
    daemon.sayFix(second: 2)
    #expect(log.waits { $0.fixes.count == 2 })
    #expect(log.fixes.map(\.latitude) == [53.169, 53.169])
    #expect(log.fixes.map(\.speed) == [1.4, 1.4])
    #expect(
      log.fixes.map(\.utc.calendar.nanosecondOfDay) == [34_201_000_000_000, 34_202_000_000_000])
    #expect(log.states.contains(.fix3D))
    let status = receiver.status
    #expect(status.device == "/dev/ttyUSB0")
    #expect(status.speed == .baud9600)
    #expect(status.goodSentences >= 8 && status.badSentences == 0)
    receiver.stop()
  }

  @Test
  func `if gpsd lacks the requested device, this is reported, and other receivers are ignored`()
    throws
  {
    var daemon = try Daemon()
    let log = try EventLog()
    var address = daemon.address
    address.device = "/dev/ttyACM0"
    let receiver = try listen(to: address, log)
    #expect(daemon.welcome().contains(#""device":"/dev/ttyACM0""#))
    daemon.say(Daemon.devices)
    #expect(log.waits(for: .noDevice))
    #expect(log.problems.last?.message == "gpsd does not have /dev/ttyACM0")
    daemon.sayFix(second: 1)
    // The fix is read before the end of the connection.
    daemon.hangUp()
    #expect(log.waits(for: .noDaemon))
    receiver.stop()
    #expect(log.fixes.isEmpty)
  }

  @Test
  func `a missing gpsd is distinguished from a missing, unplugged or silent receiver`() throws {
    var daemon = try Daemon()
    let log = try EventLog()
    let receiver = try listen(to: daemon.address, log)
    _ = daemon.welcome()
    daemon.say(#"{"class":"DEVICES","devices":[]}"#)
    #expect(log.waits(for: .noDevice))
    daemon.say(
      #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":"2026-05-04T09:30:00.000Z"}"#)
    #expect(log.waits(for: .searching))
    daemon.sayFix(second: 1, mode: 2)
    #expect(log.waits(for: .fix2D))
    #expect(log.waits(for: .lost))
    #expect(
      log.waits { $0.reports.last.map { if case .noFix = $0 { true } else { false } } == true })
    daemon.sayFix(second: 2)
    #expect(log.waits(for: .fix3D))
    daemon.say(#"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":0}"#)
    #expect(log.waits(for: .unplugged))
    #expect(log.problems.last?.message == "gpsd has lost /dev/ttyUSB0")
    daemon.hangUp()
    #expect(log.waits(for: .noDaemon))
    _ = daemon.welcome()
    daemon.say(Daemon.devices)
    daemon.sayFix(second: 3)
    #expect(log.waits { $0.fixes.count == 3 })
    receiver.stop()
  }

  @Test func `the feed waits for a missing gpsd and reports it with a remedy`() throws {
    // A port without a listener.
    let port = try TCPListener().port
    let log = try EventLog()
    let receiver = try listen(
      to: PositionSource.GPSDAddress(host: "127.0.0.1", port: port), log)
    #expect(log.waits(for: .noDaemon))
    #expect(log.problems.last?.reason == "Connection refused")
    #expect(log.problems.last?.remedy.hasPrefix("start gpsd") == true)
    receiver.stop()
  }

  @Test func `states without a current position have remedies, and a 3D fix has none`() throws {
    var daemon = try Daemon()
    let log = try EventLog()
    let receiver = try listen(to: daemon.address, log)
    func remedy(in state: ReceiverState) -> String? { log.waits(for: state) ? state.remedy : nil }
    _ = daemon.welcome()
    daemon.say(#"{"class":"DEVICES","devices":[]}"#)
    #expect(
      remedy(in: .noDevice)
        == "plug the receiver in; 'footbridge doctor' lists gpsd's receivers")
    daemon.say(
      #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":"2026-05-04T09:30:00.000Z"}"#)
    #expect(
      remedy(in: .searching)
        == "take the receiver outdoors under open sky; 'footbridge gps' shows what it receives")
    daemon.sayFix(second: 1)
    #expect(remedy(in: .fix3D)?.isEmpty == true)
    #expect(
      remedy(in: .lost)
        == "check that the receiver is plugged in and powered; 'footbridge gps' finds its speed")
    daemon.hangUp()
    #expect(remedy(in: .noDaemon) == "start gpsd with 'sudo systemctl start gpsd'")
    receiver.stop()
  }

  @Test func `a program that never sends gpsd's greeting is reported`() throws {
    var daemon = try Daemon()
    let address = daemon.address
    let log = try EventLog()
    var timing = Self.timing
    timing.patience = 0.2
    let receiver = try ReceiverThread(
      GPSDFeed(address, timing: timing, at: BootClock.now()), reports: nil, recorder: nil,
      listener: log.listener)
    #expect(log.waits(for: .noDaemon))
    #expect(log.problems.last?.message == "gpsd at 127.0.0.1:\(address.port) does not respond")
    #expect(
      log.problems.last?.remedy == "check that gpsd, not another program, is listening there")
    receiver.stop()
    daemon.hangUp()
  }

  @Test func `an error that gpsd reports is passed on`() throws {
    var daemon = try Daemon()
    let log = try EventLog()
    let receiver = try listen(to: daemon.address, log)
    _ = daemon.welcome()
    daemon.say(#"{"class":"ERROR","message":"Unrecognized request"}"#)
    #expect(log.waits { $0.problems.contains { $0.message == "gpsd: Unrecognized request" } })
    #expect(
      log.problems.first { $0.reason == "Unrecognized request" }?.remedy
        == "see 'journalctl -u gpsd'")
    receiver.stop()
  }

  @Test
  func `a gpsd with a different protocol version is rejected, and the error contains the version`()
    throws
  {
    var daemon = try Daemon()
    let log = try EventLog()
    let receiver = try listen(to: daemon.address, log)
    _ = daemon.welcome(major: 4)
    #expect(log.waits { $0.problems.contains { $0.message.contains("version 4") } })
    receiver.stop()
  }
}
