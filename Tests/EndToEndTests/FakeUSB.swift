import Foundation
import TestSupport

/// A copy of the kernel's `/sys` tree with one USB device, which udev reads instead of the
/// real one.
///
/// udev runs in its own user and mount namespaces, in which this tree covers `/sys` and no other
/// rules exist. The test changes nothing on this system and needs no privileges.
struct FakeUSB {
  private static let device = "devices/pci0000:00/usb1/1-1"
  private static let interface = device + "/1-1:1.0"

  private let sys: String
  private let rules: String

  /// Creates a device with these attributes and a single interface, which has its own attributes.
  init(
    in folder: String, device: [String: String], interface: [String: String] = [:]
  ) throws {
    let root = folder + "/usb-\(UUID().uuidString.prefix(8))"
    sys = root + "/sys"
    rules = root + "/rules"
    try FileManager.default.createDirectory(atPath: rules, withIntermediateDirectories: true)
    for name in Self.rulesFiles {
      try FileManager.default.copyItem(
        atPath: Self.rulesFolder + "/" + name, toPath: rules + "/" + name)
    }
    try write(
      ["uevent": "DEVTYPE=usb_device\nMAJOR=189\nMINOR=1\nDEVNAME=bus/usb/001/002\n"]
        .merging(device) { $1 }, to: Self.device)
    try link(Self.device, to: "bus/usb")
    try write(
      ["uevent": "DEVTYPE=usb_interface\n"].merging(interface) { $1 }, to: Self.interface)
    try link(Self.interface, to: "bus/usb")
    // The file starts empty. udev's write to a real attribute replaces its whole value, but a write
    // to a file would replace only the beginning.
    try write(["control": ""], to: Self.device + "/power")
  }

  /// The rules that footbridge installs.
  static let rulesFiles = ["60-footbridge-gps.rules", "61-footbridge-bluetooth.rules"]
  static let rulesFolder = Repository.path("udev")

  /// Adds a serial device such as `ttyACM0`, with this driver, to the interface.
  func addLine(_ name: String, minor: Int, driver: String? = nil) throws {
    if let driver {
      try write(["uevent": ""], to: "bus/usb/drivers/" + driver)
      let up = Self.interface.split(separator: "/").map { _ in ".." }.joined(separator: "/")
      try FileManager.default.createSymbolicLink(
        atPath: "\(sys)/\(Self.interface)/driver",
        withDestinationPath: "\(up)/bus/usb/drivers/\(driver)")
    }
    let path = Self.interface + "/tty/" + name
    try write(["uevent": "MAJOR=166\nMINOR=\(minor)\nDEVNAME=\(name)\n"], to: path)
    try link(path, to: "class/tty")
  }

  /// Appends a rule to the rules for receivers.
  func append(rule: String) throws {
    let path = rules + "/" + Self.rulesFiles[0]
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try (text + rule + "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Writes the attributes that udev logged but did not write. From release 257 on, udev's test
  /// mode writes none.
  func writeWhatWasSkipped(in log: String) throws {
    for skipped in log.matches(of: #/skipping writing ATTR\{/sys/(.+)\}="(.*)"\./#) {
      let path = sys + "/" + skipped.output.1
      try String(skipped.output.2).write(toFile: path, atomically: false, encoding: .utf8)
    }
  }

  /// The contents of the device's `power/control`.
  var powerControl: String {
    get throws {
      try String(contentsOfFile: sys + "/" + Self.device + "/power/control", encoding: .utf8)
    }
  }

  /// The device, its interface or one of its serial devices, selected by its name in `/sys`.
  enum Part {
    case device, interface
    case line(String)

    fileprivate var path: String {
      switch self {
      case .device: FakeUSB.device
      case .interface: FakeUSB.interface
      case .line(let name): FakeUSB.interface + "/tty/" + name
      }
    }
  }

  /// Returns arguments for `unshare`. With them, udev applies the rules to an event, and prints its
  /// actions and its records of the device.
  func arguments(for action: String, of part: Part) -> [String] {
    let script = """
      mount --bind "$1" /sys && mount --bind "$2" /usr/lib/udev/rules.d &&
      mount -t tmpfs none /run && mount -t tmpfs none /dev && mkdir /run/udev &&
      udevadm test --action="$3" "/sys/$4" && cat /run/udev/data/* 2>/dev/null; true
      """
    return Self.namespace + ["sh", "-c", script, "udev", sys, rules, action, part.path]
  }

  /// A namespace in which the test is allowed to mount file systems.
  static let namespace = ["--user", "--map-root-user", "--mount"]

  /// Makes udev log the rules it reads and the actions it takes, and accept a tree that is not a
  /// sysfs.
  static let environment = ["SYSTEMD_LOG_LEVEL": "debug", "SYSTEMD_DEVICE_VERIFY_SYSFS": "0"]

  /// The program that starts udev in new namespaces.
  static let unshare = "/usr/bin/unshare"

  /// Whether this system has the required programs and namespaces.
  static let canRun: Bool = {
    let hasUdev = ["/usr/bin/udevadm", "/bin/udevadm"]
      .contains { FileManager.default.isExecutableFile(atPath: $0) }
    guard hasUdev, FileManager.default.isExecutableFile(atPath: unshare) else { return false }
    let status = try? Program.shell(#"exec "$@" true"#, [unshare] + namespace)
    return status == 0
  }()

  private func write(_ attributes: [String: String], to path: String) throws {
    let folder = sys + "/" + path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in attributes {
      try text.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
    }
  }

  private func link(_ path: String, to subsystem: String) throws {
    let up = path.split(separator: "/").map { _ in ".." }.joined(separator: "/")
    try FileManager.default.createSymbolicLink(
      atPath: "\(sys)/\(path)/subsystem", withDestinationPath: "\(up)/\(subsystem)")
  }
}
