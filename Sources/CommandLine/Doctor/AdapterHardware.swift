internal import BlueZ
internal import LinuxSystem
internal import Values

/// A Bluetooth adapter as described by the kernel: its connection to the computer, and the Wi-Fi
/// interface on the same chip.
struct AdapterHardware: Hashable, Sendable {
  /// The connection between an adapter and the computer.
  enum Way: String, Hashable, Sendable {
    /// The adapter is plugged into a USB port, or wired to an internal one.
    case usb = "USB"
    /// The adapter is connected to a serial line on the computer's board, as on a Raspberry Pi.
    case serial = "on the board"
    /// The adapter is on the SDIO bus, which also serves memory cards.
    case sdio = "SDIO"
    /// The kernel simulates the adapter.
    case virtual = "virtual"
    /// The kernel does not report the connection.
    case unknown = ""
  }

  /// A Wi-Fi interface on the same chip.
  struct Neighbour: Hashable, Sendable {
    /// The interface's name, such as `wlan0`.
    var name: String
    var isUp: Bool
  }

  /// The adapter's name, such as `hci0`.
  var name: String
  var way: Way
  /// The product name that the adapter reports; empty if unknown.
  var product = ""
  /// The Wi-Fi interface on the same chip; `nil` if there is no such interface.
  var neighbour: Neighbour?
  /// The adapter's driver binding; `nil` if the adapter is not on a serial line, or if a program
  /// attached it.
  var binding: Binding?

  /// The binding between a driver and an adapter on a serial line.
  struct Binding: Hashable, Sendable {
    /// The device's name, such as `serial0-0`.
    var device: String
    /// The driver's name, such as `hci_uart_bcm`.
    var driver: String
  }

  /// Instructions for resetting an adapter that no longer responds.
  var remedy: String {
    if way == .usb { return "unplug it and plug it in again" }
    guard let binding else { return "restart the computer" }
    let file = ShellText.quoted("/sys/bus/serial/drivers/\(binding.driver)/unbind")
    return "reset its driver: run 'echo \(binding.device) | sudo tee \(file)', then "
      + "the same command with 'bind' instead of 'unbind', or restart the computer"
  }
}

// MARK: Judging

extension AdapterHardware {
  /// Returns findings about the adapters that the Bluetooth service lists. If it lists none,
  /// returns a finding about the adapters that the kernel lists.
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
            : "the kernel lists \(seen), but bluetoothd does not",
          remedy: seen.isEmpty
            ? "plug one in; 'bluetoothctl list' shows the adapters that the system finds"
            : "see 'journalctl -k -g Bluetooth' for firmware errors; then "
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
        .adapter, "\(name) is off; the next recording will try to switch it on",
        remedy: "switch it on with 'bluetoothctl power on'")
    }
    return .ok(.adapter, "\(name) is on")
  }

  /// Returns a warning if an on-board adapter uses a Raspberry Pi's mini UART, which loses bytes.
  private func lineFinding(on pi: RaspberryPi?) -> Finding? {
    guard way == .serial, let pi, pi.hasBluetoothOnMiniUART else { return nil }
    return .warning(
      .adapter, "\(name) uses the mini UART, which loses bytes with several boards",
      remedy: "use a USB adapter, and 'dtoverlay=disable-bt' instead of 'dtoverlay=miniuart-bt' in "
        + pi.file)
  }

  private func neighbourFinding(on pi: RaspberryPi?) -> Finding? {
    guard let neighbour else { return nil }
    guard neighbour.isUp else {
      return .ok(.wifi, "\(neighbour.name) shares a chip with \(name), but is off")
    }
    return .warning(
      .wifi, "\(neighbour.name) shares a chip and an antenna with \(name)",
      remedy: (pi?.has5GHz == false
        ? "use a cable, because connections to boards may fail while Wi-Fi uses 2.4 GHz"
        : "use 5 GHz Wi-Fi or a cable, because connections may fail while Wi-Fi uses 2.4 GHz")
        + "; if that does not help, or for more than two boards, use "
        + (way == .usb
          ? "another adapter"
          : "a USB adapter, and 'dtoverlay=disable-bt' in \(pi?.file ?? "config.txt")"))
  }
}

// MARK: Reading

extension AdapterHardware {
  /// Returns all Bluetooth adapters that the kernel lists.
  static func all(_ tree: SystemTree) -> [AdapterHardware] {
    let folder = "/sys/class/bluetooth"
    // The folder also lists active links, such as `hci0:64`.
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

  /// Returns the folder of the USB device that an interface belongs to.
  private static func usbDevice(of device: String, _ tree: SystemTree) -> String? {
    if tree.exists("\(device)/idVendor") { return device }
    let parent = String(Folder.containing(device).dropLast())
    return parent.holds("/usb") && tree.exists("\(parent)/idVendor") ? parent : nil
  }

  /// Returns the Wi-Fi interface with the same parent device as the adapter: a USB device or a
  /// card. On a Raspberry Pi, the chip is connected to two buses, a serial line and SDIO. Only the
  /// drivers show that both connections lead to one chip.
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

  /// Returns the folder of the whole USB device or SDIO card. `device` is the folder of one of its
  /// functions, such as Bluetooth or Wi-Fi.
  private static func chip(of device: String, _ tree: SystemTree) -> String {
    if let usb = usbDevice(of: device, tree) { return usb }
    // An SDIO card's functions are named `mmc1:0001:1` and so on, in the card's folder `mmc1:0001`.
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
