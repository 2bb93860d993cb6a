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

  /// Whether there is one for each thing, which its heading names.
  var isNamed: Bool { self == .board }

  /// The heading in an explanation: `[gateway]`, `[board NAME]`.
  var heading: String { isNamed ? "[\(rawValue) NAME]" : "[\(rawValue)]" }

  /// The subject of its keys, in sentences.
  var text: String {
    switch self {
    case .gateway: "This computer."
    case .board:
      "One section for each board, with its name. A name has \(BoardName.rule). "
        + "It contains no ']' and no blank before a ';'."
    case .sensors: "What every board measures."
    case .receiver: "Where positions come from."
    case .recording: "When sessions begin and end, and their notes."
    case .store: "Where recordings are kept."
    case .upload:
      "Where recordings are sent, and when. 'footbridge destination add' adds a destination."
    case .definitions:
      "Where the gateway fetches sensors, boards, hazard names and other definitions. This file "
        + "overrides them."
    case .sharing: "Who may see where this computer is."
    case .status: "How other programs learn the state of the gateway."
    case .web: "The page for phones, and who can reach it. 'footbridge web pair' pairs a phone."
    }
  }
}
