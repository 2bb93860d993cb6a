import DBus
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct ExampleTests {
  @Test func `the example in DBus's documentation runs`() async throws {
    let bus = try PrivateBus()
    let address = BusAddress.at(bus.address)
    let client = try await BusClient.connect(address)
    let answer = try await client.call(
      BusCall(
        "ListNames", on: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
        at: "org.freedesktop.DBus", deadline: 10))
    let names = answer.first?.texts ?? []
    client.close()
    bus.stop()
    #expect(names.contains("org.freedesktop.DBus"))
  }
}
