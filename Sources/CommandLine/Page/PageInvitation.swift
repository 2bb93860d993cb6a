internal import Terminal
internal import Web
internal import Values

/// A PIN and the addresses for opening the page on a phone.
struct PageInvitation: Hashable, Sendable {
  var pin: String
  var role: String
  /// Seconds for which the PIN is valid.
  var seconds = 600
  /// Addresses of the page, the easiest first.
  var addresses: [String]

  init(pin: String, role: String, addresses: [String]) {
    self.pin = pin
    self.role = role
    self.addresses = addresses
  }

  /// The invitation in an answer of the running gateway.
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

  /// The text for people, with the first address as a code for the camera of a phone where the
  /// terminal has 256 colours.
  ///
  /// - Parameter guest: the phone that used the previous PIN; then only the new PIN is shown.
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
    "PIN:   \(pin.prefix(3)) \(pin.dropFirst(3)), for one phone that may \(role), within "
      + "\(seconds / 60) minutes"
  }
}
