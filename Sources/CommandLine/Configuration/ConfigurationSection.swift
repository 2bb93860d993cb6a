/// A section of the configuration file.
enum ConfigurationSection: String, CaseIterable, Hashable, Sendable {
  case gateway
  case board
  case sensors
  case receiver
  case recording
  case store
  case upload
  case definitions
  case sharing
  case status
  case web

  /// Whether the section can occur several times, each with a name in its heading.
  var isNamed: Bool { self == .board }

  /// The heading in explanations: `[gateway]` or `[board NAME]`.
  var heading: String { isNamed ? "[\(rawValue) NAME]" : "[\(rawValue)]" }

  /// The section's purpose, in a few sentences.
  var text: String {
    switch self {
    case .gateway: "This computer."
    case .board:
      "One section for each board, with the board's name in the heading. "
        + "A name has \(BoardName.rule). It cannot contain a ']', or a space before a ';'."
    case .sensors: "What every board measures."
    case .receiver: "Where positions come from."
    case .recording: "When sessions begin and end, and their notes."
    case .store: "Where recordings are stored."
    case .upload:
      "Where recordings are sent, and when. 'footbridge destination add' adds a destination."
    case .definitions:
      "Where the gateway fetches sensors, boards, hazard names and other definitions from. Values "
        + "in this file override the definitions."
    case .sharing: "Who can see the location of this computer."
    case .status: "How other programs read the status of the gateway."
    case .web: "The page for phones, and who can reach it. 'footbridge web pair' pairs a phone."
    }
  }
}
