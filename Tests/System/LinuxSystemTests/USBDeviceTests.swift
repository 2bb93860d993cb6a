import Foundation
import LinuxSystem
import TestSupport
import Testing

/// USB devices, found in a copy of the kernel's `/sys` tree.
@Suite(.realTime) struct USBDeviceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to path: String) throws {
    let path = folder.path + path
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func link(_ path: String, to target: String) throws {
    let path = folder.path + path
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: folder.path + target)
  }

  /// Adds a device to port 2 of bus 1, with an entry of this name below it.
  private func addDevice(_ below: String, in kind: String) throws {
    let device = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2"
    try write("1\n", to: device + "/../busnum")
    try write("1\n", to: device + "/../devnum")
    try write("1\n", to: device + "/busnum")
    try write("14\n", to: device + "/devnum")
    try write("", to: device + "/1-2:1.0/" + below + "/uevent")
    let name = (below as NSString).lastPathComponent
    try link("/sys/class/\(kind)/\(name)", to: device + "/1-2:1.0/" + below)
  }

  @Test func `an adapter's USB device is found above its interface`() throws {
    try addDevice("bluetooth/hci0", in: "bluetooth")
    let device = try #require(USBDevice(ofAdapter: "hci0", below: folder.path))
    #expect(device.node == folder.path + "/dev/bus/usb/001/014")
    #expect(device.path.hasSuffix("/usb1/1-2"))
    #expect(USBDevice(ofAdapter: "hci1", below: folder.path) == nil)
  }

  @Test func `a receiver's USB device is found by any name of the receiver's port`() throws {
    try addDevice("ttyUSB0/tty/ttyUSB0", in: "tty")
    try write("", to: "/dev/ttyUSB0")
    try link("/dev/gps0", to: "/dev/ttyUSB0")
    for path in ["/dev/ttyUSB0", "/dev/gps0"] {
      let device = USBDevice(ofLine: path, below: folder.path)
      #expect(device?.node == folder.path + "/dev/bus/usb/001/014", "\(path)")
    }
  }

  @Test func `an adapter on the computer's own UART has no USB device`() throws {
    let own = "/sys/devices/platform/soc/fe201000.serial/tty/ttyAMA0/hci0"
    try write("", to: own + "/uevent")
    try link("/sys/class/bluetooth/hci0", to: own)
    #expect(USBDevice(ofAdapter: "hci0", below: folder.path) == nil)
  }

  @Test
  func `a missing device file is reported before a reset, and a failed reset names its device`()
    throws
  {
    try addDevice("bluetooth/hci0", in: "bluetooth")
    let device = try #require(USBDevice(ofAdapter: "hci0", below: folder.path))
    #expect(device.refusal?.message.contains("/dev/bus/usb/001/014") == true)
    try write("", to: "/dev/bus/usb/001/014")
    #expect(device.refusal == nil)
    // The kernel reports that a file is not a device.
    #expect {
      try device.reset()
    } throws: { error in
      "\(error)".hasPrefix("cannot reset the USB device \(device.node): ")
    }
  }
}
