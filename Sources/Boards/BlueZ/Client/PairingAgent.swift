internal import DBus

/// Responds to the daemon's requests while a board is being paired. No request needs user input,
/// because boards have neither a keypad nor a display.
enum PairingAgent {
  static let path = "/footbridge/agent"
  static let capability = "NoInputNoOutput"

  static func answer(_ call: ServedCall) -> ServedCall.Answer {
    switch call.member {
    // "Just works" pairing, which the daemon may ask the agent to confirm.
    case "RequestConfirmation", "RequestAuthorization", "AuthorizeService", "Release", "Cancel":
      .values([])
    case "RequestPinCode", "RequestPasskey", "DisplayPinCode", "DisplayPasskey":
      .refusal(
        name: BlueZName.errorPrefix + "Rejected",
        message: "the board has neither a keypad nor a display")
    default:
      .refusal(
        name: "org.freedesktop.DBus.Error.UnknownMethod", message: "unknown agent method")
    }
  }
}
