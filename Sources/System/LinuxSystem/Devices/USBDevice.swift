internal import Glibc

/// A device on a USB port.
public struct USBDevice: Hashable, Sendable {
  /// Its place in the kernel's tree, such as `/sys/devices/…/usb1/1-2`.
  public let path: String
  /// The file through which it is reset, such as `/dev/bus/usb/001/004`.
  public let node: String

  /// The device that provides the Bluetooth adapter `hci0` or the like; `nil` if it is not on USB.
  /// The tree is that of this computer, or one below a folder.
  public init?(ofAdapter name: String, below root: String = "") {
    self.init(above: "/sys/class/bluetooth/\(name)", root)
  }

  /// The device that provides a serial line, given by its path or a link to it; `nil` if it is not
  /// on USB.
  public init?(ofLine path: String, below root: String = "") {
    let line = PathPattern.target(of: root + path)
    self.init(above: "/sys/class/tty/\(Folder.name(of: line))", root)
  }

  private init?(above path: String, _ root: String) {
    var folder = PathPattern.target(of: root + path)
    let top = PathPattern.target(of: root + "/sys/devices")
    // An interface and its port are below the device, and only the device has a number on its bus.
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

  /// The reason why this process may not reset it; `nil` if it may.
  public var refusal: SystemError? { FileFacts.refusal(node, writing: true) }

  /// Resets the port of the device, which then appears again. It may take seconds.
  public func reset() throws(SystemError) {
    let device = try OwnedDescriptor.open(node, flags: O_WRONLY)
    // USBDEVFS_RESET, _IO('U', 20) of <linux/usbdevice_fs.h>.
    guard ioctl(device.number, UInt(0x5514)) == 0 else {
      throw SystemError("reset the USB device \(node)")
    }
  }
}
