/// A fault of the simulated Bluetooth service, as typed.
public struct DaemonFaultRequest: Hashable, Sendable {
  /// The kind of fault; the raw value is typed.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The next call of a method is not answered.
    case noReply = "no-reply"
    /// The next links fail while they are made.
    case abort
    /// Services are resolved, but their objects are missing.
    case noObjects = "no-objects"
    /// Objects appear after services are resolved.
    case lateObjects = "late-objects"
    /// The end of notifications is answered late.
    case slowStop = "slow-stop"
    /// The end of a link takes long.
    case slowDisconnect = "slow-disconnect"
    /// A notification has no bytes.
    case empty
    /// Boards notify before their subscription is answered.
    case early
    /// Discovery cannot be started.
    case wedge
    /// Nothing is heard.
    case silence
    /// The adapter is switched off.
    case off
    /// The adapter is switched on.
    case on
    /// The radio is blocked.
    case block
    /// The radio is unblocked.
    case unblock
    /// The adapter is pulled out.
    case unplug
    /// The adapter is plugged in again.
    case plug
    /// The service goes and returns; links end.
    case gone
    /// The service goes and returns; links stay.
    case restart
    /// The next removal of a device ends the service, which returns.
    case crash
    /// A method is forbidden.
    case denied
    /// Another central holds the boards.
    case held
    /// The boards run their bootloader.
    case bootloader
    /// The boards demand a bond.
    case bond
    /// Another client has acquired the notifications.
    case foreignNotify = "foreign-notify"
    /// Another client scans.
    case foreignScan = "foreign-scan"
    /// Another client has linked the boards.
    case foreignLink = "foreign-link"
  }

  /// The value after the time.
  public enum Value: Hashable, Sendable {
    case nothing
    /// A number of times.
    case count(Int)
    /// A span.
    case seconds(Double)
    case word(String)
  }

  public let kind: Kind
  /// Seconds from the start.
  public let seconds: Double
  /// The given value, or the default.
  public let value: Value

  /// The methods that can stay unanswered, as typed.
  static let members = ["connect", "acquire-notify", "stop-notify", "listing"]
  /// Objects that are missing until the device is removed.
  static let always = "always"
  /// The actions that restore discovery.
  static let cures = ["stop", "power"]

  /// Reads `KIND@SECONDS` or `KIND@SECONDS:VALUE`; `nil` for anything else.
  public init?(_ text: String) {
    guard let parts = FaultText(text), let kind = Kind(rawValue: parts.kind) else { return nil }
    let initial = Self.initial(kind)
    let value = parts.value.map { Self.read($0, kind, like: initial) } ?? initial
    guard let value else { return nil }
    self.kind = kind
    seconds = parts.seconds
    self.value = value
  }

  /// The default value of a kind.
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

  /// A value of the same type as the default; `nil` for other text.
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
        // There are many method names; the bus allows letters, digits and underscores.
        default: !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
      return isKnown ? .word(word) : nil
    }
  }
}
