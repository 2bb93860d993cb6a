internal import Glibc

/// A device connected to a USB port.
public struct USBDevice: Hashable, Sendable {
  /// The path in the kernel's device tree, such as `/sys/devices/…/usb1/1-2`.
  public let path: String
  /// The device file through which the device can be reset, such as `/dev/bus/usb/001/004`.
  public let node: String

  /// Finds the USB device of a Bluetooth adapter such as `hci0`. Returns `nil` if the adapter is
  /// not a USB device. `root` is a folder with a copy of a device tree, or an empty string for this
  /// computer's own tree.
  public init?(ofAdapter name: String, below root: String = "") {
    self.init(above: "/sys/class/bluetooth/\(name)", root)
  }

  /// Finds the USB device of the serial line at `path`, which may be a link. Returns `nil` if the
  /// line is not on USB.
  public init?(ofLine path: String, below root: String = "") {
    let line = PathPattern.target(of: root + path)
    self.init(above: "/sys/class/tty/\(Folder.name(of: line))", root)
  }

  private init?(above path: String, _ root: String) {
    var folder = PathPattern.target(of: root + path)
    let top = PathPattern.target(of: root + "/sys/devices")
    // In the device tree, an interface and its port are below the device, and only the device has a
    // bus number.
    while folder.hasPrefix(top + "/") {
      if let bus = Self.number(folder + "/busnum"), let device = Self.number(folder + "/devnum") {
        self.path = folder
        node = "\(root)/dev/bus/usb/\(Self.padded(bus))/\(Self.padded(device))"
        return
      }
      folder = String(Folder.containing(folder).dropLast())
    }
    return nil
  }

  private static func number(_ path: String) -> Int? {
    WholeFile.text(path).flatMap { Int($0.prefix { $0.isNumber }) }
  }

  private static func padded(_ number: Int) -> String {
    String(repeating: "0", count: max(0, 3 - "\(number)".count)) + "\(number)"
  }

  /// The reason this process may not reset the device; `nil` if it may.
  public var refusal: SystemError? { FileFacts.refusal(node, writing: true) }

  /// Resets the USB port. The device disappears and reappears, which can take seconds.
  public func reset() throws(SystemError) {
    let device = try OwnedDescriptor.open(node, flags: O_WRONLY)
    // USBDEVFS_RESET, _IO('U', 20) of <linux/usbdevice_fs.h>.
    guard ioctl(device.number, UInt(0x5514)) == 0 else {
      throw SystemError("reset the USB device \(node)")
    }
  }
}
