import Foundation
import TestSupport
import Testing
import Values

/// Two studies in progress: a database, a broker, a receiver with a page, and three gateways that
/// are on walks and share their positions. The third gateway is in the study `pilot`. A further
/// gateway sent its last position long ago. The database contains a walk.
final class FleetScene: Sendable {
  let place: FleetPlace
  let broker: Mosquitto
  /// `footbridge-fleet receive`.
  let receiver: Program
  /// The receiver's pairing output for the first phone.
  let invitation: String
  /// The running gateways by name.
  let gateways: [String: Program]
  private let worlds: [BoardsWorld]

  init() async throws {
    let scratch = try Scratch()
    let store = try await scratch.recordDemo()
    let place = try await FleetPlace(scratch)
    broker = try await Mosquitto()
    let names = ["walker-1", "walker-2", "walker-3"]
    var tokens: [String] = []
    for name in names + ["trolley"] { tokens.append(try await place.add(name).file) }
    receiver = try Program(
      Program.fleet,
      [
        "receive", "--into", place.database, "--listen", "127.0.0.1:0", "--page", "127.0.0.1:0",
        "--live", broker.address, "--fleet", "study", "--fleet", "pilot", "--json",
      ], environment: scratch.environment.merging(["XDG_DATA_HOME": scratch.path]) { $1 })
    let start = try JSON(parsing: Array(try #require(await receiver.line()).utf8))
    let address = try #require(start["listening"]?.text)
    invitation = try #require(await receiver.line { $0.contains(#""pin""#) })
    for arguments in [
      ["destination", "add", "fleet", "--http", address, "--token-file", tokens[0]], ["upload"],
    ] {
      let done = try await Program.run(
        Program.footbridge, arguments + ["--store", store],
        environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
      try #require(done.status == 0, "\(done.errors)")
    }
    // This gateway is a kilometre away from the others, and is switched off before the page is
    // opened.
    try await broker.publish(
      LiveMessages.location(53.18, 9.95, for: 1), on: "footbridge/study/trolley/location")
    var worlds: [BoardsWorld] = []
    var gateways: [String: Program] = [:]
    for (name, wearer) in zip(names, ["walking", "walking", "running"]) {
      let world = try await BoardsWorld(["--gps", "--wearer", wearer])
      let lines = """
        [gateway]
        name = \(name)
        [sharing]
        broker = \(broker.address)
        fleet = \(name == "walker-3" ? "pilot" : "study")
        share = exact
        least-distance = 1
        least-interval = 5
        expires = 20
        """
      gateways[name] = try await world.startGateway(lines).program
      worlds.append(world)
    }
    self.place = place
    self.worlds = worlds
    self.gateways = gateways
  }

  /// Ends everything cleanly. The gateway named `gone` must already have been killed.
  func end(without gone: String) async {
    for (name, gateway) in gateways {
      gateway.signal(SIGTERM)
      let end = await gateway.wait()
      #expect(end.status == (name == gone ? -SIGKILL : 0), "\(name): \(end.errors)")
    }
    for world in worlds { await world.endWithoutComplaints() }
    receiver.signal(SIGINT)
    let end = await receiver.wait()
    #expect(end.status == 130, "\(end.errors)")
  }
}
