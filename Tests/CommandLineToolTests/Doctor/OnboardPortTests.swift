@testable import CommandLineTool
@testable import Terminal
import BlueZ
import Positioning
import TestSupport
import Testing

/// Receivers on a computer's GPIO pins, tested with file trees copied from real computers.
@Suite(.computation) struct OnboardPortTests {
  private static let four = "Raspberry Pi 4 Model B Rev 1.4\0"
  private static let five = "Raspberry Pi 5 Model B Rev 1.0\0"

  /// Returns a file tree for a Raspberry Pi with this port on its GPIO pins.
  private func board(
    _ model: String, pins: String?, settings: String = "", nodes: [String] = []
  ) throws -> TestTree {
    let files = try TestTree([
      "/proc/device-tree/model": model, "/boot/firmware/config.txt": settings,
      "/etc/group": "tty:x:5:\ndialout:x:20:", "/proc/self/status": "Uid:\t0\t0\t0\t0",
    ])
    for node in nodes + (pins.map { [$0] } ?? []) { try files.file("/dev/\(node)", "") }
    if let pins { try files.link("/dev/serial0", to: pins) }
    return files
  }

  private func lines(_ source: String, _ files: TestTree) throws -> [String] {
    let source = try #require(PositionSource(source))
    return NamedSource(source, files.tree, UserRights(files.tree)).findings.map(\.line)
  }

  // MARK: Finding

  @Test func `the port on the GPIO pins is offered, but never the port used for Bluetooth`() throws
  {
    let files = try board(Self.four, pins: "ttyS0", nodes: ["ttyAMA0", "ttyAMA1", "tty1"])
    try files.link("/dev/serial1", to: "ttyAMA0")
    #expect(OnboardPort.names(files.tree) == ["/dev/serial0", "/dev/ttyAMA1"])
    #expect(
      try lines("/dev/serial1", files) == [
        "fault receiver: /dev/serial1 is the serial port of the Bluetooth adapter -> use the port "
          + "on the pins, /dev/serial0"
      ])
  }

  @Test func `without symbolic links, the adapter's own entry shows which port it uses`() throws {
    let files = try board(Self.four, pins: nil, nodes: ["ttyAMA0", "ttyAMA1"])
    let line = "/sys/devices/platform/soc/fe201000.serial/tty/ttyAMA0"
    try files.file("\(line)/hci0/uevent", "")
    try files.link("/sys/class/bluetooth/hci0", to: "../../..\(line)/hci0")
    #expect(OnboardPort.names(files.tree) == ["/dev/ttyAMA1"])
  }

  @Test func `on a PC with 32 device nodes for ports, only those of real ports are offered`() throws
  {
    let files = try TestTree()
    for number in 0..<32 {
      try files.file("/dev/ttyS\(number)", "")
      try files.file("/sys/class/tty/ttyS\(number)/type", number == 1 ? "4" : "0")
    }
    #expect(OnboardPort.names(files.tree) == ["/dev/ttyS1"])
    try files.file("/sys/class/tty/ttyS1/type", "0")
    #expect(OnboardPort.names(files.tree).isEmpty)
    #expect(SerialPort.remedyForPins(files.tree) == nil)
  }

  @Test func `a Raspberry Pi 5's debug connector is not mistaken for the port on its GPIO pins`()
    throws
  {
    let files = try board(Self.five, pins: "ttyAMA10")
    #expect(OnboardPort.names(files.tree).isEmpty)
    #expect(
      try lines("/dev/serial0", files) == [
        "warning receiver: /dev/serial0 is on the debug connector, not on pins 8 and 10 -> use "
          + "/dev/ttyAMA0 for a receiver on the pins; if that port is missing: add "
          + "'dtparam=uart0=on' under [all] in /boot/firmware/config.txt, and restart the computer"
      ])
    try files.file("/dev/ttyAMA0", "")
    #expect(OnboardPort.names(files.tree) == ["/dev/ttyAMA0"])
    #expect(try lines("/dev/ttyAMA0", files) == ["ok receiver: /dev/ttyAMA0 can be used"])
  }

  @Test func `a console port or a PC's port is opened only if the user names it`() throws {
    let pc = try TestTree(["/dev/ttyS0": "", "/sys/class/tty/ttyS0/type": "4"])
    #expect(OnboardPort.names(pc.tree) == ["/dev/ttyS0"])
    #expect(OnboardPort.harmlessNames(pc.tree).isEmpty)
    let files = try board(Self.four, pins: "ttyS0")
    #expect(OnboardPort.harmlessNames(files.tree) == ["/dev/serial0"])
    try files.file("/sys/class/tty/console/active", "tty1 ttyS0")
    #expect(OnboardPort.harmlessNames(files.tree).isEmpty)
  }

  @Test func `if no receiver is plugged in, the remedy names the port on the GPIO pins`() throws {
    let files = try board(Self.four, pins: "ttyS0")
    #expect(
      SerialPort.findings(
        [], isNeeded: true, remedyForPins: SerialPort.remedyForPins(files.tree)
      ).map(\.line) == [
        "warning receiver: no GPS receiver is plugged in: samples will have no position -> plug "
          + "one in, or specify a source with --gps; for a receiver on the GPIO pins, use "
          + "/dev/serial0"
      ])
  }

  // MARK: Switched off

  @Test(arguments: [
    (four, "", "add 'enable_uart=1' under [all] in /boot/firmware/config.txt, and restart"),
    (four, "[pi5]\nenable_uart=1 ", "add 'enable_uart=1' under [all]"),
    (four, "[pi4]\nenable_uart=1 # x", "restart the computer: 'enable_uart=1'"),
    (four, "[cm4]\nx=1\n[all]\nenable_uart = 1", "restart the computer: 'enable_uart=1'"),
    (four, "enable_uart=1\nenable_uart=0", "add 'enable_uart=1' under [all]"),
    (four, "\u{feff}[all]\r\nenable_uart=1\r\n", "restart the computer: 'enable_uart=1'"),
    (four, "[pi400]\nenable_uart=1", "add 'enable_uart=1' under [all]"),
    (five, "enable_uart=1", "add 'dtparam=uart0=on' under [all]"),
    (five, "dtparam=i2c_arm=on,uart0=on", "restart the computer: 'dtparam=uart0=on'"),
    ("Raspberry Pi Zero 2 W Rev 1.0\0", "[pi02]\nenable_uart=1", "restart the computer: "),
    ("Raspberry Pi Zero 2 W Rev 1.0\0", "[pi0]\nenable_uart=1", "restart the computer: "),
  ])
  func `the remedy for a disabled UART contains the setting for the computer's model`(
    model: String, settings: String, remedy: String
  ) throws {
    let files = try board(model, pins: nil, settings: settings)
    let line = try #require(lines("/dev/serial0", files).first)
    #expect(
      line.hasPrefix("fault receiver: no receiver at /dev/serial0 -> \(remedy)"), "\(line)"
    )
  }

  @Test
  func
    `a Pi's model and its settings file on Debian 11 are found; an Orange Pi is not taken for a Pi`()
    throws
  {
    let files = try TestTree([
      "/sys/firmware/devicetree/base/model": Self.four, "/boot/config.txt": "core_freq=250",
    ])
    let pi = try #require(RaspberryPi(files.tree))
    #expect(pi.file == "/boot/config.txt" && pi.isClockFixed && pi.has5GHz)
    try files.file("/sys/firmware/devicetree/base/model", "Raspberry Pi 3 Model B Rev 1.2\0")
    #expect(RaspberryPi(files.tree)?.has5GHz == false)
    try files.file("/sys/firmware/devicetree/base/model", "Orange Pi Zero 3\0")
    #expect(RaspberryPi(files.tree) == nil)
    #expect(
      try lines("/dev/serial0", files) == [
        "fault receiver: no receiver at /dev/serial0 -> plug it in; 'footbridge gps' finds "
          + "receivers"
      ])
  }

  @Test func `settings in included files apply, and the last of two conflicting values wins`()
    throws
  {
    let files = try board(
      Self.four, pins: "ttyS0", settings: "core_freq_fixed=1\ninclude own.txt\n")
    try files.file("/boot/firmware/own.txt", "core_freq_fixed=0\ndtoverlay=miniuart-bt\n")
    let pi = try #require(RaspberryPi(files.tree))
    #expect(!pi.isClockFixed && pi.hasBluetoothOnMiniUART)
  }

  @Test func `a port used by another HAT is opened only if the user names it`() throws {
    let files = try board(Self.four, pins: "ttyS0", nodes: ["ttyAMA3"])
    #expect(OnboardPort.names(files.tree) == ["/dev/serial0", "/dev/ttyAMA3"])
    #expect(OnboardPort.harmlessNames(files.tree) == ["/dev/serial0"])
  }

  @Test func `without Raspberry Pi OS's symbolic link, the finding names the port itself`() throws {
    let files = try board(Self.four, pins: nil, nodes: ["ttyAMA0"])
    #expect(
      try lines("/dev/serial0", files) == [
        "fault receiver: no receiver at /dev/serial0 -> use /dev/ttyAMA0"
      ])
  }

  // MARK: Login

  private static let login =
    "fault receiver: a login prompt on /dev/serial0 consumes the receiver's sentences -> run 'sudo "
    + "raspi-config', choose Interface Options and Serial Port, answer no to the login and yes to "
    + "the hardware, and restart the computer"

  @Test(arguments: ["console=ttyS0,115200 console=tty1", "console=serial0,115200", "quiet"])
  func `a login prompt on a serial port is detected from its console, its link or its program`(
    command: String
  ) throws {
    let files = try board(Self.four, pins: "ttyS0", settings: "core_freq_fixed=1")
    try files.file("/proc/cmdline", command)
    if command == "quiet" {
      #expect(try lines("/dev/serial0", files) == ["ok receiver: /dev/serial0 can be used"])
      try files.link(
        "/run/systemd/generator/getty.target.wants/serial-getty@ttyS0.service",
        to: "/usr/lib/systemd/system/serial-getty@.service")
      #expect(try lines("/dev/serial0", files) == [Self.login])
      try files.remove("/run/systemd/generator/getty.target.wants/serial-getty@ttyS0.service")
      try files.file("/proc/7/comm", "agetty")
      try files.file("/proc/7/cmdline", "/sbin/agetty\0-o\0-\0ttyS0\0vt220\0")
      #expect(try lines("/dev/serial0", files) == [Self.login])
      // The name used in Debian's unit.
      try files.file("/proc/7/cmdline", "/sbin/agetty\0-o\0-\0-\0vt220\0")
      try files.link("/proc/7/fd/0", to: "/dev/ttyS0")
    }
    #expect(try lines("/dev/serial0", files) == [Self.login])
  }

  @Test func `a console whose login is masked is still reported as writing to the receiver`() throws
  {
    let files = try TestTree(["/dev/ttyS0": "", "/sys/class/tty/console/active": "tty0 ttyS0"])
    let remedy =
      "remove 'console=ttyS0' from the kernel's command line, then 'sudo systemctl mask "
      + "serial-getty@ttyS0', and restart the computer"
    #expect(
      try lines("/dev/ttyS0", files) == [
        "fault receiver: a login prompt on /dev/ttyS0 consumes the receiver's sentences -> "
          + remedy
      ])
    try files.link("/etc/systemd/system/serial-getty@ttyS0.service", to: "/dev/null")
    #expect(
      try lines("/dev/ttyS0", files) == [
        "warning receiver: the kernel writes its messages to /dev/ttyS0 -> \(remedy)"
      ])
  }

  @Test func `if a login makes a port inaccessible, the udev rules are not reported as the cause`()
  {
    let port = SerialPort(
      path: "/dev/ttyS0", name: "/dev/serial0", isUSB: false, isUsable: false,
      onboard: OnboardPort(path: "/dev/ttyS0"))
    #expect(
      SerialPort.findings([port], isNeeded: true).map(\.line) == [
        "fault receiver: no permission to use /dev/serial0 -> assign it to the group 'dialout' "
          + "with 'sudo chgrp dialout /dev/ttyS0' and 'sudo chmod 660 /dev/ttyS0'; if the change "
          + "does not last, a login prompt uses the port"
      ])
  }

  // MARK: The weaker UART

  @Test
  func `drift is reported for a mini UART whose clock is not fixed, but never for a PL011`()
    throws
  {
    let files = try board(Self.four, pins: "ttyS0", settings: "enable_uart=1")
    #expect(
      try lines("/dev/serial0", files) == [
        "warning receiver: /dev/serial0 is the mini UART, whose speed may drift; Bluetooth uses "
          + "the better UART -> add 'core_freq_fixed=1' under [all] in /boot/firmware/config.txt, "
          + "or 'dtoverlay=disable-bt' if you use a USB Bluetooth adapter; then restart the "
          + "computer"
      ])
    try files.file("/boot/firmware/config.txt", "enable_uart=1\ncore_freq_fixed=1")
    #expect(try lines("/dev/serial0", files) == ["ok receiver: /dev/serial0 can be used"])
    let better = try board(Self.four, pins: "ttyAMA0", settings: "dtoverlay=disable-bt")
    #expect(try lines("/dev/serial0", better) == ["ok receiver: /dev/serial0 can be used"])
  }
}
