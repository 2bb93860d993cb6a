internal import LinuxSystem
internal import Values

extension SerialPort {
  /// Drivers of ports to which a receiver may be connected: USB modem-class devices and
  /// USB-to-serial adapters.
  private static let drivers = ["ttyACM", "ttyUSB"]
  /// The folder and name prefix of each kind of preferred link, best first.
  private static let links = [("/dev/serial/by-id", ""), ("/dev", "gps")]

  /// Returns the USB ports, and the ports with a link name that identifies a receiver.
  static func all(_ tree: SystemTree, _ user: UserRights) -> [SerialPort] {
    var names: [String: String] = [:]
    for (folder, prefix) in links.reversed() {
      for name in tree.names(folder) where name.hasPrefix(prefix) {
        let path = "\(folder)/\(name)"
        guard tree.target(path) != path else { continue }
        names[tree.target(path)] = path
      }
    }
    let found = tree.names("/dev").filter { name in drivers.contains { name.hasPrefix($0) } }
      .map { "/dev/\($0)" }
    let paths = Set(found).union(names.keys).sorted()
    let holders = holders(of: Set(paths), tree)
    return paths.map { path in
      port(path, name: names[path] ?? path, holder: holders[path], tree, user)
    }
  }

  /// Returns the port at a path, which must be the device itself, not a link. `name` is the path to
  /// show.
  static func port(
    _ path: String, name: String, holder: String?, _ tree: SystemTree, _ user: UserRights
  ) -> SerialPort {
    let device = "/sys/class/tty/\(Folder.name(of: path))"
    let usb = usbDevice(of: tree.target("\(device)/device"), tree)
    let words = ["manufacturer", "product"].compactMap { name in
      usb.flatMap { tree.line("\($0)/\(name)") }
    }
    let facts = tree.facts(path)
    let notes = tree.line("\(device)/dev").flatMap { tree.text("/run/udev/data/c\($0)") } ?? ""
    return SerialPort(
      path: path, name: name, product: words.joined(separator: " "), isUSB: usb != nil,
      isUsable: tree.isUsable(path),
      group: facts.flatMap { $0.isOpenToGroup ? user.name(ofGroup: $0.group) : nil },
      holder: holder,
      isLeftAlone: notes.split(separator: "\n").contains("E:ID_MM_DEVICE_IGNORE=1"),
      onboard: usb == nil && OnboardPort.mayBe(path) ? OnboardPort(path, tree) : nil)
  }

  /// Returns the folder of the USB device to which an interface or a port belongs.
  private static func usbDevice(of device: String, _ tree: SystemTree) -> String? {
    var folder = device
    while folder.holds("/usb") {
      if tree.exists("\(folder)/idVendor") { return folder }
      folder = String(Folder.containing(folder).dropLast())
    }
    return nil
  }

  /// Returns, for each path, the program that has the port open. The kernel shows users only the
  /// files that their own programs have opened. Lock files and gpsd reveal some of the other
  /// programs.
  static func holders(of paths: Set<String>, _ tree: SystemTree) -> [String: String] {
    guard !paths.isEmpty else { return [:] }
    var holders: [String: String] = [:]
    for process in tree.names("/proc") where Int(process) != nil {
      for file in tree.names("/proc/\(process)/fd") {
        let target = tree.link("/proc/\(process)/fd/\(file)")
        guard paths.contains(target) else { continue }
        holders[target] =
          "\(tree.line("/proc/\(process)/comm") ?? "a program") (process \(process))"
      }
    }
    for path in paths where holders[path] == nil {
      guard let process = tree.number("/run/lock/LCK..\(Folder.name(of: path))"),
        let name = tree.line("/proc/\(process)/comm")
      else { continue }
      holders[path] = "\(name) (process \(process))"
    }
    return holders
  }
}
