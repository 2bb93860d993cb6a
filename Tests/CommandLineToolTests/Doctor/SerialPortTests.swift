@testable import CommandLineTool
@testable import Terminal
import BlueZ
import Positioning
import TestSupport
import Testing

/// Serial ports, their permissions, and the programs that have them open.
@Suite(.computation) struct SerialPortTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var port: SerialPort
    var line: String
    var testDescription: String { line }
  }

  private static let name = "/dev/serial/by-id/usb-u-blox_7-if00"

  private static func port(
    isUsable: Bool = true, group: String? = "dialout", holder: String? = nil
  ) -> SerialPort {
    SerialPort(
      path: "/dev/ttyACM0", name: name, product: "u-blox AG u-blox 7", isUsable: isUsable,
      group: group, holder: holder)
  }

  @Test(arguments: [
    Case(port: port(), line: "ok receiver: \(name) (u-blox AG u-blox 7) can be used"),
    Case(
      port: port(isUsable: false),
      line:
        "fault receiver: no permission to use \(name) (u-blox AG u-blox 7) -> add the user to the "
        + "group 'dialout' with 'sudo usermod -aG dialout $USER' and log in again"),
    Case(
      port: port(isUsable: false, group: nil),
      line: "fault receiver: no permission to use \(name) (u-blox AG u-blox 7) -> install "
        + "udev/60-footbridge-gps.rules, which assigns it to the group 'dialout'"),
    Case(
      port: port(holder: "gpsd (process 7)"),
      line: "ok receiver: \(name) (u-blox AG u-blox 7) is used by gpsd: use '--gps gpsd'"),
    Case(
      port: port(holder: "footbridge (process 8)"),
      line: "ok receiver: \(name) (u-blox AG u-blox 7) is used by footbridge (process 8)"),
    Case(
      port: port(holder: "minicom (process 9)"),
      line:
        "warning receiver: \(name) (u-blox AG u-blox 7) is open in minicom (process 9) -> stop "
        + "that program: if two programs read the same port, each receives only some of the "
        + "bytes"),
  ])
  func `each state of a serial port produces one finding`(_ test: Case) {
    #expect(SerialPort.findings([test.port], isNeeded: true).map(\.line) == [test.line])
  }

  @Test func `a missing port causes a warning only if a position source is needed`() {
    #expect(
      SerialPort.findings([], isNeeded: true).map(\.line) == [
        "warning receiver: no GPS receiver is plugged in: samples will have no position -> plug "
          + "one in, or specify a source with --gps"
      ])
    #expect(
      SerialPort.findings([], isNeeded: false).map(\.line) == [
        "ok receiver: no serial port, and none is needed"
      ])
  }

  private func plugged() throws -> TestTree {
    let usb = "/sys/devices/pci0000:00/usb1/1-3"
    let files = try TestTree([
      "/dev/ttyACM0": "", "/dev/ttyS0": "", "/dev/null": "", "\(usb)/idVendor": "1546",
      "\(usb)/manufacturer": "u-blox AG", "\(usb)/product": "u-blox 7",
      "\(usb)/1-3:1.0/tty/ttyACM0/dev": "166:0", "/proc/12/comm": "minicom", "/proc/13/comm": "sh",
      "/etc/group": "root:x:0:\ndialout:x:20:anna",
      "/proc/self/status":
        "Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nGroups:\t20 27",
    ])
    try files.link("\(usb)/1-3:1.0/tty/ttyACM0/device", to: "../..")
    try files.link("/sys/class/tty/ttyACM0", to: "../../..\(usb)/1-3:1.0/tty/ttyACM0")
    try files.link(Self.name, to: "../../ttyACM0")
    try files.link("/dev/gps0", to: "ttyACM0")
    try files.link("/proc/13/fd/0", to: "/dev/null")
    return files
  }

  @Test func `a receiver with several names is found once, under its persistent name`() throws {
    let files = try plugged()
    let user = UserRights(files.tree)
    #expect(user.belongs(to: "dialout") && !user.belongs(to: "root"))
    let ports = SerialPort.all(files.tree, user)
    #expect(ports.map(\.path) == ["/dev/ttyACM0"])
    #expect(ports.map(\.name) == [Self.name])
    #expect(ports.map(\.product) == ["u-blox AG u-blox 7"])
    #expect(ports.map(\.isUSB) == [true])
    #expect(ports.map(\.holder) == [nil])
    #expect(ports.map(\.isLeftAlone) == [false])
  }

  @Test func `the program that uses the port is found by its open files or by its lock`() throws {
    let files = try plugged()
    try files.link("/proc/12/fd/5", to: "/dev/ttyACM0")
    let user = UserRights(files.tree)
    #expect(SerialPort.all(files.tree, user).map(\.holder) == ["minicom (process 12)"])
    try files.remove("/proc/12/fd/5")
    try files.file("/run/lock/LCK..ttyACM0", "        12")
    #expect(SerialPort.all(files.tree, user).map(\.holder) == ["minicom (process 12)"])
    // A lock whose process has ended is ignored.
    try files.file("/run/lock/LCK..ttyACM0", "99")
    #expect(SerialPort.all(files.tree, user).map(\.holder) == [nil])
  }

  @Test func `ModemManager causes a warning only if no udev rule keeps it from opening a receiver`()
    throws
  {
    let files = try plugged()
    func line(runs: Bool) -> String {
      let ports = SerialPort.all(files.tree, UserRights(files.tree))
      return SerialPort.modemFinding(ports, runs: runs).line
    }
    #expect(line(runs: false) == "ok modem: ModemManager is not running")
    #expect(
      line(runs: true)
        == "warning modem: ModemManager is running, and may probe /dev/ttyACM0 -> install "
        + "udev/60-footbridge-gps.rules, or stop it with 'sudo systemctl disable --now ModemManager'"
    )
    try files.file("/run/udev/data/c166:0", "S:gps0\nE:ID_MM_DEVICE_IGNORE=1\nG:systemd")
    #expect(line(runs: true) == "ok modem: ModemManager is running, but ignores the receivers")
  }

  @Test func `processes are found by name, and folders without a process number are ignored`()
    throws
  {
    let tree = try TestTree(["/proc/5/comm": "ModemManager", "/proc/x/comm": "gpsd"]).tree
    #expect(tree.processes(named: "ModemManager") == [5])
    #expect(tree.processes(named: "gpsd").isEmpty)
  }

  @Test func `a port used by gpsd is reported as open, even if gpsd's open files are hidden`()
    throws
  {
    let files = try plugged()
    let daemon = GPSDaemon(
      isInstalled: true, isRunning: true, isListening: true, answer: .receivers(["/dev/gps0"]))
    let user = UserRights(files.tree)
    let ports = SerialPort.all(files.tree, user).map { $0.held(by: daemon, files.tree) }
    #expect(ports.map(\.holder) == ["gpsd"])
    var named = NamedSource(
      try #require(PositionSource("/dev/ttyACM*@9600")), files.tree, user)
    named.port = ports.first.map { .there($0) }
    #expect(
      named.findings.map(\.line) == [
        "fault receiver: gpsd has /dev/ttyACM*@9600 open -> use '--gps gpsd', or stop gpsd"
      ])
  }

  @Test func `if the user names a position source, only that source is checked`() throws {
    let files = try plugged()
    let user = UserRights(files.tree)
    func lines(_ text: String) throws -> [String] {
      let source = try #require(PositionSource(text))
      return NamedSource(source, files.tree, user).findings.map(\.line)
    }
    #expect(
      try lines("/dev/ttyA*@4800") == [
        "ok receiver: /dev/ttyACM0 (u-blox AG u-blox 7) can be used"
      ])
    #expect(try lines("/dev/gps0") == ["ok receiver: /dev/gps0 (u-blox AG u-blox 7) can be used"])
    #expect(
      try lines("/dev/gps7") == [
        "fault receiver: no receiver at /dev/gps7 -> plug it in; 'footbridge gps' finds "
          + "receivers"
      ])
    #expect(try lines("fixed:50,14") == ["ok receiver: positions come from fixed:50.0,14.0"])
    #expect(try lines("gpsd").isEmpty)
    #expect(
      try lines("file:/nowhere.nmea") == [
        "fault receiver: cannot open /nowhere.nmea: No such file or directory -> name a file of NMEA "
          + "sentences"
      ])
  }
}
