import DBus
import LinuxSystem
import Simulation
import TestSupport
import Testing

/// The examples from the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example for Simulation runs`() async throws {
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

  @Test func `the example for SimulatedRun runs`() async throws {
    let seconds = try await SimulatedRun.live { time in
      try await Pause.seconds(60)
      return time.elapsed
    }
    #expect(seconds == 60)
  }
}
