/// Selects signals; an omitted part matches any value.
public struct SignalRule: Hashable, Sendable {
  public var interface: String
  /// Name of the signal.
  public var member: String
  /// Bus name of the sender.
  public var sender: String
  /// The object path must equal this one.
  public var path: String?
  /// The object must be this one or below it.
  public var pathNamespace: String?
  /// The first argument, when it is a string.
  public var firstArgument: String?

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

  /// The rule in the bus's syntax; the bus then sends only matching signals.
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

  /// Whether a signal matches; the bus has compared its sender, which here is a unique name.
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

/// A hash of interface and member, by which handlers are found: two strings for a signal that
/// arrives a thousand times a second would cost too much. `SignalRule.matches` distinguishes
/// signals with the same hash.
struct SignalKey: Hashable {
  // FNV-1a: short, and sufficient for names.
  private var digest: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ byte: UInt8) {
    digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
}
