/// Why a message on our topics is not one of ours.
public enum LiveFault: Error, Equatable, Sendable {
  /// The topic is none of a gateway.
  case topic
  /// No gateway of this name is in the fleet.
  case unknownGateway
  /// The payload is larger than a reader reads.
  case tooLarge
  /// The payload is no JSON object.
  case notJSON
  /// A member is missing, has another type or a value that cannot be.
  case wrong(String)

  /// The fault in a few words.
  public var words: String {
    switch self {
    case .topic: "no topic of a gateway"
    case .unknownGateway: "no gateway of this name"
    case .tooLarge: "too large"
    case .notJSON: "no JSON object"
    case .wrong(let member): "wrong '\(member)'"
    }
  }
}
