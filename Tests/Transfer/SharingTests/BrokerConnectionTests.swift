import Foundation
import LinuxSystem
import TestSupport
import Testing

@testable import Sharing

/// A connection to a real broker. The broker's own client receives the published messages.
@Suite(.realTime, .enabled(if: Mosquitto.isInstalled, Mosquitto.absence))
struct BrokerConnectionTests {
  private func settings(_ address: String) throws -> BrokerSettings {
    BrokerSettings(try #require(BrokerAddress(address)))
  }

  private func settle(_ connection: BrokerConnection) async throws {
    try await wait(for: "the broker has everything") { connection.state.isSettled }
  }

  @Test func `the broker retains the latest value, and an empty value deletes it`() async throws {
    let broker = try await Mosquitto()
    let connection = try BrokerConnection(settings(broker.address))
    for number in 0..<50 { connection.publish(Array("\(number)".utf8), on: "t/a") }
    connection.publish(Array("b".utf8), on: "t/b")
    try await settle(connection)
    connection.publish([], on: "t/b")
    try await settle(connection)
    let subscriber = try broker.subscriber()
    #expect(await subscriber.line()?.hasSuffix(" 1 t/a 49") == true)
    connection.publish(Array("x".utf8), on: "t/a")
    #expect(await subscriber.line { $0.hasSuffix(" 0 t/a x") } != nil)
    #expect(!subscriber.lines.contains { $0.contains(" t/b ") })
    connection.publish(Array("last".utf8), on: "t/a")
    connection.stop(within: 5)
    #expect(await subscriber.line { $0.hasSuffix(" t/a last") } != nil)
  }

  @Test func `a broker that returns after an outage gets the latest value`() async throws {
    let broker = try await Mosquitto()
    let connection = try BrokerConnection(settings(broker.address))
    connection.publish([1], on: "t")
    try await settle(connection)
    await broker.kill()
    try await wait(for: "the loss") { !connection.state.isConnected }
    #expect(connection.state.failure?.remedy.isEmpty == false)
    for number in 1...3 { connection.publish(Array("v\(number)".utf8), on: "t") }
    try await broker.start()
    try await settle(connection)
    let subscriber = try broker.subscriber()
    #expect(await subscriber.line()?.hasSuffix(" 1 t v3") == true)
    #expect(connection.state.connections >= 2)
    connection.stop(within: 1)
  }

  @Test func `an incorrect password is rejected and reported`() async throws {
    let users = try await Mosquitto.passwords(["trolley": "right one"])
    let broker = try await Mosquitto(
      ["allow_anonymous false", "password_file FOLDER/users"], files: ["users": users])
    var settings = try settings("mqtt://trolley@127.0.0.1:\(broker.port)")
    settings.password = { () throws(BrokerFailure) in "wrong one" }
    let stranger = try BrokerConnection(settings)
    try await wait(for: "a refusal") { stranger.state.failure != nil }
    let failure = try #require(stranger.state.failure)
    #expect(failure.reason.contains("rejected the user name or the password"), "\(failure)")
    #expect(!"\(failure)".contains("wrong one"))
    settings.password = { () throws(BrokerFailure) in "right one" }
    let connection = try BrokerConnection(settings)
    connection.publish([1], on: "t")
    try await settle(connection)
    connection.stop(within: 1)
    stranger.stop(within: 0)
  }

  @Test func `an encrypted connection requires a trusted server certificate`() async throws {
    let authority = try await TestCertificate.authority()
    let certificate = try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"])
    let broker = try await Mosquitto(
      [
        "allow_anonymous true", "certfile \(certificate.file)", "keyfile \(certificate.keyFile)",
      ])
    var settings = try settings("mqtts://127.0.0.1:\(broker.port)")
    let stranger = try BrokerConnection(settings)
    try await wait(for: "a refusal") { stranger.state.failure != nil }
    #expect(stranger.state.failure?.reason.contains("TLS") == true)
    #expect(!stranger.state.isConnected)
    settings.authorityFile = authority.file
    let connection = try BrokerConnection(settings)
    connection.publish(Array(repeating: 7, count: 60_000), on: "t")
    try await settle(connection)
    connection.stop(within: 1)
    stranger.stop(within: 0)
    settings.authorityFile = "/nowhere.pem"
    let lost = try BrokerConnection(settings)
    try await wait(for: "a failure") { lost.state.failure != nil }
    #expect(lost.state.failure?.reason.contains("/nowhere.pem") == true)
  }

  @Test
  func `messages are marked as retained or not, and an oversized message arrives without content`()
    async throws
  {
    let broker = try await Mosquitto()
    try await broker.publish("kept", on: "a/one")
    let came = Guarded<[String]>([])
    let connection = try BrokerConnection(
      settings(broker.address), subscribingTo: ["a/#"]
    ) { event in
      guard case .message(let topic, let payload, let isRetained) = event else { return }
      came.withLock { $0.append("\(topic) \(payload?.count ?? -1) \(isRetained)") }
    }
    try await wait(for: "the kept one") { came.withLock { $0 } == ["a/one 4 true"] }
    try await broker.publish(String(repeating: "x", count: 65_536), on: "a/two")
    try await broker.publish(String(repeating: "x", count: 65_537), on: "a/three")
    try await wait(for: "the others") { came.withLock { $0.count } == 3 }
    #expect(
      came.withLock { Set($0) } == ["a/one 4 true", "a/two 65536 false", "a/three -1 false"])
    connection.stop(within: 1)
  }

  @Test(.enabled(if: NATSCluster.isInstalled, NATSCluster.absence))
  func `messages are delivered after one of two brokers in a cluster is killed`() async throws {
    let cluster = try await NATSCluster()
    let reader = try Mosquitto.subscriber(port: cluster.ports[2], "t")
    let connection = try BrokerConnection(
      settings("mqtt://127.0.0.1:\(cluster.ports[0]),127.0.0.1:\(cluster.ports[1])"))
    // If a reader has just connected to a node, it may miss messages that another node receives at
    // the same time.
    try await wait(for: "the reader") {
      connection.publish(Array("before".utf8), on: "t")
      try await settle(connection)
      return reader.lines.contains { $0.hasSuffix(" t before") }
    }
    // The connection uses one of these two nodes.
    for node in 0..<2 {
      await cluster.kill(node)
      for number in 0..<3 {
        connection.publish(Array("after \(node) \(number)".utf8), on: "t")
        try await settle(connection)
      }
      #expect(await reader.line { $0.hasSuffix(" t after \(node) 2") } != nil)
      guard connection.state.connections == 1 else { break }
      try await cluster.restart(node)
    }
    #expect(connection.state.connections == 2)
    connection.stop(within: 1)
  }
}
