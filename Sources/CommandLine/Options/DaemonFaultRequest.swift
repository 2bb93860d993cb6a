/// A fault to inject into the simulated Bluetooth service, as typed by the user.
public struct DaemonFaultRequest: Hashable, Sendable {
  /// The kind of fault. The raw value is the word that the user types.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The next call to a method gets no reply.
    case noReply = "no-reply"
    /// The next connection attempts fail.
    case abort
    /// Services are resolved, but the objects for them are missing.
    case noObjects = "no-objects"
    /// The objects for services appear only after the services are resolved.
    case lateObjects = "late-objects"
    /// The reply to the call that stops notifications arrives late.
    case slowStop = "slow-stop"
    /// Disconnecting takes a long time.
    case slowDisconnect = "slow-disconnect"
    /// A notification contains no bytes.
    case empty
    /// Boards send notifications before the service replies to the subscription request.
    case early
    /// Discovery cannot be started.
    case wedge
    /// The adapter receives no advertisements.
    case silence
    /// The adapter is switched off.
    case off
    /// The adapter is switched on.
    case on
    /// The radio is blocked.
    case block
    /// The radio is unblocked.
    case unblock
    /// The adapter is unplugged.
    case unplug
    /// The adapter is plugged in again.
    case plug
    /// The Bluetooth service disappears and returns; links are lost.
    case gone
    /// The Bluetooth service disappears and returns; links survive.
    case restart
    /// The Bluetooth service exits the next time a device is removed, and then returns.
    case crash
    /// Calls to a method are denied.
    case denied
    /// Another central is connected to the boards.
    case held
    /// The boards restart into their bootloader.
    case bootloader
    /// The boards require a bond.
    case bond
    /// Another client has acquired the boards' notifications.
    case foreignNotify = "foreign-notify"
    /// Another client is scanning.
    case foreignScan = "foreign-scan"
    /// Another client has connected to the boards.
    case foreignLink = "foreign-link"
  }

  /// The value that follows the time in the user's input.
  public enum Value: Hashable, Sendable {
    case nothing
    /// The number of times that the fault occurs.
    case count(Int)
    /// The fault's duration in seconds.
    case seconds(Double)
    case word(String)
  }

  public let kind: Kind
  /// Seconds from the simulation's start to the fault.
  public let seconds: Double
  /// The value that the user gave, or the default for this kind of fault.
  public let value: Value

  /// The methods for which the fault can suppress the reply, as typed by the user.
  static let members = ["connect", "acquire-notify", "stop-notify", "listing"]
  /// The word for objects that stay missing until the device is removed.
  static let always = "always"
  /// The client actions that restore discovery.
  static let cures = ["stop", "power"]

  /// Parses `KIND@SECONDS` or `KIND@SECONDS:VALUE`. Returns `nil` for anything else.
  public init?(_ text: String) {
    guard let parts = FaultText(text), let kind = Kind(rawValue: parts.kind) else { return nil }
    let initial = Self.initial(kind)
    let value = parts.value.map { Self.read($0, kind, like: initial) } ?? initial
    guard let value else { return nil }
    self.kind = kind
    seconds = parts.seconds
    self.value = value
  }

  /// Returns the value that applies if the user does not give one.
  private static func initial(_ kind: Kind) -> Value {
    switch kind {
    case .noReply: .word(members[0])
    case .wedge: .word(cures[0])
    case .denied: .word("Connect")
    case .abort, .noObjects, .plug: .count(1)
    case .lateObjects: .seconds(1)
    case .early: .seconds(0.1)
    case .slowStop, .slowDisconnect: .seconds(5)
    case .gone, .restart, .crash: .seconds(3)
    case .silence, .held: .seconds(.infinity)
    case .empty, .off, .on, .block, .unblock, .unplug, .bootloader, .bond, .foreignNotify,
      .foreignScan, .foreignLink:
      .nothing
    }
  }

  /// Parses a value of the same type as `initial`, the default. Returns `nil` for other text.
  private static func read(_ text: Substring, _ kind: Kind, like initial: Value) -> Value? {
    if kind == .noObjects, text == always { return .word(always) }
    switch initial {
    case .nothing: return nil
    case .count: return FaultText.count(text, from: kind == .plug ? 0 : 1).map { .count($0) }
    case .seconds:
      return FaultText.seconds(text).flatMap { $0 > 0 ? .seconds($0) : nil }
    case .word:
      let word = String(text)
      let isKnown =
        switch kind {
        case .noReply: members.contains(word)
        case .wedge: cures.contains(word)
        // There are too many method names to list. So any name that the bus permits is accepted:
        // letters, digits and underscores.
        default: !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
      return isKnown ? .word(word) : nil
    }
  }
}
