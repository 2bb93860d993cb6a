@testable import Fleet
import Coding
import HTTPServer
import LinuxSystem
import Sharing
import TestSupport
import Testing
import Values

/// The examples from the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test(.enabled(if: S3Server.isInstalled, S3Server.absence))
  func `the example for ObjectStore runs`() async throws {
    let server = try await S3Server.running()
    let address = try ObjectStoreAddress(server.url + S3Server.newPlace())
    let key = ObjectStoreKey(id: server.key, secret: server.secret)
    let file = try UnnamedFile()
    try file.append(Array("a walk".utf8))
    let hash = Hexadecimal.text(SHA256.hash(of: Array("a walk".utf8)))
    let store = try ObjectStore(address, region: "us-east-1", key: key)
    try await store.put(file, hash: hash, as: "sessions/1")
    let (bytes, size) = try await store.read("sessions/1", .last(4))
    #expect(String(decoding: bytes, as: UTF8.self) == "walk" && size == 6)
  }

  @Test(.enabled(if: Mosquitto.isInstalled, Mosquitto.absence))
  func `the hub example forwards a broker's messages to a reader`() async throws {
    let mosquitto = try await Mosquitto()
    let settings = BrokerSettings(try #require(BrokerAddress(mosquitto.address)))
    let gateways = ["trolley": UniqueID(high: 1, low: 2)]
    let hub = try LiveHub(fleets: ["study"], gateways: gateways) { event in print(event) }
    let broker = try BrokerConnection(settings, subscribingTo: hub.filters) { hub.take($0) }
    let times = LiveTimes(
      sent: UTCTime(nanoseconds: 0), validity: 60, isClockSynchronised: false)
    let status = SharedStatus(
      state: "recording", works: true, version: "1", boards: [], session: nil, waitingChunks: 0)
    broker.publish(
      status.payload(times), on: LiveTopic(fleet: "study", gateway: "trolley", .status).text)
    let stream = try #require(hub.stream(forToken: []))
    var text = ""
    try await wait(for: "the event") {
      text += String(decoding: stream.next(upTo: 1_000) ?? [], as: UTF8.self)
      return text.contains("\"state\":\"recording\"")
    }
    #expect(text.hasPrefix("event: "))
    broker.stop(within: 1)
    hub.stop()
    #expect(stream.next(upTo: 10) == nil)
  }

  @Test(.enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
  func `the example for PostgresConnection runs`() async throws {
    let address = try await PostgresServer.running().database()
    let database = try PostgresConnection(address)
    let rows = try database.run("SELECT $1 + 1", [.integer(1)])
    let two = rows.integer(0, 0)
    #expect(two == 2)
  }
}
