/// A call of another client on the bus to one of our objects.
public struct ServedCall: Sendable {
  /// Unique name of the caller.
  public var sender: String
  /// Interface of the method; empty where the caller left it out.
  public var interface: String
  /// Name of the method.
  public var member: String
  /// Its arguments.
  public var arguments: [BusValue]

  /// What the caller is told.
  public enum Answer: Sendable {
    /// Done, with these values.
    case values([BusValue])
    /// Refused, by an error of this name.
    case refusal(name: String, message: String)
  }
}
