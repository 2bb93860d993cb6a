import Foundation
import TestSupport
import Testing

extension BoardsWorld {
  /// A running gateway that serves its page.
  struct Gateway {
    /// `footbridge run`.
    let program: Program
    /// The output of `footbridge web pair --json`.
    let invitation: String
  }

  /// The configuration file of a gateway in this world.
  var configuration: String { scratch.path + "/footbridge.conf" }

  /// Starts `footbridge run` with all boards, the receiver, a page and additional configuration.
  /// Creates an invitation for a phone with this role.
  func startGateway(
    when rule: String = "always", role: String = "operate", _ lines: String = ""
  ) async throws -> Gateway {
    var text = ""
    for (number, address) in addresses.enumerated() {
      text += "[board b\(number)]\naddress = \(address)\n"
    }
    if let receiver { text += "[receiver]\ngps = \(receiver)\n" }
    text += """
      [recording]
      when = \(rule)
      [store]
      path = \(store)
      [status]
      socket = \(scratch.path)/run/status.sock
      [web]
      listen = 127.0.0.1:0
      \(lines)

      """
    try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    let program = try start("run", "--config", configuration)
    var invitation = ""
    try await wait(for: "a PIN") {
      let outcome = try await run(
        "web", "pair", "--role", role, "--json", "--config", configuration)
      invitation = outcome.output
      return outcome.status == 0
    }
    return Gateway(program: program, invitation: invitation)
  }
}
