import LinuxSystem
import TestSupport
import Testing

@testable import Sharing

/// A substitute for a broker that serves one client and sends packets chosen by the test.
private struct ScriptedBroker: ~Copyable {
  private let listener: TCPListener
  private var client: TCPConnection?

  init() throws { listener = try TCPListener() }

  var port: UInt16 { listener.port }

  /// Accepts the client. Returns its first packet.
  mutating func accept() -> [UInt8] {
    var polls = PollSet()
    polls.add(listener.number)
    polls.wait(seconds: 60)
    client = listener.accept()
    return packet()
  }

  /// Returns the client's next packet.
  mutating func packet() -> [UInt8] {
    guard let number = client?.number else { return [] }
    var polls = PollSet()
    polls.add(number)
    polls.wait(seconds: 60)
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = client?.read(into: &buffer) ?? 0
    return Array(buffer[..<max(0, count)])
  }

  mutating func send(_ bytes: [UInt8]) { _ = client?.send(bytes) }
}

/// The messages and remedies for brokers that reject a client or do not respond.
@Suite(.realTime) struct BrokerFailureTests {
  private func connect(to port: UInt16, _ filters: [String] = []) throws -> BrokerConnection {
    let address = try #require(BrokerAddress("mqtt://127.0.0.1:\(port)"))
    return try BrokerConnection(BrokerSettings(address), subscribingTo: filters)
  }

  private func failure(_ connection: BrokerConnection) async throws -> BrokerFailure? {
    try await wait(for: "a failure") { connection.state.failure != nil }
    return connection.state.failure
  }

  @Test(arguments: [
    (2, "rejected the connection (2)", "check that it speaks MQTT 3.1.1, and see its log"),
    (3, "is not ready", "see the broker's log"),
    (
      5, "rejected the user name or the password",
      "check the user name and the password on this computer and at the broker"
    ),
  ])
  func `a rejected connection's return code determines the message`(
    code: Int, reason: String, remedy: String
  ) async throws {
    var broker = try ScriptedBroker()
    let port = broker.port
    let connection = try connect(to: port)
    // CONNECT and CONNACK.
    let request = broker.accept()
    #expect(request.first == 0x10)
    broker.send([0x20, 2, 0, UInt8(code)])
    #expect(
      try await failure(connection)
        == BrokerFailure("the broker 127.0.0.1:\(port) \(reason)", remedy: remedy))
    connection.stop(within: 0)
  }

  @Test func `the error for a broker that forbids a subscription names the topics`() async throws {
    var broker = try ScriptedBroker()
    let port = broker.port
    let connection = try connect(to: port, ["walks/#"])
    let request = broker.accept()
    #expect(request.first == 0x10)
    broker.send([0x20, 2, 0, 0])
    // The packets are SUBSCRIBE, and SUBACK with the same packet identifier.
    let subscribe = broker.packet()
    try #require(subscribe.count > 4)
    #expect(subscribe[0] == 0x82)
    broker.send([0x90, 3, subscribe[2], subscribe[3], 0x80])
    #expect(
      try await failure(connection)
        == BrokerFailure(
          "the broker 127.0.0.1:\(port) does not permit this user to read all of walks/#",
          remedy: "check the user's rights at the broker"))
    connection.stop(within: 0)
  }

  @Test func `a broker that accepts the connection but never responds is reported`() async throws {
    var broker = try ScriptedBroker()
    let port = broker.port
    let connection = try connect(to: port)
    let request = broker.accept()
    #expect(request.first == 0x10)
    #expect(
      try await failure(connection)
        == BrokerFailure(
          "the broker 127.0.0.1:\(port) does not respond",
          remedy: "check the network and the broker"))
    connection.stop(within: 0)
    broker.send([])
  }
}
