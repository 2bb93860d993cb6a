public import DBus
internal import Values

/// A refusal of a call: bluetoothd's error names and texts, sorted by the reaction they call for.
public struct Refusal: Hashable, Sendable {
  /// The kind of refusal, which determines the reaction.
  public enum Kind: Hashable, Sendable {
    /// It may work the next time.
    case transient
    /// We cancelled the request, or the link dropped while it was being made.
    case cancelled
    /// The same operation is under way already: wait for it.
    case underWay
    /// The controller or the host has no room for another link.
    case noSlot
    case linkLost
    /// The board itself refused, with this ATT code.
    case peer(UInt8?)
    /// There was nothing to stop.
    case nothingToStop
    case off
    /// The radio is blocked by rfkill.
    case blocked
    /// Another program holds the object.
    case held
    /// The board must be paired first.
    case notPaired
    /// The daemon or the board cannot do it.
    case notSupported
    /// The requested state exists already.
    case alreadyDone
    /// The object no longer exists.
    case gone
    /// The daemon rejects an argument.
    case invalid
    /// No answer came in time.
    case unanswered
    /// bluetoothd or the bus is gone.
    case daemonLost
    /// The bus's policy forbids it.
    case denied
    /// None of these.
    case other
  }

  public var kind: Kind
  /// The daemon's message.
  public var text: String

  public init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// The refusal that a bus error stands for.
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

  /// Decides by the last part of the daemon's error name, and by its text where the name is
  /// `Failed`.
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
