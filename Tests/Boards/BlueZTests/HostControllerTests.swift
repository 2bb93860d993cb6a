@testable import BlueZ
import MetaWearProtocol
import TestSupport
import Testing
import Values

@Suite(.computation) struct CapabilitiesTests {
  private static func status(_ effective: String) -> String {
    "Name:\tfootbridge\nCapInh:\tffffffffffffffff\nCapEff:\t\(effective)\nSeccomp:\t0\n"
  }

  @Test func `each method of changing a link's interval requires its own Linux capability`() throws
  {
    let cases: [(String, command: Bool, manage: Bool)] = [
      ("0000000000000000", false, false), ("0000000000002000", true, false),
      ("0000000000001000", false, true), ("000001ffffffffff", true, true),
    ]
    for (bits, command, manage) in cases {
      let capabilities = try #require(Capabilities(status: Self.status(bits)))
      #expect(capabilities.canCommand == command)
      #expect(capabilities.canManage == manage)
    }
  }

  @Test func `a process status without a valid capabilities line is rejected`() {
    #expect(Capabilities(status: "Name:\tfootbridge\n") == nil)
    #expect(Capabilities(status: Self.status("many")) == nil)
  }

  @Test
  func `without Bluetooth sockets, a process cannot change links, whatever its Linux capabilities`()
  {
    let all = Capabilities(bits: .max)
    #expect(HostController.Abilities(all, hasSockets: false) == [])
    #expect(HostController.Abilities(all, hasSockets: true) == [.update, .load])
    #expect(HostController.Abilities(Capabilities(bits: 1 << 13), hasSockets: true) == .update)
  }
}

@Suite(.computation) struct HostControllerTests {
  private static let nowhere = LinkPlace(
    adapter: "hci99", board: BoardAddress(value: 0xc84b_aa97_5005))

  /// Returns the error thrown by a call, or `nil` on success.
  private func failure(
    _ call: () async throws(HostControllerError) -> Void
  ) async -> HostControllerError? {
    do throws(HostControllerError) {
      try await call()
      return nil
    } catch {
      return error
    }
  }

  @Test func `the error for a missing capability names the capability`() async {
    let controller = HostController(abilities: [])
    let update = await failure { () async throws(HostControllerError) in
      try await controller.update(Self.nowhere, .fast)
    }
    #expect(
      update
        == HostControllerError(
          .notPermitted, "this process lacks CAP_NET_RAW, or the system lacks Bluetooth"))
    let load = await failure { () async throws(HostControllerError) in
      try await controller.load(Self.nowhere, .fast)
    }
    #expect(
      load
        == HostControllerError(
          .notPermitted, "this process lacks CAP_NET_ADMIN, or the system lacks Bluetooth"))
    controller.stop()
  }

  @Test func `a request for a missing adapter is rejected`() async {
    let controller = HostController(abilities: [.update, .load])
    let update = await failure { () async throws(HostControllerError) in
      try await controller.update(Self.nowhere, .fast)
    }
    #expect(
      update == HostControllerError(.noAdapter, "there is no adapter hci99, or it is off"))
    let load = await failure { () async throws(HostControllerError) in
      try await controller.load(Self.nowhere, .fast)
    }
    #expect(load?.kind == .noAdapter)
    controller.stop()
  }

  @Test func `invalid connection parameters are not sent to the controller`() async {
    let controller = HostController(abilities: .update)
    let parameters = ConnectionParameters(
      minimumInterval: 12, maximumInterval: 6, latency: 0, timeout: 600)
    let update = await failure { () async throws(HostControllerError) in
      try await controller.update(Self.nowhere, parameters)
    }
    #expect(
      update
        == HostControllerError(
          .invalid,
          "invalid connection parameters: the shortest interval must not exceed the longest")
    )
    controller.stop()
  }

  @Test func `a request to a stopped controller still gets a reply`() async {
    let controller = HostController(abilities: .update)
    controller.stop()
    let update = await failure { () async throws(HostControllerError) in
      try await controller.update(Self.nowhere, .fast)
    }
    #expect(update == HostControllerError(.refused, "the session is over"))
  }

  @Test func `a controller can be created with this process's own capabilities`() {
    let controller = HostController()
    #expect(controller.abilities.isSubset(of: [.update, .load]))
    controller.stop()
  }
}
