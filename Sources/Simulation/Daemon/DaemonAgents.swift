internal import DBus

/// The agents that clients have registered, at most one per client.
struct DaemonAgents {
  private var paths: [String: String] = [:]
  /// The client whose agent is used for all clients without an agent of their own.
  private var chosen: String?

  private static let capabilities: Set<String> = [
    "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
  ]

  mutating func serve(_ call: DaemonCall) throws(DaemonError) -> [BusValue] {
    switch (call.member, call.signature) {
    case ("RegisterAgent", "os"):
      guard paths[call.sender] == nil else { throw .alreadyExists }
      guard let capability = call.arguments[1].text, Self.capabilities.contains(capability) else {
        throw .invalidArguments
      }
      paths[call.sender] = call.arguments[0].text
    case ("UnregisterAgent", "o"):
      guard isAgent(call) else { throw .doesNotExist }
      clientLeft(call.sender)
    case ("RequestDefaultAgent", "o"):
      guard isAgent(call) else { throw .doesNotExist }
      chosen = call.sender
    default:
      throw .unknownMethod(call)
    }
    return []
  }

  mutating func clientLeft(_ client: String) {
    paths[client] = nil
    if chosen == client { chosen = nil }
  }

  /// Returns whether an agent is available for pairing on behalf of this client. Simulated boards
  /// do not request a passkey, but pairing still needs an agent.
  func serves(_ client: String) -> Bool {
    paths[client] != nil || chosen != nil
  }

  private func isAgent(_ call: DaemonCall) -> Bool {
    paths[call.sender] != nil && paths[call.sender] == call.arguments[0].text
  }
}
