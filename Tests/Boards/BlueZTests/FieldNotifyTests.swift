import BlueZ
import LinuxSystem
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

/// Notifications through a descriptor or D-Bus signals, on a real bus with the simulated daemon.
@Suite(.realTime) struct FieldNotifyTests {
  /// Queries a module and expects the board's reply, which arrives through a descriptor or as D-Bus
  /// signals.
  private func ask(_ link: DeviceLink, _ end: borrowing NotificationEnd) async throws {
    try await link.write(Command.readModuleInfo(.accelerometer).bytes, acknowledged: true)
    let answer = try await end.next()
    #expect(answer == [0x03, 0x80, 0x04, 0x00])
  }

  @Test(arguments: [DaemonVersion.v5_66, .v5_84])
  func `AcquireNotify never answers: the device is removed, and later links use D-Bus signals`(
    _ version: DaemonVersion
  ) async throws {
    let field = try await Field(notifySeconds: 0.5) { $0.version = version }
    field.world.inject(.noReply(.acquireNotify))
    let link = try await field.link()
    #expect(link.isBySignals)
    let end = try NotificationEnd(link)
    try await ask(link, end)
    #expect(field.events.filter { $0 == "notifications by signals" }.count == 1)
    #expect(field.details("attempt", of: "connecting").count == 2)
    await link.disconnect()
    let last = try await end.next()
    #expect(last == [])
    // The board's next link does not request the descriptor again, although the daemon would now
    // return one.
    let next = try await field.link()
    #expect(next.isBySignals)
    let nextEnd = try NotificationEnd(next)
    try await ask(next, nextEnd)
    #expect(field.events.filter { $0 == "notifications by signals" }.count == 1)
    #expect(field.world.complaints.isEmpty)
    await field.radio.close()
  }

  @Test
  func `AcquireNotify never answers: the radio waits if removing the device crashes the daemon`()
    async throws
  {
    let field = try await Field(notifySeconds: 0.5) { $0.version = .v5_66 }
    field.world.inject(.noReply(.acquireNotify))
    field.world.inject(.crashAtRemoveDevice(seconds: 0.5))
    // A radio that gave up as soon as the daemon disappeared would fail here.
    let link = try await field.link(0, nil)
    #expect(link.isBySignals)
    let end = try NotificationEnd(link)
    try await ask(link, end)
    let told = field.events.filter { $0.hasPrefix("bluetoothd") }
    #expect(told == ["bluetoothd is gone", "bluetoothd is back"])
    await field.radio.close()
  }

  /// Causes of a lost link.
  enum Loss: CaseIterable {
    case board
    case adapter
    case daemon
  }

  @Test(arguments: Loss.allCases)
  func `a link that uses D-Bus signals reports its loss after all earlier packets`(
    _ loss: Loss
  ) async throws {
    let field = try await Field(notifySeconds: 0.3)
    field.world.inject(.noReply(.acquireNotify))
    let link = try await field.link()
    #expect(link.isBySignals)
    let end = try NotificationEnd(link)
    try await link.write(Command.readModuleInfo(.accelerometer).bytes, acknowledged: true)
    switch loss {
    case .board: field.world.inject(.disconnect, into: 0)
    case .adapter: field.world.inject(.adapterRemoved)
    case .daemon: field.world.inject(.daemonGone(seconds: 60))
    }
    let answer = try await end.next()
    #expect(answer == [0x03, 0x80, 0x04, 0x00])
    let last = try await end.next()
    #expect(last == [], "hung up")
    await field.radio.close()
  }

  @Test(arguments: Loss.allCases)
  func `if a link is lost during the notification request, the next link uses a file descriptor`(
    _ loss: Loss
  ) async throws {
    let field = try await Field()
    // Delays the daemon's reply until after the link has dropped.
    field.world.inject(.earlyNotifications(seconds: 2))
    let linking = Task { try await field.link(0, nil) }
    try await wait(for: "a link") {
      await field.radio.sight.devices.first?.structure == .complete
    }
    try await Task.sleep(for: .milliseconds(200))
    field.world.inject(.earlyNotifications(seconds: 0))
    switch loss {
    case .board: field.world.inject(.disconnect, into: 0)
    case .adapter:
      field.world.inject(.adapterRemoved)
      field.world.inject(.adapterReturned(shift: 0))
    case .daemon: field.world.inject(.daemonGone(seconds: 0.5))
    }
    let link = try await linking.value
    #expect(!link.isBySignals)
    #expect(link.device.isConnected)
    #expect(!field.events.contains("notifications by signals"))
    await field.radio.close()
  }

  @Test(arguments: DaemonVersion.allCases)
  func `on every BlueZ release, the notification descriptor reports that the board disconnected`(
    _ version: DaemonVersion
  ) async throws {
    let field = try await Field { $0.version = version }
    let link = try await field.link()
    #expect(!link.isBySignals)
    let end = try NotificationEnd(link)
    try await ask(link, end)
    field.world.inject(.disconnect, into: 0)
    let last = try await end.next()
    #expect(last == [])
    await field.radio.close()
  }
}
