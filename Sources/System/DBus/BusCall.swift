/// A method call on the bus.
public struct BusCall: Sendable {
  /// The called service's bus name.
  public var destination: String
  public var path: String
  public var interface: String
  /// The method's name.
  public var member: String
  public var arguments: [BusValue]
  /// Seconds to wait for the reply before the call times out.
  public var deadline: Double
  /// Whether the bus may start the called service if it is not running.
  public var startsService: Bool

  public init(
    _ member: String, on path: String, of interface: String, at destination: String,
    _ arguments: [BusValue] = [], deadline: Double, startsService: Bool = true
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
    self.deadline = deadline
    self.startsService = startsService
  }

  /// The method and the object path, as shown in error messages.
  public var operation: String { "\(member) on \(path)" }
}

/// A signal on the bus.
public struct BusSignal: Sendable {
  /// The sender's unique name; empty for an outgoing signal.
  public var sender: String
  public var path: String
  public var interface: String
  /// The signal's name.
  public var member: String
  public var arguments: [BusValue]

  public init(
    _ member: String, from path: String, of interface: String, _ arguments: [BusValue],
    sender: String = ""
  ) {
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }
}
