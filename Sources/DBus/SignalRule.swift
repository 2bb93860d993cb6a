/// Which signals are wanted: what is left out may be anything.
public struct SignalRule: Hashable, Sendable {
  /// Interface of the signal.
  public var interface: String
  /// Name of the signal.
  public var member: String
  /// Bus name of the sender.
  public var sender: String
  /// Exactly this object.
  public var path: String?
  /// This object and all below it.
  public var pathNamespace: String?
  /// The first argument, when it is a string.
  public var firstArgument: String?

  /// A rule with these parts.
  public init(
    _ member: String, of interface: String, from sender: String, path: String? = nil,
    below pathNamespace: String? = nil, firstArgument: String? = nil
  ) {
    self.member = member
    self.interface = interface
    self.sender = sender
    self.path = path
    self.pathNamespace = pathNamespace
    self.firstArgument = firstArgument
  }

  /// The rule in the words of the bus, which then sends only these.
  public var text: String {
    var text = "type='signal',sender='\(sender)',interface='\(interface)',member='\(member)'"
    if let path { text += ",path='\(path)'" }
    if let pathNamespace { text += ",path_namespace='\(pathNamespace)'" }
    if let firstArgument { text += ",arg0='\(firstArgument)'" }
    return text
  }

  /// Interface and member together, by which handlers are found.
  struct Key: Hashable {
    let interface: String
    let member: String
  }

  var key: Key { Key(interface: interface, member: member) }

  /// Whether a signal is one of these; its sender is a unique name, which the bus has compared.
  func matches(_ signal: BusSignal) -> Bool {
    if let path, signal.path != path { return false }
    if let pathNamespace, signal.path != pathNamespace, !signal.path.hasPrefix(pathNamespace + "/")
    {
      return false
    }
    if let firstArgument, signal.arguments.first?.text != firstArgument { return false }
    return true
  }
}
