import Foundation
import TestSupport
import Testing

/// The rules in `udev/`, applied to simulated devices by the udev of this computer.
@Suite(
  .realTime,
  .enabled(
    if: FakeUSB.canRun,
    "needs udevadm, and unshare with the right to make a user namespace ('bash .ci/setup' installs both)"
  ))
struct UdevTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// The effects of one udev event.
  private struct Result {
    /// The device's properties, including its symbolic links.
    var properties: [String: String] = [:]
    /// Actions of the rules under test, or errors in them.
    var remarks: [String] = []
    /// The priority of the device's symbolic links; 0 if udev records none.
    var linkPriority = 0

    var links: Set<String> {
      Set((properties["DEVLINKS"] ?? "").split(separator: " ").map(String.init))
    }
  }

  private func udev(
    _ action: String, _ part: FakeUSB.Part, of device: FakeUSB
  ) async throws -> Result {
    let outcome = try await Program.run(
      FakeUSB.unshare, device.arguments(for: action, of: part), environment: FakeUSB.environment)
    try #require(outcome.errors.contains("Reading rules file"), "\(outcome.errors)")
    var result = Result()
    for line in outcome.output.split(separator: "\n") {
      let line = line.trimmingCharacters(in: .whitespaces)
      // Up to release 252, udev stores the priority in its record. Later releases print it.
      for sign in ["L:", "Device node symlinks: (priority="] where line.hasPrefix(sign) {
        result.linkPriority = Int(line.dropFirst(sign.count).prefix { $0 != ")" }) ?? 0
      }
      // Each line of a udev record begins with a letter and a colon.
      guard let sign = line.firstIndex(of: "="), !line.prefix(2).hasSuffix(":") else { continue }
      result.properties[String(line[..<sign])] = String(line[line.index(after: sign)...])
    }
    try device.writeWhatWasSkipped(in: outcome.errors)
    result.remarks = outcome.errors.split(separator: "\n").map(String.init)
      .filter { $0.contains("footbridge") && !$0.contains("Reading rules file") }
    return result
  }

  private func device(vendor: String, product: String) throws -> FakeUSB {
    try FakeUSB(
      in: scratch.path, device: ["idVendor": vendor + "\n", "idProduct": product + "\n"])
  }

  // MARK: Receivers

  struct Receiver: CustomTestStringConvertible {
    let vendor: String
    let products: [String]
    let line: String
    let links: Set<String>
    var testDescription: String { "\(vendor):\(products.joined(separator: ",")) as \(line)" }
  }

  static let receivers = [
    Receiver(
      vendor: "1546", products: ["01a5", "01a6", "01a7", "01a8", "01a9"], line: "ttyACM0",
      links: ["/dev/gps0"]),
    Receiver(
      vendor: "1546", products: ["01a8"], line: "ttyACM2", links: ["/dev/gps0", "/dev/gps2"]),
    Receiver(
      vendor: "067b", products: ["2303", "23a3", "23b3", "23c3"], line: "ttyUSB0",
      links: ["/dev/gps-candidate-0"]),
    Receiver(
      vendor: "0403", products: ["6001", "6010", "6011", "6014", "6015"], line: "ttyUSB1",
      links: ["/dev/gps-candidate-1"]),
    Receiver(
      vendor: "10c4", products: ["ea60", "ea70"], line: "ttyUSB12",
      links: ["/dev/gps-candidate-12"]),
  ]

  @Test(arguments: receivers)
  func `a receiver gets its links and its group, and is marked to be ignored by ModemManager`(
    _ receiver: Receiver
  ) async throws {
    let groups = try String(contentsOfFile: "/etc/group", encoding: .utf8).split(separator: "\n")
    let dialout = try #require(groups.first { $0.hasPrefix("dialout:") })
    let group = dialout.split(separator: ":")[2]
    for product in receiver.products {
      let device = try device(vendor: receiver.vendor, product: product)
      try device.addLine(receiver.line, minor: 0)
      let result = try await udev("add", .line(receiver.line), of: device)
      #expect(result.links == receiver.links, "\(product)")
      #expect(result.properties["ID_MM_DEVICE_IGNORE"] == "1", "\(product)")
      #expect(result.properties["TAGS"] == ":systemd:", "\(product)")
      #expect(result.remarks.contains { $0.hasSuffix(" GROUP \(group)") }, "\(result.remarks)")
      #expect(result.remarks.contains { $0.hasSuffix(" MODE 0660") }, "\(result.remarks)")
    }
  }

  @Test func `the first of several receivers gets the name gps0`() async throws {
    var priorities: [Int] = []
    for number in 0..<3 {
      let device = try device(vendor: "1546", product: "01a8")
      try device.addLine("ttyACM\(number)", minor: number)
      let result = try await udev("add", .line("ttyACM\(number)"), of: device)
      #expect(result.links.contains("/dev/gps0"))
      priorities.append(result.linkPriority)
    }
    #expect(priorities[0] > priorities[1])
    #expect(priorities[1] > priorities[2])
  }

  @Test
  func `the UART on the GPIO pins gets its group but no receiver name; ModemManager ignores it`()
    async throws
  {
    let groups = try String(contentsOfFile: "/etc/group", encoding: .utf8).split(separator: "\n")
    let dialout = try #require(groups.first { $0.hasPrefix("dialout:") }).split(separator: ":")[2]
    for name in ["ttyAMA0", "ttyS0"] {
      let device = try device(vendor: "2341", product: "0043")
      try device.addLine(name, minor: 64, driver: name == "ttyS0" ? "bcm2835-aux-uart" : nil)
      let result = try await udev("add", .line(name), of: device)
      #expect(result.links.isEmpty)
      #expect(result.properties["ID_MM_DEVICE_IGNORE"] == "1", "\(name)")
      #expect(result.remarks.contains { $0.hasSuffix(" GROUP \(dialout)") }, "\(result.remarks)")
      #expect(result.remarks.contains { $0.hasSuffix(" MODE 0660") }, "\(result.remarks)")
    }
    // A modem may be connected to a port of a PC.
    let device = try device(vendor: "2341", product: "0043")
    try device.addLine("ttyS0", minor: 64, driver: "serial8250")
    let result = try await udev("add", .line("ttyS0"), of: device)
    #expect(result.remarks.isEmpty, "\(result.remarks)")
  }

  @Test func `the properties of other serial devices are not changed`() async throws {
    let device = try device(vendor: "2341", product: "0043")
    try device.addLine("ttyACM0", minor: 0)
    let result = try await udev("add", .line("ttyACM0"), of: device)
    #expect(result.links.isEmpty)
    #expect(result.properties["ID_MM_DEVICE_IGNORE"] == nil)
    #expect(result.remarks.isEmpty)
  }

  // MARK: Adapters

  private static let bluetooth = ["Class": "e0\n", "SubClass": "01\n", "Protocol": "01\n"]

  private func attributes(_ kind: String, _ values: [String: String]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: values.map { ("b\(kind)\($0)", $1) })
  }

  @Test(arguments: ["add", "change"])
  func `a Bluetooth adapter is exempt from autosuspend`(action: String) async throws {
    let adapter = try FakeUSB(
      in: scratch.path, device: attributes("Device", Self.bluetooth))
    let result = try await udev(action, .device, of: adapter)
    #expect(try adapter.powerControl == "on", "\(result.remarks)")
  }

  @Test func `an adapter is also exempt from autosuspend if its driver is loaded later`()
    async throws
  {
    let adapter = try FakeUSB(
      in: scratch.path,
      device: attributes("Device", ["Class": "ef\n", "SubClass": "02\n", "Protocol": "01\n"]),
      interface: attributes("Interface", Self.bluetooth))
    let before = try await udev("add", .device, of: adapter)
    #expect(try adapter.powerControl.isEmpty, "\(before.remarks)")
    let result = try await udev("bind", .interface, of: adapter)
    #expect(try adapter.powerControl == "on", "\(result.remarks)")
  }

  @Test func `other USB devices remain subject to autosuspend`() async throws {
    let camera = try FakeUSB(
      in: scratch.path,
      device: attributes("Device", ["Class": "ef\n", "SubClass": "02\n", "Protocol": "01\n"]),
      interface: attributes(
        "Interface", ["Class": "0e\n", "SubClass": "01\n", "Protocol": "00\n"]))
    _ = try await udev("add", .device, of: camera)
    _ = try await udev("bind", .interface, of: camera)
    #expect(try camera.powerControl.isEmpty)
  }

  // MARK: Resets

  @Test func `members of a group may reset receivers and adapters, but no other devices`()
    async throws
  {
    let groups = try String(contentsOfFile: "/etc/group", encoding: .utf8).split(separator: "\n")
    func number(_ name: String) -> Substring? {
      groups.first { $0.hasPrefix(name + ":") }?.split(separator: ":")[2]
    }
    let dialout = try #require(number("dialout"))
    let receiver = try await udev("add", .device, of: device(vendor: "1546", product: "01a8"))
    #expect(receiver.remarks.contains { $0.hasSuffix(" GROUP \(dialout)") }, "\(receiver.remarks)")
    #expect(receiver.remarks.contains { $0.hasSuffix(" MODE 0664") })
    let adapter = try await udev(
      "add", .device,
      of: FakeUSB(in: scratch.path, device: attributes("Device", Self.bluetooth)))
    #expect(adapter.remarks.contains { $0.hasSuffix(" MODE 0664") }, "\(adapter.remarks)")
    if let bluetooth = number("bluetooth") {
      #expect(adapter.remarks.contains { $0.hasSuffix(" GROUP \(bluetooth)") })
    }
    let other = try await udev("add", .device, of: device(vendor: "2341", product: "0043"))
    #expect(other.remarks.isEmpty)
  }

  // MARK: The files

  @Test func `udev accepts the rules, and reports a deliberate mistake in them`() async throws {
    let sound = try device(vendor: "2341", product: "0043")
    let nothing = try await udev("add", .device, of: sound)
    #expect(nothing.remarks.isEmpty)
    let spoilt = try device(vendor: "2341", product: "0043")
    try spoilt.append(rule: #"SUBSYSTEM=="tty", SYMLNK+="gps0""#)
    let complaint = try await udev("add", .device, of: spoilt)
    #expect(complaint.remarks.contains { $0.contains("SYMLNK") }, "\(complaint.remarks)")
  }
}
