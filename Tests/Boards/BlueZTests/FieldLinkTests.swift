@testable import BlueZ
import DBus
import LinuxSystem
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

/// Links under adverse conditions, on a real bus with the simulated daemon.
@Suite(.realTime) struct FieldLinkTests {
  @Test
  func `connect fails often: attempts are repeated and logged with signal strength and link count`()
    async throws
  {
    let field = try await Field(boards: 2)
    _ = try await field.link(1)
    field.world.inject(.connectAborts(count: 3))
    let link = try await field.link(0)
    #expect(link.device.isConnected)
    #expect(field.details("attempt", of: "connect failed") == ["1", "2", "3"])
    #expect(
      field.details("reason", of: "connect failed")
        == Array(repeating: "le-connection-abort-by-local", count: 3))
    #expect(field.details("links", of: "connect failed") == ["1", "1", "1"])
    for strength in field.details("rssi", of: "connect failed").map({ Int($0) }) {
      #expect((-100 ... -30).contains(strength ?? 0))
    }
    #expect(field.world.complaints.isEmpty)
    await field.radio.close()
  }

  @Test
  func `connect fails often: a caller that allows two attempts gets an error after the second`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.connectAborts(count: 3))
    let error = await #expect(throws: BlueZError.self) {
      _ = try await field.link(0, Radio.Patience(attempts: 2))
    }
    #expect(error?.kind == .connectFailed)
    #expect(error?.message.hasSuffix("le-connection-abort-by-local") == true)
    #expect(field.details("attempt", of: "connect failed") == ["1", "2"])
    await field.radio.close()
  }

  @Test func `ServicesResolved true but objects missing: the radio waits for late objects`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.lateObjects(seconds: 0.3))
    let link = try await field.link()
    let model = try await link.read(GATT.modelNumber)
    #expect(model == Array("8".utf8))
    #expect(field.warnings.isEmpty, "neither removed nor linked again")
    #expect(field.details("attempt", of: "connecting") == ["1"])
    await field.radio.close()
  }

  @Test func `changed GATT table after firmware update: the device is removed and found again`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.missingObjects(times: nil))
    let link = try await field.link()
    let model = try await link.read(GATT.modelNumber)
    #expect(model == Array("8".utf8))
    #expect(field.warnings == ["attributes are incomplete"])
    #expect(field.details("attempt", of: "connecting").count == 2)
    #expect(field.world.complaints.isEmpty)
    await field.radio.close()
  }

  @Test
  func `changed GATT table after firmware update: the device is not removed twice within an hour`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.missingObjects(times: 3))
    for _ in 0..<2 {
      let error = await #expect(throws: BlueZError.self) { _ = try await field.link() }
      #expect(error?.kind == .notABoard)
      #expect(error?.message.hasSuffix("its attributes are incomplete") == true)
    }
    #expect(field.warnings == ["attributes are incomplete"])
    // The daemon rediscovers the attributes automatically.
    _ = try await field.link()
    await field.radio.close()
  }

  @Test
  func `device object expires: the radio scans for the device without reporting an error`()
    async throws
  {
    let field = try await Field { $0.expirySeconds = 0.5 }
    let link = try await field.link()
    await link.disconnect()
    try await wait(for: "the daemon forgets the device") {
      await field.radio.sight.devices.isEmpty
    }
    _ = try await field.link()
    #expect(field.warnings.isEmpty)
    #expect(field.world.complaints.isEmpty)
    await field.radio.close()
  }

  @Test(arguments: [DaemonFault.Cure.stop, .powerCycle])
  func `discovery wedged in InProgress: discovery restarts, then the adapter is power-cycled`(
    _ cure: DaemonFault.Cure
  ) async throws {
    let field = try await Field()
    field.world.inject(.wedgedDiscovery(cure))
    _ = try await field.link(0, Radio.Patience(seekSeconds: 60))
    #expect(field.warnings == (cure == .stop ? [] : ["switching adapter off and on"]))
    await field.radio.close()
  }

  @Test func `filters merged with other clients: the radio's discovery still finds its boards`()
    async throws
  {
    let field = try await Field(boards: 2)
    field.world.inject(.foreignDiscovery)
    let devices = try await field.radio.scan(seconds: 20) { $0.count == 2 }
    #expect(Set(devices.map(\.address)) == [field.address(0), field.address(1)])
    // The other client's discovery continues after the radio's own discovery ends, but does not
    // block linking.
    let link = try await field.link()
    #expect(link.device.isConnected)
    #expect(field.world.complaints.isEmpty)
    await field.radio.close()
  }

  @Test
  func `connecting a board disturbs others: boards connect in turn; other sessions are notified`()
    async throws
  {
    let field = try await Field(boards: 3)
    let addresses = (0..<3).map { field.address($0) }
    await withTaskGroup(of: Bool.self) { group in
      for address in addresses {
        group.addTask { [radio = field.radio] in
          (try? await radio.link(to: address, Radio.Patience())) != nil
        }
      }
      for await isLinked in group { #expect(isLinked) }
    }
    let told = field.disturbed.withLock { $0 }
    #expect(told.map(\.count) == [1, 2])
    // The simulated daemon complains about concurrent attempts, and about an attempt during the
    // radio's discovery.
    #expect(field.world.complaints.isEmpty)
    await field.radio.close()
  }

  @Test func `process crash leaves board connected: the next process takes over the board's link`()
    async throws
  {
    let field = try await Field()
    let first = try await field.link()
    // The kernel closes all descriptors of an exiting process; no call announces the exit.
    _ = first.notifications.take()
    await field.radio.client.close()
    let log = Guarded<[String]>([])
    let second = try await BlueZRadio(
      .at(field.world.busAddress), Radio.Settings(shape: Field.shape),
      BlueZRadio.Listener(remark: { remark in log.withLock { $0.append(remark.event) } }))
    let link = try await second.link(to: field.address(0), Radio.Patience())
    let model = try await link.read(GATT.modelNumber)
    #expect(model == Array("8".utf8))
    let told = log.withLock { $0.map { $0 } }
    #expect(told == ["link found"])
    await second.close()
  }

  @Test func `two gateways on one adapter: a board that another gateway listens to is left alone`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.foreignLink)
    field.world.inject(.foreignNotify)
    try await wait(for: "the foreign link") {
      await field.radio.sight.devices.first?.areServicesResolved == true
    }
    let error = await #expect(throws: BlueZError.self) { _ = try await field.link() }
    #expect(error?.kind == .held)
    #expect(error?.message.contains("another program on this computer uses") == true)
    #expect(error?.remedy == "stop the other program, or use another board")
    let linked = await field.linked.map(\.address)
    #expect(linked == [field.address(0)], "the other's link is not ended")
    await field.radio.close()
  }

  @Test func `a board that another central holds is linked once that central disconnects`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.heldByAnotherCentral(seconds: 2))
    let error = await #expect(throws: BlueZError.self) {
      _ = try await field.link(0, Radio.Patience(seekSeconds: 0.5))
    }
    #expect(error?.kind == .boardNotFound)
    #expect(error?.remedy.contains("check that no phone is using it") == true)
    _ = try await field.link(0, nil)
    await field.radio.close()
  }

  @Test func `a board that requires bonding is paired if pairing is allowed`() async throws {
    let field = try await Field()
    field.world.inject(.demandsBonding)
    let error = await #expect(throws: BlueZError.self) { _ = try await field.link() }
    #expect(error?.kind == .notPaired)
    #expect(error?.remedy.hasPrefix("pair it with 'footbridge pair C8:") == true)
    let link = try await field.link(mayPair: true)
    let model = try await link.read(GATT.modelNumber)
    #expect(model == Array("8".utf8))
    let isPaired = await field.radio.sight.devices.first?.isPaired
    #expect(isPaired == true)
    await field.radio.close()
  }

  @Test
  func `cached device list grows: a forgotten board is removed from all adapters; others stay`()
    async throws
  {
    let field = try await Field(boards: 2, adapters: 2)
    let devices = try await field.radio.scan(seconds: 20) { $0.count == 4 }
    #expect(devices.count == 4)
    let wasKnown = try await field.radio.forget(field.address(0))
    #expect(wasKnown)
    try await wait(for: "the daemon reports that the devices are gone") {
      await field.radio.sight.devices.count == 2
    }
    let left = await field.radio.sight.devices.map(\.address)
    #expect(left == [field.address(1), field.address(1)])
    let isStillKnown = try await field.radio.forget(field.address(0))
    #expect(!isStillKnown)
    await field.radio.close()
  }

  @Test func `several adapters are used in parallel, each up to its maximum number of boards`()
    async throws
  {
    let field = try await Field(boards: 5, adapters: 2, slots: 2)
    let addresses = (0..<4).map { field.address($0) }
    await withTaskGroup(of: Bool.self) { group in
      for address in addresses {
        group.addTask { [radio = field.radio] in
          (try? await radio.link(to: address, Radio.Patience())) != nil
        }
      }
      for await isLinked in group { #expect(isLinked) }
    }
    let linked = await field.linked
    for adapter in ["hci0", "hci1"] {
      #expect(linked.count { $0.adapterName == adapter } == 2)
    }
    // The second adapter connects without waiting for the first.
    let adapters = field.details("adapter", of: "connecting").prefix(2)
    #expect(Set(adapters) == Set(field.world.adapters.map(\.description)))
    #expect(field.world.complaints.isEmpty)
    let error = await #expect(throws: BlueZError.self) {
      _ = try await field.link(4, Radio.Patience(seekSeconds: 0.5))
    }
    #expect(error?.kind == .connectFailed)
    #expect(error?.message.hasPrefix("no room for ") == true)
    #expect(field.warnings == ["no room for another board"])
    await field.radio.close()
  }

  @Test func `a board whose adapter is lost moves to another adapter that hears it`() async throws {
    let field = try await Field(boards: 1, adapters: 2)
    let link = try await field.link()
    let places = [field.world.adapters[0], field.world.adapters[1]]
    let first = link.device.adapterName == "hci0" ? 0 : 1
    field.world.inject(.adapterRemoved, adapter: first)
    try await wait(for: "a link over the other adapter") {
      await field.linked.first?.adapterName == "hci\(1 - first)"
    }
    #expect(field.details("adapter", of: "adapter is gone") == [places[first].description])
    await field.radio.close()
  }

  @Test
  func `USB adapter replug, new hciN: the board is linked again under the adapter's new name`()
    async throws
  {
    let field = try await Field()
    _ = try await field.link(0, nil)
    field.world.inject(.adapterRemoved)
    try await wait(for: "the adapter is missed") { field.events.contains("adapter is gone") }
    field.world.inject(.adapterReturned(shift: 1))
    try await wait(for: "the link over it") { await field.linked.first?.adapterName == "hci1" }
    #expect(field.details("as", of: "adapter has returned") == ["hci1"])
    await field.radio.close()
  }
}
