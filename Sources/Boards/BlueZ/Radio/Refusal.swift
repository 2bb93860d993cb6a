public import DBus
internal import Values

/// The reason the daemon refused a call. Classifies bluetoothd's error names and messages by the
/// reaction they require.
public struct Refusal: Hashable, Sendable {
  /// Determines how callers react.
  public enum Kind: Hashable, Sendable {
    /// The failure is temporary, so the call may succeed next time.
    case transient
    /// The request was cancelled, or the link dropped while it was being established.
    case cancelled
    /// The same operation is already in progress: wait for it.
    case underWay
    /// The controller or the host has no capacity for another link.
    case noSlot
    case linkLost
    /// The board itself refused the request, with this ATT error code.
    case peer(UInt8?)
    case nothingToStop
    case off
    /// The radio is blocked by rfkill.
    case blocked
    /// Another program is using the object.
    case held
    case notPaired
    /// The daemon or the board does not support the operation.
    case notSupported
    /// The object is already in the state that the call requested.
    case alreadyDone
    /// The object that the call was made on no longer exists.
    case gone
    /// The daemon rejected an argument.
    case invalid
    /// The daemon did not reply in time.
    case unanswered
    /// bluetoothd or the bus connection is gone.
    case daemonLost
    /// The bus policy forbids the call.
    case denied
    /// The daemon refused for some other reason.
    case other
  }

  public var kind: Kind
  /// The daemon's message, or the error's name if the message is empty.
  public var text: String

  public init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  public init(_ error: BusError) {
    let kind: Kind =
      switch error.kind {
      case .disconnected, .serviceUnknown: .daemonLost
      case .unknownObject: .gone
      case .timedOut: .unanswered
      case .accessDenied: .denied
      case .refused:
        error.name.hasPrefix(BlueZName.errorPrefix)
          ? Self.kind(
            String(error.name.dropFirst(BlueZName.errorPrefix.count)), error.message) : .other
      }
    self.init(kind, error.message.isEmpty ? error.name : error.message)
  }

  /// Returns the kind of refusal that corresponds to the last component of the daemon's error name.
  /// If that component is `Failed`, the message determines the kind.
  private static func kind(_ name: String, _ text: String) -> Kind {
    switch name {
    case "Failed": failed(text)
    case "InProgress": .underWay
    case "NotReady": .off
    case "Blocked": .blocked
    case "NotConnected": .linkLost
    case "NotSupported": .notSupported
    case "NotPermitted": text == "Not paired" ? .notPaired : .held
    case "AlreadyExists", "AlreadyConnected": .alreadyDone
    case "DoesNotExist", "NotAvailable": .gone
    case "InvalidArguments": .invalid
    case "AuthenticationCanceled", "AuthenticationTimeout", "ConnectionAttemptFailed": .transient
    default: .other
    }
  }

  private static func failed(_ text: String) -> Kind {
    switch text {
    case "br-connection-canceled", "le-connection-canceled": return .cancelled
    case "Operation already in progress": return .underWay
    case "Not connected", "No ATT transport", "Failed to initiate write", "Failed to subscribe":
      return .linkLost
    case "No discovery started", "No notify session started": return .nothingToStop
    case "Blocked through rfkill", "br-connection-adapter-blocked": return .blocked
    case "Software caused connection abort", "Input/output error": return .transient
    default: break
    }
    let noSlot = ["concurrent-connection-limit", "memory-allocation", "connection-busy"]
    if noSlot.contains(where: text.hasSuffix) { return .noSlot }
    if text.hasPrefix("le-") || text.hasPrefix("br-") { return .transient }
    if let code = text.split(at: "ATT error: 0x").last, text.holds("ATT error: 0x") {
      return .peer(UInt8(code.prefix { $0.isHexDigit }, radix: 16))
    }
    return .other
  }
}
