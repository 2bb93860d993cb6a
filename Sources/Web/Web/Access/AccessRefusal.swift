public import Values

/// Why a request to the page is refused, and what its sender can do about it.
public enum AccessRefusal: Remediable, Hashable {
  /// The request has no `Host`, or several.
  case hostMissing
  /// The `Host` is the name of another computer, or has another port, as after DNS rebinding.
  case foreignHost(String)
  /// The method is none that the page uses.
  case unknownMethod
  /// A command without the `Origin` that every browser sends.
  case originMissing
  /// A command from the page of another site.
  case foreignOrigin(String)
  /// A call from the page of another site, as the browser says itself.
  case foreignSite
  /// A command whose body is not called JSON. Forms of other sites cannot send JSON.
  case notJSON
  /// The browser is not paired, or was forgotten.
  case notPaired
  /// The browser was paired to look only.
  case onlyLooks
  /// The PIN is wrong; so many wrong tries are left before it is void.
  case wrongPIN(left: Int)
  /// No PIN is valid: none was made, or it was used, is too old, or was tried too often.
  case noPIN
  /// Too many PINs were tried; the next try counts after so many seconds.
  case tooManyTries(seconds: Int)
  /// The wrong tries that a client has in a day, or all clients have, are used up.
  case triesUsedUp(byAll: Bool)

  /// The status of the answer.
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

  /// What failed, for a person.
  public var message: String {
    switch self {
    case .hostMissing: "the request does not say which computer it is for"
    case .foreignHost(let host): "this gateway is not called '\(Self.shown(host))'"
    case .unknownMethod: "the page knows GET, HEAD and POST only"
    case .originMissing: "the request does not say which page it comes from"
    case .foreignOrigin(let origin):
      "the command comes from the page of another site, '\(Self.shown(origin))'"
    case .foreignSite: "the request comes from the page of another site"
    case .notJSON: "a command is JSON"
    case .notPaired: "this browser is not paired with the gateway"
    case .onlyLooks: "this browser may look, and change nothing"
    case .wrongPIN: "the PIN is wrong"
    case .noPIN: "no PIN is valid at present"
    case .tooManyTries: "too many PINs were tried"
    case .triesUsedUp(byAll: true): "too many wrong PINs were tried today"
    case .triesUsedUp(byAll: false): "too many wrong PINs came from this address today"
    }
  }

  /// What to do about it at the page of a gateway; empty where nothing can be done.
  public var remedy: String { remedy(at: nil) }

  /// The same at a page that a command serves in a terminal, which shows the PINs, where one does.
  public func remedy(at command: String?) -> String {
    if let command {
      let again =
        "the terminal of '\(command)' shows the next one later, or at once when that "
        + "command is begun again"
      switch self {
      case .notPaired: return "type the PIN that stands in the terminal of '\(command)'"
      case .onlyLooks:
        return "pair it again with a PIN of '\(command)"
          + (command == "footbridge web" ? " --role operate'" : "'")
      case .wrongPIN(left: 0): return "it is void now; \(again)"
      case .noPIN: return again
      case .triesUsedUp: return "begin '\(command)' again, which then shows another PIN"
      default: break
      }
    }
    return remedyAtGateway
  }

  private var remedyAtGateway: String {
    switch self {
    case .hostMissing: "name one computer in the field Host"
    case .foreignHost:
      "open the page by the gateway's address and port, as 'footbridge web' shows them, "
        + "or give the name as 'name' in [web] of the configuration"
    case .unknownMethod: ""
    case .originMissing:
      "programs other than browsers send the field Origin with the page's address"
    case .foreignOrigin, .foreignSite: "open the gateway's own page for that"
    case .notJSON: "send the field Content-Type: application/json"
    case .notPaired:
      "type a PIN into the page: 'footbridge web pair' makes one on the gateway"
    case .onlyLooks:
      "pair it again with a PIN of: footbridge web pair --role operate"
    case .wrongPIN(let left):
      left > 0
        ? "look at the PIN again; it is void after \(left) more wrong \(left == 1 ? "try" : "tries")"
        : "it is void now; make another with: footbridge web pair"
    case .noPIN: "make one on the gateway with: footbridge web pair"
    case .tooManyTries(let seconds):
      "wait for \(seconds) \(seconds == 1 ? "second" : "seconds"), then type it again"
    case .triesUsedUp:
      "make another PIN on the gateway with: footbridge web pair"
    }
  }

  /// The seconds of the field `Retry-After`.
  public var retryAfter: Int? {
    if case .tooManyTries(let seconds) = self { seconds } else { nil }
  }

  /// A text of a stranger's, short and on one line.
  private static func shown(_ text: String) -> String {
    CleanText.line(text, characters: 60, bytes: 180)
  }
}
