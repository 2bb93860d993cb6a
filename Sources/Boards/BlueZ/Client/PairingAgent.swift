internal import DBus

/// Answers the daemon's requests while a board is being paired. No request needs a person: boards
/// have neither keys nor a display.
enum PairingAgent {
  static let path = "/footbridge/agent"
  static let capability = "NoInputNoOutput"

  /// The answer to one of the daemon's requests.
  static func answer(_ call: ServedCall) -> ServedCall.Answer {
    switch call.member {
    // "Just works" pairing, which the daemon may want confirmed.
    case "RequestConfirmation", "RequestAuthorization", "AuthorizeService", "Release", "Cancel":
      .values([])
    case "RequestPinCode", "RequestPasskey", "DisplayPinCode", "DisplayPasskey":
      .refusal(
        name: BlueZName.errorPrefix + "Rejected", message: "there is no one to read or type a key")
    default:
      .refusal(
        name: "org.freedesktop.DBus.Error.UnknownMethod", message: "an agent has no such method")
    }
  }
}
