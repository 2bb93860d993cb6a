import BlueZ
import DBus
import TestSupport
import Testing
import Values

@Suite(.computation) struct ObjectTreeTests {
  private static let path = "/org/bluez/hci0/dev_C8_4B_AA_97_50_05"
  private var tree = ObjectTree()

  init() {
    _ = tree.apply(
      signal(
        "InterfacesAdded",
        [
          .objectPath(Self.path),
          interfaces([
            BlueZName.device: [
              "Address": .string("C8:4B:AA:97:50:05"), "Adapter": .objectPath("/org/bluez/hci0"),
              "RSSI": .int16(-61), "Connected": .boolean(false),
            ],
            "org.bluez.Battery1": ["Percentage": .byte(80)],
          ]),
        ]))
  }

  @Test func `a device is parsed from its D-Bus properties`() throws {
    let device = try #require(tree.devices.first)
    #expect(device.address == BoardAddress("C8:4B:AA:97:50:05"))
    #expect(device.rssi == -61)
    #expect(device.name == nil)
    #expect(!device.isConnected)
  }

  @Test mutating func `invalidated properties are removed instead of being set to empty values`() {
    let applied = tree.apply(
      changed(BlueZName.device, ["Connected": .boolean(true)], invalidated: ["RSSI"]))
    #expect(applied)
    #expect(tree.devices.first?.rssi == nil)
    #expect(tree.devices.first?.isConnected == true)
  }

  @Test
  mutating func `a device stays in the tree until its device interface is removed`() {
    _ = tree.apply(removed(["org.bluez.Battery1"]))
    #expect(tree.devices.count == 1)
    _ = tree.apply(removed([BlueZName.device]))
    #expect(tree.devices.isEmpty)
    #expect(tree.objects.isEmpty)
  }

  @Test mutating func `changes to unannounced objects are ignored`() {
    let applied = tree.apply(changed("org.bluez.Unknown1", ["x": .byte(1)]))
    #expect(!applied)
    _ = tree.apply(removed([BlueZName.device, "org.bluez.Battery1"]))
    let late = tree.apply(changed(BlueZName.device, ["Connected": .boolean(true)]))
    #expect(!late)
    #expect(tree.devices.isEmpty)
  }

  @Test mutating func `malformed signals change nothing`() {
    for arguments in [[], [BusValue.string("x")], [.int32(1), .int32(2)]] {
      for member in ["InterfacesAdded", "InterfacesRemoved"] {
        _ = tree.apply(signal(member, arguments))
      }
      _ = tree.apply(
        BusSignal("PropertiesChanged", from: Self.path, of: BlueZName.properties, arguments))
    }
    #expect(tree.devices.count == 1)
  }

  @Test mutating func `a device has only the characteristics below its own path`() {
    for device in [Self.path, Self.path + "0"] {
      _ = tree.apply(
        signal(
          "InterfacesAdded",
          [
            .objectPath(device + "/service0020/char0023"),
            interfaces([
              BlueZName.characteristic: ["UUID": .string("u"), "Flags": .strings(["notify"])]
            ]),
          ]))
    }
    let found = tree.characteristics(ofDevice: Self.path)
    #expect(found.map(\.path) == [Self.path + "/service0020/char0023"])
    #expect(found.first?.flags == ["notify"])
  }

  private func signal(_ member: String, _ arguments: [BusValue]) -> BusSignal {
    BusSignal(member, from: "/", of: BlueZName.objectManager, arguments)
  }

  private func removed(_ interfaces: [String]) -> BusSignal {
    signal("InterfacesRemoved", [.objectPath(Self.path), .strings(interfaces)])
  }

  private func changed(
    _ interface: String, _ properties: [String: BusValue], invalidated: [String] = []
  ) -> BusSignal {
    BusSignal(
      "PropertiesChanged", from: Self.path, of: BlueZName.properties,
      [.string(interface), .properties(properties), .strings(invalidated)])
  }

  private func interfaces(_ interfaces: [String: [String: BusValue]]) -> BusValue {
    .dictionary(
      key: "s", value: "a{sv}",
      interfaces.map { .init(key: .string($0.key), value: .properties($0.value)) })
  }
}
