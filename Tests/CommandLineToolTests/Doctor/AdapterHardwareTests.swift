@testable import BlueZ
@testable import CommandLineTool
@testable import Terminal
import TestSupport
import Testing
import Values

/// Adapters in the kernel's device tree, and Wi-Fi on the same hardware.
@Suite(.computation) struct AdapterHardwareTests {
  private let files: TestTree

  init() throws {
    files = try TestTree()
  }

  private func adapter(
    _ name: String = "hci0", isPowered: Bool = true, canBeCentral: Bool = true,
    isBlocked: Bool = false
  ) -> Adapter {
    Adapter(
      path: "/org/bluez/\(name)", address: BoardAddress("00:1A:7D:DA:71:0A"), isPowered: isPowered,
      canBeCentral: canBeCentral, isBlocked: isBlocked)
  }

  private func lines(_ adapters: [Adapter], on pi: RaspberryPi? = nil) -> [String] {
    AdapterHardware.findings(adapters, AdapterHardware.all(files.tree), on: pi).map(\.line)
  }

  /// Creates a kernel device with this path, class and name.
  private func device(_ path: String, _ kind: String, _ name: String) throws {
    try files.file("\(path)/\(kind)/\(name)/uevent", "")
    try files.link("\(path)/\(kind)/\(name)/device", to: "../..")
    try files.link("/sys/class/\(kind)/\(name)", to: "../../..\(path)/\(kind)/\(name)")
  }

  private func usbAdapter() throws {
    let usb = "/sys/devices/pci0000:00/usb1/1-1/1-1.2"
    try files.file("\(usb)/idVendor", "0a12")
    try files.file("\(usb)/product", "CSR8510 A10")
    try device("\(usb)/1-1.2:1.0", "bluetooth", "hci0")
  }

  @Test func `a USB adapter is reported with its product name and its state`() throws {
    try usbAdapter()
    #expect(
      lines([adapter()]) == ["ok adapter: hci0 00:1A:7D:DA:71:0A (USB, CSR8510 A10) is on"])
    #expect(
      lines([adapter(isPowered: false)]) == [
        "warning adapter: hci0 00:1A:7D:DA:71:0A (USB, CSR8510 A10) is off; the next recording "
          + "will try to switch it on -> switch it on with 'bluetoothctl power on'"
      ])
    #expect(
      lines([adapter(isPowered: false, isBlocked: true)]) == [
        "fault adapter: hci0 00:1A:7D:DA:71:0A (USB, CSR8510 A10) is blocked -> unblock it with "
          + "'rfkill unblock bluetooth'"
      ])
    #expect(
      lines([adapter(canBeCentral: false)]) == [
        "fault adapter: hci0 00:1A:7D:DA:71:0A (USB, CSR8510 A10) cannot connect to boards: it is not "
          + "a Bluetooth Low Energy central -> use an adapter with Bluetooth 4.0 or later"
      ])
  }

  @Test
  func `an adapter missing from the computer is distinguished from one missing from bluetoothd`()
    throws
  {
    #expect(
      lines([]) == [
        "fault adapter: there is no Bluetooth adapter -> plug one in; 'bluetoothctl list' shows "
          + "the adapters that the system finds"
      ])
    try usbAdapter()
    #expect(
      lines([]) == [
        "fault adapter: the kernel lists hci0, but bluetoothd does not -> see 'journalctl -k -g "
          + "Bluetooth' for firmware errors; then unplug it and plug it in again"
      ])
    // The simulated Bluetooth service lists adapters that the kernel does not have.
    #expect(lines([adapter("hci7")]) == ["ok adapter: hci7 00:1A:7D:DA:71:0A is on"])
  }

  @Test func `Wi-Fi and Bluetooth on one USB device are reported as sharing an antenna`() throws {
    try usbAdapter()
    let usb = "/sys/devices/pci0000:00/usb1/1-1/1-1.2"
    try device("\(usb)/1-1.2:1.2", "net", "wlan1")
    try files.file("/sys/class/net/wlan1/phy80211/name", "phy0")
    try files.file("/sys/class/net/wlan1/operstate", "up")
    #expect(
      lines([adapter()]).last
        == "warning wifi: wlan1 shares a chip and an antenna with hci0 -> use 5 GHz Wi-Fi or a "
        + "cable, because connections may fail while Wi-Fi uses 2.4 GHz; if that does not help, or "
        + "for more than two boards, use another adapter")
    try files.file("/sys/class/net/wlan1/operstate", "down")
    #expect(lines([adapter()]).last == "ok wifi: wlan1 shares a chip with hci0, but is off")
  }

  private func onboardAdapter() throws {
    let line = "/sys/devices/platform/soc/fe201000.serial/serial0/serial0-0"
    try device(line, "bluetooth", "hci0")
    try files.link("\(line)/driver", to: "../../../../../../bus/serial/drivers/hci_uart_bcm")
    let card = "/sys/devices/platform/soc/fe300000.mmcnr/mmc_host/mmc1/mmc1:0001/mmc1:0001:1"
    try device(card, "net", "wlan0")
    try files.link("\(card)/driver", to: "../../../../../../../bus/sdio/drivers/brcmfmac")
    try files.file("/sys/class/net/wlan0/wireless/x", "")
    try files.file("/sys/class/net/wlan0/operstate", "up")
    // A wired network interface is not Wi-Fi.
    try device("/sys/devices/platform/scb/fd580000.ethernet", "net", "eth0")
  }

  @Test func `a Raspberry Pi's Wi-Fi and Bluetooth are recognised as one chip on two buses`()
    throws
  {
    try onboardAdapter()
    #expect(
      lines([adapter()]) == [
        "ok adapter: hci0 00:1A:7D:DA:71:0A (on the board) is on",
        "warning wifi: wlan0 shares a chip and an antenna with hci0 -> use 5 GHz Wi-Fi or a cable, "
          + "because connections may fail while Wi-Fi uses 2.4 GHz; if that does not help, or for "
          + "more than two boards, use a USB adapter, and 'dtoverlay=disable-bt' in config.txt",
      ])
  }

  @Test func `a computer that does not support 5 GHz Wi-Fi is not advised to use 5 GHz`() throws {
    try onboardAdapter()
    let pi = RaspberryPi(model: "Raspberry Pi Zero 2 W Rev 1.0")
    #expect(
      lines([adapter()], on: pi).last
        == "warning wifi: wlan0 shares a chip and an antenna with hci0 -> use a cable, because "
        + "connections to boards may fail while Wi-Fi uses 2.4 GHz; if that does not help, or for "
        + "more than two boards, use a USB adapter, and 'dtoverlay=disable-bt' in "
        + "/boot/firmware/config.txt")
  }

  @Test func `the advice for a built-in adapter does not suggest unplugging it`() throws {
    try onboardAdapter()
    #expect(
      lines([]) == [
        "fault adapter: the kernel lists hci0, but bluetoothd does not -> see 'journalctl -k -g "
          + "Bluetooth' for firmware errors; then reset its driver: run 'echo serial0-0 | sudo tee "
          + "/sys/bus/serial/drivers/hci_uart_bcm/unbind', then the same command with 'bind' "
          + "instead of 'unbind', or restart the computer"
      ])
  }

  @Test func `Bluetooth on a Raspberry Pi's slower UART causes a warning`() throws {
    try onboardAdapter()
    let pi = RaspberryPi(
      model: "Raspberry Pi 4 Model B Rev 1.4", settings: ["dtoverlay=miniuart-bt"])
    #expect(
      lines([adapter()], on: pi)[1]
        == "warning adapter: hci0 uses the mini UART, which loses bytes with several boards -> use "
        + "a USB adapter, and 'dtoverlay=disable-bt' instead of 'dtoverlay=miniuart-bt' in "
        + "/boot/firmware/config.txt")
  }

  @Test func `a USB adapter is not reported as sharing an antenna with the Pi's own Wi-Fi`() throws
  {
    try usbAdapter()
    let card = "/sys/devices/platform/soc/fe300000.mmcnr/mmc_host/mmc1/mmc1:0001/mmc1:0001:1"
    try device(card, "net", "wlan0")
    try files.link("\(card)/driver", to: "../../../../../../../bus/sdio/drivers/brcmfmac")
    try files.file("/sys/class/net/wlan0/wireless/x", "")
    #expect(lines([adapter()]).count == 1)
  }
}
