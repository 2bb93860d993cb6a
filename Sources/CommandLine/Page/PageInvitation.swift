internal import Terminal
internal import Web
internal import Values

/// A PIN, and the addresses at which a phone can open the page.
struct PageInvitation: Hashable, Sendable {
  var pin: String
  var role: String
  /// Seconds for which the PIN is valid.
  var seconds = 600
  /// The page's addresses, with the easiest to type first.
  var addresses: [String]

  init(pin: String, role: String, addresses: [String]) {
    self.pin = pin
    self.role = role
    self.addresses = addresses
  }

  /// Parses the invitation in a response from the running gateway.
  init?(_ json: JSON) {
    guard let pin = json["pin"]?.text, let role = json["role"]?.text,
      let addresses = json["addresses"]?.list
    else { return nil }
    self.init(pin: pin, role: role, addresses: addresses.compactMap(\.text))
  }

  var json: JSONValue {
    [
      "pin": pin.json, "role": role.json, "seconds": seconds.json, "addresses": addresses.json,
    ]
  }

  /// Returns the text for the terminal. `withCode` adds a QR code for the first address, which
  /// needs a terminal with 256 colours.
  ///
  /// - Parameter guest: the phone that used the previous PIN. If given, the text contains only the
  ///   new PIN.
  func text(after guest: String? = nil, withCode: Bool) -> String {
    if let guest { return "'\(TerminalText.harmless(guest))' is paired.\n\(pinLine)" }
    let code = withCode ? addresses.first.flatMap { QRCode($0) } : nil
    let text = lines.joined(separator: "\n")
    return code.map { text + "\n\n" + $0.text(.blocks, on: .coloured).dropLast() } ?? text
  }

  private var lines: [String] {
    let places = addresses.isEmpty ? ["(this computer has no network address)"] : addresses
    return places.enumerated().map { $0 == 0 ? "Page:  \($1)" : "  or:  \($1)" } + [pinLine]
  }

  private var pinLine: String {
    "PIN:   \(pin.prefix(3)) \(pin.dropFirst(3)), for one phone that may \(role); valid for "
      + "\(seconds / 60) minutes"
  }
}
