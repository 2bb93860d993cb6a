import Fleet
import Foundation
import LinuxSystem
import Sharing
import TestSupport
import Testing
import Values
import Web

@testable import CommandLineTool
@testable import FleetTool
@testable import Terminal

/// Fleet errors that occur without a running database, each with its message and remedy.
@Suite(.computation) struct FleetMessageTests {
  /// Collects the output of a console.
  private final class Sink: TextSink {
    private let content = Guarded<[UInt8]>([])
    let terminal: TerminalSize? = nil
    let hasColour = false

    var text: String { String(decoding: content.withLock { $0 }, as: UTF8.self) }

    var place: SinkIdentity {
      SinkIdentity(device: 1, file: UInt64(UInt(bitPattern: ObjectIdentifier(self).hashValue)))
    }

    func write(_ bytes: Span<UInt8>) throws(OutputError) {
      content.withLock { content in
        for index in bytes.indices { content.append(bytes[index]) }
      }
    }

    func writeAtOnce(_ text: String) {}
  }

  // MARK: Command lines

  @Test(arguments: [[], ["--into", "walks.sqlite"]])
  func `the upload server rejects a missing or invalid database address`(_ arguments: [String])
    async throws
  {
    let errors = Sink()
    let status = await FleetProgram.main(
      arguments: ["receive"] + arguments, environment: [:], commands: FleetProgram.all,
      console: Console(output: Sink(), errors: errors))
    #expect(status == 2)
    #expect(
      errors.text.hasPrefix(
        arguments.isEmpty
          ? """
          error: '--into' is missing
                 specify the database, as in '--into postgres://footbridge@db1/walks'

          """ : "error: 'walks.sqlite' is not a database address\n"), "\(errors.text)")
  }

  private func bucket(
    _ address: String = "https://s3.example.org/walks", region: String? = nil,
    keyFile: String? = nil, environment: [String: String] = [:]
  ) throws(Complaint) -> Bucket {
    try Bucket(
      address, region: region, keyFile: keyFile, environment: environment,
      command: "footbridge-fleet receive")
  }

  @Test
  func `an invalid region is rejected, whether it is given by the option or in the environment`() {
    let complaint = Complaint.usage(
      "the bucket's region is invalid",
      remedy: "set '--objects-region' to a region such as 'eu-central-1'",
      command: "footbridge-fleet receive")
    for region in ["eu central", "eu/central", "eu:central", "zürich"] {
      #expect(throws: complaint) { _ = try bucket(region: region) }
      #expect(throws: complaint) { _ = try bucket(environment: ["AWS_REGION": region]) }
    }
  }

  @Test func `a key file without a default key is rejected, and so is a missing key`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/key"
    try "[other]\naws_access_key_id = A\n".write(toFile: file, atomically: true, encoding: .utf8)
    try #require(unsafe chmod(file, 0o600) == 0)
    #expect(
      throws: Complaint(
        "no bucket key found in \(file)",
        remedy:
          "write two lines into it: 'aws_access_key_id = …' and 'aws_secret_access_key = …'")
    ) { _ = try bucket(keyFile: file) }
    let missing = #expect(throws: Complaint.self) { _ = try bucket() }
    #expect(missing?.message == "the bucket's key is missing" && missing?.status == .usage)
  }

  @Test func `the error for a gateway already in the fleet suggests getting a new token`() {
    let address = "postgres://footbridge@db1/walks"
    let usual = DatabaseChoice(environment: [DatabaseChoice.variable: address])
    var named = DatabaseChoice(environment: [:])
    named.address = address
    for (choice, end) in [(usual, ""), (named, " --database \(address)")] {
      let error = choice.explain(.gatewayTaken(name: "walker-1"), "walker-2") as? Complaint
      #expect(error?.message == "this gateway is already in the fleet, as 'walker-1'")
      #expect(error?.remedy == "get a new token: footbridge-fleet rotate walker-1\(end)")
    }
  }

  // MARK: The page

  @Test(.realTime) func `the fleet page offers no definitions and cannot change walks`() throws {
    let look = PageLook(
      StoreAnswers(store: StoreLocation(environment: [:])), tiles: nil,
      doctor: Doctor(store: "/nowhere/walks.sqlite"))
    let walks = try FleetWalks {
      throw Complaint("there is no database")
    } look: { _ in
      look
    }
    let page = FleetPage(nil, walks, look: look)
    defer { page.stop() }
    #expect(
      throws: PageFault(
        404, "a fleet has no definitions of its own", remedy: "open a gateway's page")
    ) { _ = try page.answer(.definitions) }
    #expect(
      throws: PageFault(
        409, "the fleet page cannot change walks",
        remedy: "edit or delete the walk at the gateway that recorded it")
    ) { _ = try page.answer(.delete(UniqueID(high: 1, low: 1))) }
  }

  // MARK: Live messages

  @Test(.realTime)
  func `a lost connection to the broker is logged only once until the connection is restored`()
    throws
  {
    let events = Guarded<[LogEvent]>([])
    let hub = try LiveHub(fleets: ["study"], gateways: [:]) { event in
      events.withLock { $0.append(event) }
    }
    defer { hub.stop() }
    let failure = BrokerFailure("the broker closed the connection", remedy: "see its log")
    for event in [
      BrokerConnection.Event.failed(failure), .failed(failure), .connected, .failed(failure),
    ] { hub.take(event) }
    let warning = LogEvent(
      .warning, "no live messages",
      ["reason": "the broker closed the connection", "remedy": "see its log"])
    #expect(
      events.withLock { $0 } == [warning, LogEvent(.notice, "broker connected"), warning])
  }

  @Test(.realTime, .enabled(if: Mosquitto.isInstalled, Mosquitto.absence))
  func `while a fleet is being watched, an unreachable broker is reported`() async throws {
    let errors = Sink()
    let watch = FleetWatch(Console(output: Sink(), errors: errors))
    // No broker listens on this port.
    let address = try #require(BrokerAddress("mqtt://127.0.0.1:1"))
    try watch.follow(BrokerSettings(address), fleet: "study")
    defer { watch.stop() }
    try await wait(for: "the warning") { errors.text.contains("event=\"no live messages\"") }
    #expect(errors.text.contains("127.0.0.1"), "\(errors.text)")
    #expect(errors.text.contains("remedy="), "\(errors.text)")
  }

  @Test(.realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
  func `a failure to save the live states is reported with a remedy`() async throws {
    let events = Guarded<[LogEvent]>([])
    let hub = try LiveHub(fleets: ["study"], gateways: [:]) { _ in }
    defer { hub.stop() }
    // No database listens on this port.
    let keeper = try LiveKeeper(hub, into: "postgres://footbridge@127.0.0.1:1/walks") { event in
      events.withLock { $0.append(event) }
    }
    try await wait(for: "the warning") { events.withLock { !$0.isEmpty } }
    keeper.stop()
    let logged = events.withLock { $0 }
    #expect(logged.map(\.event) == ["live state not saved"])
    let details = logged.first?.details ?? []
    #expect(
      details.first { $0.name == "reason" }?.value
        .hasPrefix("cannot reach the fleet's database: ") == true, "\(details)")
    #expect(
      details.first { $0.name == "remedy" }?.value
        == "check that the database is running and its address is correct")
  }
}
