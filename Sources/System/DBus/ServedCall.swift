/// A call of another client on the bus to one of this program's objects.
public struct ServedCall: Sendable {
  /// Unique name of the caller.
  public var sender: String
  /// Interface of the method; empty where the caller left it out.
  public var interface: String
  /// Name of the method.
  public var member: String
  /// Arguments of the method.
  public var arguments: [BusValue]

  /// The answer to the caller.
  public enum Answer: Sendable {
    /// Success, with these values.
    case values([BusValue])
    /// A refusal, with an error of this name.
    case refusal(name: String, message: String)
  }
}
