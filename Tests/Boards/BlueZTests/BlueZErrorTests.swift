@testable import BlueZ
import DBus
import LinuxSystem
import Simulation
import TestSupport
import Testing

/// Errors from the bus and bluetoothd, with their messages and remedies.
@Suite(.computation) struct BlueZErrorTests {
  /// An error as it arrives from the bus, and the message shown to the user.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var text = "sorry"
    var kind: BlueZError.Kind
    var message: String
    var remedy: String

    var testDescription: String { "\(name) \(text)" }
  }

  @Test(arguments: [
    Case(
      name: "org.freedesktop.DBus.Error.Disconnected", kind: .daemonMissing,
      message: "cannot Connect: sorry",
      remedy: "start D-Bus, or set DBUS_SYSTEM_BUS_ADDRESS to the bus to use"),
    Case(
      name: "org.freedesktop.DBus.Error.ServiceUnknown", kind: .daemonMissing,
      message: "bluetoothd is not running (Connect: sorry)",
      remedy: "start it with 'sudo systemctl start bluetooth'"),
    Case(
      name: "org.freedesktop.DBus.Error.AccessDenied", kind: .notPermitted,
      message: "no permission to use the system bus (Connect: sorry)",
      remedy: "add the user to the group 'bluetooth' and log in again"),
    Case(
      name: "org.freedesktop.DBus.Error.NoReply", kind: .refused,
      message: "bluetoothd did not respond to Connect",
      remedy: "if it still does not respond, restart it with 'sudo systemctl restart bluetooth'"),
    Case(
      name: "org.freedesktop.DBus.Error.UnknownObject", kind: .linkLost,
      message: "the object no longer exists (Connect: sorry)",
      remedy: "the board went out of range; move it closer and try again"),
    Case(
      name: "org.bluez.Error.NotReady", kind: .adapterOff,
      message: "the adapter is off (Connect: sorry)",
      remedy: "switch it on with 'bluetoothctl power on'"),
    Case(
      name: "org.bluez.Error.Failed", text: "Blocked through rfkill", kind: .adapterOff,
      message: "the radio is blocked (Connect: Blocked through rfkill)",
      remedy: "unblock it with 'rfkill unblock bluetooth'"),
    Case(
      name: "org.bluez.Error.NotConnected", kind: .linkLost, message: "Connect: sorry",
      remedy: "move the board closer"),
    Case(
      name: "org.bluez.Error.NotPermitted", text: "Notify acquired", kind: .held,
      message: "another program is using the board (Connect: Notify acquired)",
      remedy: "stop the other program, or use another board"),
    Case(
      name: "org.bluez.Error.NotPermitted", text: "Not paired", kind: .notPaired,
      message: "the board must be paired first (Connect: Not paired)",
      remedy: "pair it with 'footbridge pair BOARD'"),
    Case(
      name: "org.bluez.Error.Failed", kind: .refused, message: "Connect: sorry",
      remedy: "see the journal of bluetooth.service for the reason"),
  ])
  func `each error from the bus or bluetoothd has a message and a remedy`(_ one: Case) {
    let error = BlueZError(BusError(name: one.name, message: one.text, operation: "Connect"))
    #expect(error == BlueZError(one.kind, one.message, remedy: one.remedy))
  }

  @Test(.realTime)
  func `if the bus forbids pairing, the error contains the reason and a remedy`() async throws {
    let field = try await Field()
    field.world.inject(.demandsBonding)
    field.world.inject(.accessDenied(member: "Pair"))
    let error = await #expect(throws: BlueZError.self) {
      _ = try await field.link(mayPair: true)
    }
    #expect(error?.kind == .refused)
    #expect(error?.message.hasPrefix("cannot pair: Rejected send message") == true)
    #expect(
      error?.remedy == "move the board closer; if it was paired elsewhere, reset it and try again")
    await field.radio.close()
  }

  @Test(.realTime)
  func `if a link drops before notifications start, an error is reported after the last attempt`()
    async throws
  {
    let field = try await Field()
    // Delays the daemon's reply until after the link has dropped.
    field.world.inject(.earlyNotifications(seconds: 2))
    let linking = Task { try await field.link(0, Radio.Patience(attempts: 1)) }
    try await wait(for: "a link") {
      await field.radio.sight.devices.first?.structure == .complete
    }
    try await Task.sleep(for: .milliseconds(200))
    field.world.inject(.disconnect, into: 0)
    let error = await #expect(throws: BlueZError.self) { _ = try await linking.value }
    #expect(
      error
        == BlueZError(
          .connectFailed, "cannot keep a link to \(field.address(0))",
          remedy: "move the board closer and check its battery"))
    await field.radio.close()
  }

  @Test(.realTime)
  func `a device that has lost its command characteristic is reported as disconnected`()
    async throws
  {
    let field = try await Field()
    let devices = try await field.radio.scan(seconds: 60) { !$0.isEmpty }
    let device = try #require(devices.first)
    let client = try await BlueZClient(.at(field.world.busAddress), Field.shape)
    let box = DescriptorBox(
      try OwnedDescriptor.open("/dev/null", flags: OwnedDescriptor.readOnlyWithoutWaiting))
    let error = #expect(throws: BlueZError.self) {
      _ = try DeviceLink(field.radio, client, device, [], Field.shape, box, nil)
    }
    #expect(
      error
        == BlueZError(
          .linkLost, "\(device.address) disconnected while the link was being set up",
          remedy: "move the board closer"))
    await client.close()
    await field.radio.close()
  }
}
