/// Selects signals by their origin and first argument. A `nil` property matches any value.
public struct SignalRule: Hashable, Sendable {
  public var interface: String
  /// The signal's name.
  public var member: String
  /// The sender's bus name.
  public var sender: String
  /// The emitting object's exact path.
  public var path: String?
  /// The path of the emitting object or of one of its ancestors.
  public var pathNamespace: String?
  /// The required first argument, which must be a string.
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

  /// The rule in the bus's match syntax. Once the rule is registered, the bus sends only matching
  /// signals.
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

  /// Returns whether a signal matches. The sender is not compared: the bus has already checked it,
  /// and a message contains no sender name other than the unique one.
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

/// A hash of the interface and the member, used to find handlers. Comparing two strings would be
/// too slow for signals that arrive a thousand times per second. `SignalRule.matches` distinguishes
/// signals with the same hash.
struct SignalKey: Hashable {
  // FNV-1a is short, and good enough for names.
  private var digest: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ byte: UInt8) {
    digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
}
