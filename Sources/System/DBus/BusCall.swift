/// A method call, as a value.
public struct BusCall: Sendable {
  /// Bus name that is called.
  public var destination: String
  /// Object path.
  public var path: String
  /// Interface of the method.
  public var interface: String
  /// Name of the method.
  public var member: String
  /// Arguments of the method.
  public var arguments: [BusValue]
  /// Seconds after which the call counts as unanswered.
  public var deadline: Double
  /// Whether the bus may start the service for the call.
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

  /// Method and object, for messages.
  public var operation: String { "\(member) on \(path)" }
}

/// A signal, as a value.
public struct BusSignal: Sendable {
  /// Unique name of the sender; empty for a signal to be sent.
  public var sender: String
  /// Object path.
  public var path: String
  public var interface: String
  /// Name of the signal.
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
