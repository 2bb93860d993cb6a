/// The topic of a gateway's status or location: `footbridge/FLEET/GATEWAY/status`.
public struct LiveTopic: Hashable, Sendable {
  /// The kinds of messages that gateways share.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case status
    case location
  }

  public var fleet: String
  public var gateway: String
  public var kind: Kind

  public init(fleet: String, gateway: String, _ kind: Kind) {
    self.fleet = fleet
    self.gateway = gateway
    self.kind = kind
  }

  /// Returns `nil` if the text is not a status or location topic.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "footbridge", let kind = Kind(rawValue: String(parts[3])),
      Self.isName(String(parts[1])), Self.isName(String(parts[2]))
    else { return nil }
    self.init(fleet: String(parts[1]), gateway: String(parts[2]), kind)
  }

  public var text: String { "footbridge/\(fleet)/\(gateway)/\(kind.rawValue)" }

  public static func filter(ofFleet fleet: String) -> String { "footbridge/\(fleet)/#" }

  /// Returns the filter for the locations of a fleet's gateways.
  public static func locations(ofFleet fleet: String) -> String {
    "footbridge/\(fleet)/+/\(Kind.location.rawValue)"
  }

  /// The rule for the names of fleets and gateways, as shown to the user.
  public static let nameRule = "1 to 64 bytes without '/', '+', '#' or control characters"

  /// Returns whether a name is valid for a fleet or a gateway.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && LiveText.isPlain(text)
      && !text.utf8.contains { "/+#".utf8.contains($0) }
  }
}

/// Checks text that readers may show on a terminal.
enum LiveText {
  /// A string's maximum length in bytes.
  static let longest = 200

  /// Converts text to a form that readers accept. The text may be a board's advertised name, which
  /// can contain any characters.
  static func plain(_ text: String) -> String {
    var plain = ""
    for scalar in text.unicodeScalars where isPlain(String(scalar)) {
      guard plain.utf8.count + String(scalar).utf8.count <= longest else { break }
      plain.unicodeScalars.append(scalar)
    }
    return plain
  }

  /// Returns whether a string contains no character that a terminal or a log would interpret as a
  /// control code or a line end.
  static func isPlain(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: true
      default: false
      }
    }
  }
}
