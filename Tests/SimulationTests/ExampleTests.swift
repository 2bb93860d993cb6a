import DBus
import Simulation
import TestSupport
import Testing

/// The example of the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example of Simulation runs`() async throws {
    let world = try SimulatedWorld(boards: 2)
    let client = try await BusClient.connect(.at(world.busAddress))
    let answer = try await client.call(
      BusCall(
        "GetManagedObjects", on: "/", of: "org.freedesktop.DBus.ObjectManager", at: "org.bluez",
        deadline: 10))
    client.close()
    world.stop()
    #expect(world.boards.map(\.name) == ["MetaWear", "MetaWear"])
    #expect(answer.count == 1)
    #expect(world.complaints == [])
  }
}
