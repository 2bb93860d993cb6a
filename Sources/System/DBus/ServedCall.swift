/// A method call from another client on the bus to an object that this program exports.
public struct ServedCall: Sendable {
  /// The caller's unique name.
  public var sender: String
  /// The method's interface; empty if the caller omitted it.
  public var interface: String
  /// The method's name.
  public var member: String
  public var arguments: [BusValue]

  /// The reply to send to the caller.
  public enum Answer: Sendable {
    /// Success, with these values as the result.
    case values([BusValue])
    /// An error reply with this error name and message.
    case refusal(name: String, message: String)
  }
}
