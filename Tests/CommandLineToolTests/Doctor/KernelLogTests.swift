import Foundation
import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// Kernel messages in the format of `journalctl --output short-iso`.
@Suite(.computation) struct KernelLogTests {
  private static let serial = AdapterHardware(
    name: "hci0", way: .serial, binding: .init(device: "serial0-0", driver: "hci_uart_bcm"))
  private static let usb = AdapterHardware(name: "hci1", way: .usb)

  private static func lines(_ messages: [String]) -> [String] {
    messages.map { "2026-11-25T10:00:00+0100 trolley kernel: \($0)" }
  }

  private func findings(_ messages: String...) -> [String] {
    KernelLog(Self.lines(messages)).findings([Self.serial, Self.usb]).map(\.line)
  }

  @Test func `bytes lost on a built-in adapter's UART are counted`() {
    #expect(
      findings(
        "Bluetooth: hci0: Frame reassembly failed (-84)",
        "Bluetooth: hci0: Frame reassembly failed (-84)",
        "Bluetooth: hci0: advertising data len corrected") == [
          "warning kernel: the serial line of hci0 has lost bytes 2 times since boot: samples are "
            + "missing -> use a USB adapter and 'dtoverlay=disable-bt' in config.txt, or fewer "
            + "boards and signals"
        ])
  }

  @Test(arguments: [
    "Bluetooth: hci0: command 0x0c03 tx timeout", "Bluetooth: hci0: Opcode 0x0c03 failed: -110",
  ])
  func `the remedy for a built-in adapter that does not respond is to rebind it, not to unplug it`(
    message: String
  ) {
    #expect(
      findings(message) == [
        "warning kernel: hci0 has failed to respond to a command once since boot -> if boards "
          + "cannot connect: reset its driver: run 'echo serial0-0 | sudo tee "
          + "/sys/bus/serial/drivers/hci_uart_bcm/unbind', then the same command with 'bind' "
          + "instead of 'unbind', or restart the computer"
      ])
  }

  @Test func `the remedy for missing firmware names the package that contains it`() {
    #expect(
      findings(
        "bluetooth hci1: Direct firmware load for rtl_bt/rtl8761bu_fw.bin failed with error -2",
        "bluetooth hci1: Direct firmware load for rtl_bt/rtl8761bu_config.bin failed with error -2",
        "Bluetooth: hci1: RTL: download fw command failed (-110)") == [
          "warning kernel: hci1 has failed to load its firmware once since boot -> unplug it "
            + "and plug it in again; if that does not help, try another USB port, a powered hub or "
            + "another adapter",
          "warning kernel: the firmware rtl_bt/rtl8761bu_fw.bin is not installed -> install it "
            + "with 'sudo apt install firmware-realtek'; then unplug it, or restart the computer",
        ])
  }

  @Test(arguments: [
    "hwmon hwmon1: Undervoltage detected!", "Under-voltage detected! (0x00050005)",
  ])
  func `drops in the supply voltage are counted`(message: String) {
    #expect(
      findings(message, message, message) == [
        "warning kernel: the supply voltage has dropped 3 times since boot -> use the "
          + "manufacturer's power supply or a stronger battery, and a short cable"
      ])
  }

  @Test(arguments: [
    ("I/O error, dev mmcblk0, sector 1234 op 0x1:(WRITE)", "mmcblk0"),
    ("mmcblk0: error -110 requesting status", "mmcblk0"),
    ("mmcblk0: timed out sending r/w cmd command, card status 0x400e00", "mmcblk0"),
    ("EXT4-fs error (device mmcblk0p2): ext4_find_entry:1234: reading directory", "mmcblk0p2"),
    ("EXT4-fs (mmcblk0p2): Remounting filesystem read-only", "mmcblk0p2"),
    ("JBD2: Detected IO errors while flushing file data on mmcblk0p2-8", "mmcblk0p2"),
    ("Aborting journal on device sda1-8.", "sda1"), ("I/O error, dev nvme0n1, sector 1", "nvme0n1"),
    ("BTRFS error (device sdb): bdev /dev/sdb errs: wr 1, rd 0", "sdb"),
  ])
  func `a failing card or disk is reported as a fault`(message: String, disk: String) {
    #expect(
      findings(message) == [
        "fault kernel: \(disk) has failed once since boot -> if the disk was not unplugged, save "
          + "the recordings with 'footbridge store backup', and replace the disk; 'journalctl -k -b "
          + "-g \(disk)' shows the messages"
      ])
  }

  @Test(arguments: [
    "mmc0: card stuck in programming state! __mmc_poll_for_busy", "mmc0: cqhci: timeout for tag 10",
  ])
  func `a memory card whose controller reports errors is reported as a fault`(message: String) {
    #expect(
      findings(message).first?.hasPrefix("fault kernel: the card has failed once since") == true)
  }

  @Test func `missing firmware for a Broadcom chip causes a warning that names the package`() {
    #expect(
      findings(
        "Bluetooth: hci0: BCM: firmware Patch file not found, tried:",
        "Bluetooth: hci0: BCM: 'brcm/BCM4345C0.hcd'") == [
          "warning kernel: the firmware brcm/BCM4345C0.hcd is not installed -> install it with 'sudo "
            + "apt install bluez-firmware'; then unplug it, or restart the computer"
        ])
  }

  @Test(arguments: [
    // A Raspberry Pi logs similar lines each time it boots.
    "brcmfmac mmc1:0001:1: Direct firmware load for brcm/x.bin failed with error -2",
    "mmc0: error -110 whilst initialising SDIO card",
    // The Wi-Fi of a Raspberry Pi, and a card slot that is empty.
    "mmc1: Timeout waiting for hardware interrupt.", "brcmfmac: mmc1: error -84 on read",
    "mmc1: error -110 during resume of SDIO card",
    "mmc0: Timeout waiting for hardware cmd interrupt.",
    "I/O error, dev fd0, sector 0", "sdhci: error - none",
    "Bluetooth: hci0: BCM4345C0 'brcm/BCM4345C0.hcd' Patch",
    "EXT4-fs (mmcblk0p2): mounted filesystem. Opts: errors=remount-ro",
    "Bluetooth: hci0: BCM: chip id 107", "hwmon hwmon1: Voltage normalised",
    // A board that was out of range.
    "Bluetooth: hci0: Opcode 0x200d failed: -110",
  ])
  func `common kernel messages are not reported`(message: String) {
    #expect(
      findings(message) == [
        "ok kernel: the kernel reports no problems with adapters, voltage or disks"
      ])
  }

  @Test func `missing permission to read the kernel's messages is reported as a finding`() {
    let line =
      "ok kernel: the journal does not show kernel messages to this user: only root and members of "
      + "the group 'systemd-journal' can see them"
    #expect(KernelLog([]).findings([]).map(\.line) == [line])
    #expect(KernelLog(["No journal files were opened"]).findings([]).map(\.line) == [line])
  }

  @Test
  func `a report contains only the kernel messages about Bluetooth, ports, voltage and cards`()
    throws
  {
    let told = Self.lines([
      "Bluetooth: Core ver 2.22", "usb 1-1: new high-speed USB device", "fe201000.serial: ttyAMA0",
      "mmc0: new SDHC card", "Under-voltage detected!", "random: crng init done",
    ])
    #expect(
      try KernelLog.report(told + ["journalctl exited with status 1"])
        == [0, 2, 3, 4].map { told[$0] } + ["journalctl exited with status 1"])
    #expect(throws: Complaint.self) { try KernelLog.report([]) }
  }
}
