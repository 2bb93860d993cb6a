internal import DBus

extension BlueZRadio {
  /// Pairs with a linked device. An agent is registered while keys are exchanged, because the
  /// daemon refuses to pair without one.
  func pair(_ path: String) async throws(BlueZError) {
    let manager = BlueZName.root
    let agent = BusValue.objectPath(PairingAgent.path)
    client.bus.serve(PairingAgent.path) { PairingAgent.answer($0) }
    defer { client.bus.serve(PairingAgent.path, nil) }
    do throws(BusError) {
      do throws(BusError) {
        try await client.call(
          "RegisterAgent", on: manager, of: BlueZName.agentManager,
          [agent, .string(PairingAgent.capability)])
      } catch {
        guard Refusal(error).kind == .alreadyDone else { throw error }
      }
      let outcome: Result<Void, BusError>
      do throws(BusError) {
        // A board at the edge of radio range responds slowly, so the deadline is generous. The
        // daemon has its own timeout.
        try await client.call("Pair", on: path, of: BlueZName.device, deadline: 60)
        outcome = .success(())
      } catch {
        outcome = Refusal(error).kind == .alreadyDone ? .success(()) : .failure(error)
      }
      _ = try? await client.call(
        "UnregisterAgent", on: manager, of: BlueZName.agentManager, [agent])
      try outcome.get()
      // The daemon announces that the device is paired before it replies to the call. However, the
      // reply may arrive first on this connection.
      _ = await client.wait(seconds: BlueZClient.quickDeadline) {
        $0.device(at: path)?.isPaired == true
      }
    } catch {
      throw BlueZError(
        .refused, "cannot pair: \(error.message)",
        remedy: "move the board closer; if it was paired elsewhere, reset it and try again")
    }
  }
}
