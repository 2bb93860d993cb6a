import MQTT
import TestSupport
import Testing

@Suite(.realTime, .enabled(if: Mosquitto.isInstalled, Mosquitto.absence)) struct ExampleTests {
  @Test func `a connection publishes a status`() async throws {
    let mosquitto = try await Mosquitto()
    let subscriber = try mosquitto.subscriber()
    let address = try #require(BrokerAddress(mosquitto.address))
    let settings = BrokerSettings(address)
    let broker = try BrokerConnection(settings) { event in print(event) }
    broker.publish(Array("hello".utf8), on: "footbridge/study/trolley/status")
    try await wait(for: "the broker has it") { broker.state.isSettled }
    broker.stop(within: 2)
    #expect(await subscriber.line { $0.hasSuffix("hello") } != nil)
  }
}
