/// The reason a message on one of a fleet's topics is invalid.
public enum LiveFault: Error, Equatable, Sendable {
  /// The topic does not belong to a gateway.
  case topic
  /// The fleet has no gateway with this name.
  case unknownGateway
  /// The payload is larger than readers accept.
  case tooLarge
  case notJSON
  /// A member is missing, or its type or value is invalid. The associated value is the member's
  /// name.
  case wrong(String)

  public var words: String {
    switch self {
    case .topic: "not a gateway's topic"
    case .unknownGateway: "no gateway has this name"
    case .tooLarge: "too large"
    case .notJSON: "not a JSON object"
    case .wrong(let member): "invalid '\(member)'"
    }
  }
}
