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

  var key: SignalKey {
    var key = SignalKey()
    for byte in interface.utf8 { key.add(byte) }
    for byte in member.utf8 { key.add(byte) }
    return key
  }

  /// Whether a signal is one of these; its sender is a unique name, which the bus has compared.
  func matches(_ signal: borrowing Message) -> Bool {
    guard signal.isSignal(member, of: interface) else { return false }
    if let path, !signal.isFrom(path) { return false }
    if let pathNamespace {
      let path = signal.path
      guard path == pathNamespace || path.hasPrefix(pathNamespace + "/") else { return false }
    }
    if let firstArgument { return signal.beginsWith(firstArgument) }
    return true
  }
}

/// Interface and member in one number, by which handlers are found: a signal that comes a thousand
/// times a second is not worth two strings each time. Others that share the number are told apart
/// by `SignalRule.matches`.
struct SignalKey: Hashable {
  // FNV-1a: short, and good enough for names.
  private var digest: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ byte: UInt8) {
    digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
}
