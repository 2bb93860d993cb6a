@testable import CommandLineTool
@testable import Terminal
import LinuxSystem
import Positioning
import TestSupport
import Testing

/// gpsd in its most common states.
@Suite(.computation) struct GPSDaemonTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var daemon: GPSDaemon
    var line: String
    var testDescription: String { line }
  }

  private static func daemon(
    isNamed: Bool = false, isInstalled: Bool = true, isRunning: Bool = false,
    isListening: Bool = false, answer: GPSDaemon.Answer = .notAsked,
    service: Bool? = nil, socket: Bool = false
  ) -> GPSDaemon {
    GPSDaemon(
      isNamed: isNamed, isInstalled: isInstalled, isRunning: isRunning, isListening: isListening,
      answer: answer,
      units: service.map { GPSDaemon.Units(isActive: isRunning, service: $0, socket: socket) })
  }

  private static let there = GPSDaemon.Answer.receivers(["/dev/ttyACM0"])
  private static let awake =
    "write GPSD_OPTIONS=\"-n\" in /etc/default/gpsd, then 'sudo systemctl enable --now gpsd'"
  private static let device =
    "name the receiver in DEVICES= in /etc/default/gpsd, then 'sudo systemctl restart gpsd'"

  @Test(arguments: [
    Case(
      daemon: daemon(isInstalled: false), line: "ok gpsd: gpsd is not installed, and not needed"),
    Case(
      daemon: daemon(isNamed: true, isInstalled: false),
      line: "fault gpsd: gpsd is not installed -> install it with 'sudo apt install gpsd'"),
    Case(
      daemon: daemon(), line: "ok gpsd: gpsd is not running; Footbridge reads receivers directly"),
    Case(
      daemon: daemon(isNamed: true, service: true),
      line: "fault gpsd: gpsd is not running -> start it, now and at each boot, with "
        + "'sudo systemctl enable --now gpsd'"),
    Case(
      daemon: daemon(isNamed: true, service: false),
      line:
        "fault gpsd: gpsd is not running, and does not start at boot -> start it, now and at each "
        + "boot, with 'sudo systemctl enable --now gpsd'"),
    Case(
      daemon: daemon(isListening: true, service: false, socket: true),
      line:
        "warning gpsd: gpsd starts only when a client connects, so the first position is delayed "
        + "-> \(awake)"),
    Case(
      daemon: daemon(isRunning: true, isListening: true, answer: .receivers([])),
      line: "warning gpsd: gpsd is running, but has no receiver -> \(device)"),
    Case(
      daemon: daemon(isNamed: true, isRunning: true, isListening: true, answer: .receivers([])),
      line: "fault gpsd: gpsd is running, but has no receiver -> \(device)"),
    Case(
      daemon: daemon(isRunning: true, isListening: true, answer: .none),
      line: "warning gpsd: gpsd is running, but does not respond -> try again in a moment, or "
        + "restart it with 'sudo systemctl restart gpsd'"),
    Case(
      daemon: daemon(isRunning: true),
      line: "warning gpsd: gpsd is running, but is not listening on any port of this computer -> "
        + "start it with 'sudo systemctl restart gpsd.socket gpsd'"),
    Case(
      daemon: daemon(isRunning: true, isListening: true, answer: there),
      line: "ok gpsd: gpsd uses /dev/ttyACM0"),
    Case(
      daemon: daemon(isRunning: true, isListening: true, answer: there, service: true),
      line: "ok gpsd: gpsd uses /dev/ttyACM0"),
    Case(
      daemon: daemon(
        isRunning: true, isListening: true, answer: there, service: false, socket: true),
      line:
        "warning gpsd: gpsd uses /dev/ttyACM0, but after boot it starts only when a client "
        + "connects -> \(awake)"),
    Case(
      daemon: daemon(isRunning: true, isListening: true, answer: there, service: false),
      line:
        "warning gpsd: gpsd uses /dev/ttyACM0, but does not start at boot -> enable it with 'sudo "
        + "systemctl enable gpsd'"),
    Case(
      daemon: GPSDaemon(
        name: "gpsd://pi", isRemote: true, isNamed: true, isInstalled: false, isRunning: false,
        isListening: false, answer: .none),
      line:
        "fault gpsd: gpsd://pi does not respond -> check the host, and check that gpsd is running "
        + "there with the option -G"),
    Case(
      daemon: GPSDaemon(
        name: "gpsd://pi", isRemote: true, isNamed: true, isInstalled: false, isRunning: false,
        isListening: false, answer: .receivers([])),
      line:
        "fault gpsd: gpsd://pi responds, but has no receiver -> connect the receiver to that computer"
    ),
  ])
  func `each state of gpsd produces one finding`(_ test: Case) {
    #expect(test.daemon.findings.map(\.line) == [test.line])
  }

  private static let header = "  sl  local_address rem_address   st tx_queue rx_queue\n"

  @Test func `a sleeping gpsd is detected without being started`() throws {
    let files = try TestTree([
      "/usr/sbin/gpsd": "",
      "/proc/net/tcp": Self.header
        + "   0: 0100007F:0B83 00000000:0000 0A 00000000:00000000 00:00000000",
    ])
    let units = GPSDaemon.Units(isActive: false, service: false, socket: true)
    func found(_ units: GPSDaemon.Units) -> GPSDaemon { GPSDaemon(files.tree, named: nil, units) }
    let asleep = found(units)
    #expect(asleep.isInstalled && asleep.isListening && !asleep.isRunning)
    #expect(asleep.answer == .notAsked)
    // A client on the same port, and gpsd on a different port.
    try files.file(
      "/proc/net/tcp",
      Self.header + "   0: 0100007F:0B83 0100007F:9C40 01 0:0 0:0\n"
        + "   1: 0100007F:0B84 00000000:0000 0A 0:0 0:0")
    #expect(!found(units).isListening)
    try files.file(
      "/proc/net/tcp6",
      Self.header + "   0: 00000000000000000000000001000000:0B83 0:0 0A 0:0 0:0")
    #expect(found(units).isListening)
  }

  @Test
  func `a gpsd with a hidden process counts as running if systemd reports that it is running`()
    throws
  {
    let units = GPSDaemon.Units(isActive: true, service: true, socket: false)
    #expect(GPSDaemon(try TestTree().tree, named: nil, units).isRunning)
  }

  /// Starts a server that sends these bytes to its first client, and records the client's data.
  private static func serve(_ text: String) throws -> (port: UInt16, heard: Guarded<[UInt8]>) {
    let listener = try TCPListener()
    let port = listener.port
    let heard = Guarded<[UInt8]>([])
    let handOver = HandOver(listener)
    try NamedThread("fake gpsd") {
      guard let listener = handOver.take() else { return }
      var polls = PollSet()
      polls.add(listener.number)
      polls.wait(seconds: 60)
      guard let client = listener.accept() else { return }
      _ = client.send(Array(text.utf8))
      var buffer = [UInt8](repeating: 0, count: 256)
      while true {
        var polls = PollSet()
        polls.add(client.number)
        polls.wait(seconds: 60)
        let count = client.read(into: &buffer)
        guard count > 0 else { return }
        heard.withLock { $0 += buffer[..<count] }
      }
    }.letGo()
    return (port, heard)
  }

  private static let greeting =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"

  @Test(.realTime)
  func `gpsd is asked only for its devices, and no reply is not taken for an empty list`()
    async throws
  {
    let (port, heard) = try Self.serve(
      Self.greeting
        + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0"},{"path":"/dev/b"}]}"#
        + "\r\n")
    var address = PositionSource.GPSDAddress(host: "127.0.0.1", port: port)
    #expect(GPSDaemon.ask(address, within: patience) == .receivers(["/dev/ttyACM0", "/dev/b"]))
    #expect(
      await happens { heard.withLock { String(decoding: $0, as: UTF8.self) } == "?DEVICES;\r\n" })
    let again = try Self.serve(
      Self.greeting + #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0"}]}"#
        + "\n")
    address.port = again.port
    address.device = "/dev/ttyUSB0"
    #expect(GPSDaemon.ask(address, within: patience) == .receivers([]))
    address.port = try FaultServer.deadPort()
    #expect(GPSDaemon.ask(address, within: patience) == .none)
    address.port = try Self.serve(Self.greeting).port
    #expect(GPSDaemon.ask(address, within: 0.1) == .none)
  }
}
