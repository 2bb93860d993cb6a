@testable import BlueZ
@testable import CommandLineTool
@testable import Terminal
import DBus
import TestSupport
import Testing
import Values

/// The doctor's findings for each reply on the system bus.
@Suite(.computation) struct BluetoothServiceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var answer: BluetoothService.Answer
    var isInstalled = true
    var release: BluetoothService.Release?
    var lines: [String]
    var testDescription: String { lines.first ?? "" }
  }

  private static let adapter = Adapter(
    path: "/org/bluez/hci0", address: BoardAddress("00:1A:7D:DA:71:0A"), isPowered: true,
    canBeCentral: true)

  @Test(arguments: [
    Case(
      answer: .noBus("Failed to connect to socket"),
      lines: [
        "fault bluetoothd: the system bus cannot be reached: Failed to connect to socket -> "
          + "start D-Bus ('sudo systemctl start dbus'), or set DBUS_SYSTEM_BUS_ADDRESS to the bus to use"
      ]),
    Case(
      answer: .noBus("no such file"), isInstalled: false,
      lines: [
        "fault bluetoothd: the system bus cannot be reached: no such file -> "
          + "install D-Bus and BlueZ with 'sudo apt install bluez'"
      ]),
    Case(
      answer: .notRunning,
      lines: [
        "fault bluetoothd: bluetoothd is not running -> start it with 'sudo systemctl start "
          + "bluetooth'"
      ]),
    Case(
      answer: .notRunning, isInstalled: false,
      lines: [
        "fault bluetoothd: bluetoothd is not installed -> install it with 'sudo apt install bluez'"
      ]),
    Case(
      answer: .denied("Rejected send message"),
      lines: [
        "fault rights: the policy of the system bus denies this user access to org.bluez (Rejected "
          + "send message) -> add the user to the group 'bluetooth' with 'sudo usermod -aG "
          + "bluetooth $USER' and log in again"
      ]),
    Case(
      answer: .silent,
      lines: [
        "fault bluetoothd: bluetoothd is running, but does not respond -> restart it with "
          + "'sudo systemctl restart bluetooth'"
      ]),
    Case(
      answer: .refused("out of memory"),
      lines: [
        "fault bluetoothd: bluetoothd refused to list its adapters: out of memory -> "
          + "see 'journalctl -u bluetooth' for the reason"
      ]),
    Case(
      answer: .adapters([adapter]), release: .init(modalias: "usb:v1D6Bp0246d0542"),
      lines: [
        "ok bluetoothd: bluetoothd 5.66 is running", "ok rights: this user may use org.bluez",
      ]),
    Case(
      answer: .adapters([]), release: .init(modalias: "usb:v1D6Bp0246d0537"),
      lines: [
        "warning bluetoothd: bluetoothd 5.55 is running, but the oldest tested release is 5.66 -> "
          + "update BlueZ",
        "ok rights: this user may use org.bluez",
      ]),
    Case(
      answer: .adapters([]), release: .init(modalias: "bluetooth:v1D6Bp0246d0537"),
      lines: ["ok bluetoothd: bluetoothd is running", "ok rights: this user may use org.bluez"]),
  ])
  func `each reply from the Bluetooth service produces its own findings`(_ test: Case) {
    let service = BluetoothService(
      answer: test.answer, isInstalled: test.isInstalled, release: test.release)
    #expect(service.findings.map(\.line) == test.lines)
  }

  @Test(.realTime)
  func `a missing bus or service, a refusal and a silent service are distinguished`()
    async throws
  {
    let files = try TestTree([
      "/usr/libexec/bluetooth/bluetoothd": "x", "/etc/group": "bluetooth:x:112:",
      "/proc/self/status": "Uid:\t1000\t1000\nGroups:\t112",
    ])
    let tree = files.tree
    let user = UserRights(tree)
    let empty = try FakeBus(["org.example"]) { _, _, _ in .values([]) }
    let missing = await BluetoothService(on: empty.address, tree, user)
    #expect(missing.answer == .notRunning && missing.isInstalled)
    let strict = try FakeBus(["org.bluez"]) { _, _, _ in
      .refusal(name: "org.freedesktop.DBus.Error.AccessDenied", message: "Rejected")
    }
    let denied = await BluetoothService(on: strict.address, tree, user)
    #expect(denied.answer == .denied("Rejected"))
    #expect(
      denied.findings.first?.remedy
        == "allow access for the group 'bluetooth' in a file in /etc/dbus-1/system.d")
    let silent = try FakeBus(["org.bluez"]) { _, _, _ in nil }
    #expect(await BluetoothService(on: silent.address, tree, user).answer == .silent)
    let none = await BluetoothService(on: .at("unix:path=/nowhere/bus"), tree, user)
    guard case .noBus = none.answer else {
      Issue.record("\(none.answer)")
      return
    }
  }
}
