/// The reason why a message on our topics is not one of ours.
public enum LiveFault: Error, Equatable, Sendable {
  /// The topic is not a gateway's.
  case topic
  /// No gateway of this name is in the fleet.
  case unknownGateway
  /// The payload is larger than a reader reads.
  case tooLarge
  /// The payload is not a JSON object.
  case notJSON
  /// A member is missing, has another type or an impossible value.
  case wrong(String)

  public var words: String {
    switch self {
    case .topic: "not a gateway's topic"
    case .unknownGateway: "no gateway of this name"
    case .tooLarge: "too large"
    case .notJSON: "not a JSON object"
    case .wrong(let member): "invalid '\(member)'"
    }
  }
}
