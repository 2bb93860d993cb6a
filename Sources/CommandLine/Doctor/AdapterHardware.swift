internal import BlueZ
internal import LinuxSystem
internal import Values

/// An adapter as the kernel describes it: its connection, and the Wi-Fi on its chip.
struct AdapterHardware: Hashable, Sendable {
  /// The connection of an adapter to the computer.
  enum Way: String, Hashable, Sendable {
    /// Plugged in, or wired to an internal USB port.
    case usb = "USB"
    /// Over a serial line on the board, as on a Raspberry Pi.
    case serial = "on the board"
    /// Over the bus for memory cards.
    case sdio = "SDIO"
    /// Simulated by the kernel.
    case virtual = "virtual"
    /// Unknown to the kernel.
    case unknown = ""
  }

  /// A Wi-Fi interface on the same chip.
  struct Neighbour: Hashable, Sendable {
    /// Its name, such as `wlan0`.
    var name: String
    var isUp: Bool
  }

  /// Its name, such as `hci0`.
  var name: String
  var way: Way
  /// The maker's name for it; empty if there is none.
  var product = ""
  /// The Wi-Fi on its chip.
  var neighbour: Neighbour?
  /// The binding of its driver; `nil` if it is not on a serial line, or if a program attached it.
  var binding: Binding?

  /// An adapter on a serial line, and its driver.
  struct Binding: Hashable, Sendable {
    /// The device, such as `serial0-0`.
    var device: String
    /// The driver, such as `hci_uart_bcm`.
    var driver: String
  }

  /// Instructions to reset an adapter that no longer answers.
  var remedy: String {
    if way == .usb { return "unplug it and plug it in again" }
    guard let binding else { return "restart the computer" }
    let file = ShellText.quoted("/sys/bus/serial/drivers/\(binding.driver)/unbind")
    return "bind its driver again with 'echo \(binding.device) | sudo tee \(file)' and "
      + "the same with 'bind', or restart the computer"
  }
}

// MARK: Judging

extension AdapterHardware {
  /// Findings about the adapters of the service, and about hardware that it does not have.
  ///
  /// - Parameter pi: the computer, if it is a Raspberry Pi.
  static func findings(
    _ adapters: [Adapter], _ hardware: [AdapterHardware], on pi: RaspberryPi? = nil
  ) -> [Finding] {
    guard !adapters.isEmpty else {
      let seen = hardware.map(\.name).joined(separator: ", ")
      return [
        .fault(
          .adapter,
          seen.isEmpty
            ? "there is no Bluetooth adapter"
            : "the kernel has \(seen), but bluetoothd does not",
          remedy: seen.isEmpty
            ? "plug one in; 'bluetoothctl list' shows what the system sees"
            : "see 'journalctl -k -g Bluetooth' for its firmware; then "
              + hardware[0].remedy
        )
      ]
    }
    return adapters.flatMap { adapter -> [Finding] in
      let hardware = hardware.first { $0.name == adapter.name }
      return [finding(adapter, hardware)]
        + [hardware?.lineFinding(on: pi), hardware?.neighbourFinding(on: pi)].compactMap(\.self)
    }
  }

  private static func finding(_ adapter: Adapter, _ hardware: AdapterHardware?) -> Finding {
    let details = [
      hardware.map(\.way.rawValue) ?? "", hardware?.product ?? "",
    ].filter { !$0.isEmpty }
    let name =
      adapter.name + (adapter.address.map { " \($0)" } ?? "")
      + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    if !adapter.canBeCentral {
      return .fault(
        .adapter, "\(name) cannot connect to boards: it is not a Bluetooth Low Energy central",
        remedy: "use an adapter with Bluetooth 4.0 or later")
    }
    if adapter.isBlocked {
      return .fault(
        .adapter, "\(name) is blocked", remedy: "unblock it with 'rfkill unblock bluetooth'")
    }
    guard adapter.isPowered else {
      return .warning(
        .adapter, "\(name) is off; a recording tries to switch it on",
        remedy: "switch it on with 'bluetoothctl power on'")
    }
    return .ok(.adapter, "\(name) is on")
  }

  /// A warning if an on-board adapter has the weaker UART.
  private func lineFinding(on pi: RaspberryPi?) -> Finding? {
    guard way == .serial, let pi, pi.hasBluetoothOnMiniUART else { return nil }
    return .warning(
      .adapter, "\(name) is on the mini UART, which loses bytes with several boards",
      remedy: "use a USB adapter, and 'dtoverlay=disable-bt' instead of 'dtoverlay=miniuart-bt' in "
        + pi.file)
  }

  private func neighbourFinding(on pi: RaspberryPi?) -> Finding? {
    guard let neighbour else { return nil }
    guard neighbour.isUp else {
      return .ok(.wifi, "\(neighbour.name) is on the chip of \(name), and is off")
    }
    return .warning(
      .wifi, "\(neighbour.name) is on the chip of \(name), and shares its antenna",
      remedy: (pi?.has5GHz == false
        ? "in its 2.4 GHz band, connections to boards may fail: use a cable"
        : "with 2.4 GHz, connections to boards may fail: use 5 GHz Wi-Fi or a cable")
        + "; if that does not help, and for more than two boards, use "
        + (way == .usb
          ? "another adapter"
          : "a USB adapter, and 'dtoverlay=disable-bt' in \(pi?.file ?? "config.txt")"))
  }
}

// MARK: Reading

extension AdapterHardware {
  /// All adapters of the kernel.
  static func all(_ tree: SystemTree) -> [AdapterHardware] {
    let folder = "/sys/class/bluetooth"
    // A link in use is there as well, as `hci0:64`.
    return tree.names(folder).filter { $0.hasPrefix("hci") && !$0.contains(":") }.map { name in
      let device = tree.target("\(folder)/\(name)/device")
      let own = tree.target("\(folder)/\(name)")
      let usb = usbDevice(of: device, tree)
      return AdapterHardware(
        name: name, way: way(device: device, own: own, isUSB: usb != nil, tree),
        product: usb.flatMap { tree.line("\($0)/product") } ?? "",
        neighbour: neighbour(of: device, tree), binding: binding(of: device, tree))
    }
  }

  private static func way(
    device: String, own: String, isUSB: Bool, _ tree: SystemTree
  ) -> Way {
    if isUSB { return .usb }
    if own.holds("/virtual/") { return .virtual }
    if device.holds("/mmc_host/") { return .sdio }
    if isOnSerialLine(device, tree) { return .serial }
    return .unknown
  }

  /// The folder of the USB device that an interface belongs to.
  private static func usbDevice(of device: String, _ tree: SystemTree) -> String? {
    if tree.exists("\(device)/idVendor") { return device }
    let parent = String(Folder.containing(device).dropLast())
    return parent.holds("/usb") && tree.exists("\(parent)/idVendor") ? parent : nil
  }

  /// The Wi-Fi with the same USB device or card as parent. On a Raspberry Pi one chip has two
  /// buses, a serial line and SDIO, and only the drivers reveal it.
  private static func neighbour(of device: String, _ tree: SystemTree) -> Neighbour? {
    let folder = "/sys/class/net"
    let found = tree.names(folder).first { name in
      guard tree.exists("\(folder)/\(name)/phy80211") || tree.exists("\(folder)/\(name)/wireless")
      else { return false }
      let other = tree.target("\(folder)/\(name)/device")
      return chip(of: device, tree) == chip(of: other, tree)
        || (isOnSerialLine(device, tree) && driver(of: other, tree).hasPrefix("brcmfmac"))
    }
    return found.map { name in
      Neighbour(name: name, isUp: tree.line("\(folder)/\(name)/operstate") == "up")
    }
  }

  /// The folder of a device that may have several functions: of a USB device or of a card.
  private static func chip(of device: String, _ tree: SystemTree) -> String {
    if let usb = usbDevice(of: device, tree) { return usb }
    // Functions of a card are `mmc1:0001:1` and so on, in its folder `mmc1:0001`.
    let name = Folder.name(of: device)
    return name.count(where: { $0 == ":" }) == 2 ? Folder.containing(device) : device
  }

  private static func isOnSerialLine(_ device: String, _ tree: SystemTree) -> Bool {
    device.holds("/tty") || driver(of: device, tree).hasPrefix("hci_uart")
  }

  private static func binding(of device: String, _ tree: SystemTree) -> Binding? {
    let driver = driver(of: device, tree)
    guard driver.hasPrefix("hci_uart") else { return nil }
    return Binding(device: Folder.name(of: device), driver: driver)
  }

  private static func driver(of device: String, _ tree: SystemTree) -> String {
    tree.name(ofLink: "\(device)/driver") ?? ""
  }
}
