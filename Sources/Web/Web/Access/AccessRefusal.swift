public import Values

/// The reason a request to the page is refused, with a remedy for the person or program that sent
/// it.
public enum AccessRefusal: Remediable, Hashable {
  /// The request has no `Host` field, or more than one.
  case hostMissing
  /// `Host` contains the name of another computer or another port, for example after DNS rebinding.
  case foreignHost(String)
  /// The page does not use this method.
  case unknownMethod
  /// A command lacks the `Origin` field that every browser sends.
  case originMissing
  /// A page from another site sent a command.
  case foreignOrigin(String)
  /// The browser reported that the request came from a page on another site.
  case foreignSite
  /// The body of a command is not declared as JSON. Forms on other sites cannot send JSON.
  case notJSON
  /// The browser is not paired, or it was removed from the paired devices.
  case notPaired
  /// The browser was paired only for viewing.
  case onlyLooks
  /// The PIN is wrong. It becomes invalid after `left` more wrong attempts.
  case wrongPIN(left: Int)
  /// No PIN is valid: none has been created, or the last one was used, expired, or became invalid
  /// after too many wrong attempts.
  case noPIN
  /// Too many PINs were tried. The next attempt is permitted after this number of seconds.
  case tooManyTries(seconds: Int)
  /// No more PINs can be tried today: one client, or all clients together, entered too many wrong
  /// PINs.
  case triesUsedUp(byAll: Bool)

  public var status: Int {
    switch self {
    case .hostMissing: 400
    case .notPaired: 401
    case .originMissing, .foreignOrigin, .foreignSite, .onlyLooks, .wrongPIN, .noPIN, .triesUsedUp:
      403
    case .unknownMethod: 405
    case .notJSON: 415
    case .foreignHost: 421
    case .tooManyTries: 429
    }
  }

  public var message: String {
    switch self {
    case .hostMissing: "the request does not name its host"
    case .foreignHost(let host): "this gateway is not called '\(Self.shown(host))'"
    case .unknownMethod: "the page supports only GET, HEAD and POST"
    case .originMissing: "the request does not name its origin"
    case .foreignOrigin(let origin):
      "the command comes from a page on another site, '\(Self.shown(origin))'"
    case .foreignSite: "the request comes from a page on another site"
    case .notJSON: "a command must be JSON"
    case .notPaired: "this browser is not paired with the gateway"
    case .onlyLooks: "this browser may only view"
    case .wrongPIN: "the PIN is wrong"
    case .noPIN: "no PIN is valid now"
    case .tooManyTries: "too many PINs were tried"
    case .triesUsedUp(byAll: true): "too many wrong PINs were tried today"
    case .triesUsedUp(byAll: false): "too many wrong PINs came from this address today"
    }
  }

  /// The remedy, worded for a gateway's page; empty if there is none.
  public var remedy: String { remedy(at: nil) }

  /// Returns the remedy, worded either for a gateway's page or for the page of a command that shows
  /// its PINs in the terminal.
  public func remedy(at command: String?) -> String {
    if let command {
      let again =
        "'\(command)' shows the next PIN later, or at once if you start it again"
      switch self {
      case .notPaired: return "type the PIN that '\(command)' shows in its terminal"
      case .onlyLooks:
        return "pair it again with a PIN from '\(command)"
          + (command == "footbridge web" ? " --role operate'" : "'")
      case .wrongPIN(left: 0): return "it is no longer valid; \(again)"
      case .noPIN: return again
      case .triesUsedUp: return "start '\(command)' again to get another PIN"
      default: break
      }
    }
    return remedyAtGateway
  }

  private var remedyAtGateway: String {
    switch self {
    case .hostMissing: "send exactly one Host field"
    case .foreignHost:
      "open the page at an address that 'footbridge web' shows, "
        + "or add the name as 'name' under [web] in the configuration"
    case .unknownMethod: ""
    case .originMissing:
      "a program other than a browser must send Origin with the page's address"
    case .foreignOrigin, .foreignSite: "use the gateway's own page"
    case .notJSON: "send the field Content-Type: application/json"
    case .notPaired:
      "type a PIN into the page; 'footbridge web pair' on the gateway shows one"
    case .onlyLooks:
      "pair it again with a PIN from: footbridge web pair --role operate"
    case .wrongPIN(let left):
      left > 0
        ? "check the PIN; it becomes invalid after \(left) more wrong "
          + (left == 1 ? "try" : "tries")
        : "it is no longer valid; create another with: footbridge web pair"
    case .noPIN: "create one on the gateway with: footbridge web pair"
    case .tooManyTries(let seconds):
      "wait for \(seconds) \(seconds == 1 ? "second" : "seconds"), then enter the PIN again"
    case .triesUsedUp:
      "create another PIN on the gateway with: footbridge web pair"
    }
  }

  /// Seconds for the `Retry-After` field; `nil` if waiting does not help.
  public var retryAfter: Int? {
    if case .tooManyTries(let seconds) = self { seconds } else { nil }
  }

  /// Shortens untrusted text to one line that is safe to show.
  private static func shown(_ text: String) -> String {
    CleanText.line(text, characters: 60, bytes: 180)
  }
}
