/// A heading of the configuration file, which says what the keys below it are about.
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

  /// Whether it stands there once for each of several things, which it names.
  var isNamed: Bool { self == .board }

  /// The heading in an explanation: `[gateway]`, `[board NAME]`.
  var heading: String { isNamed ? "[\(rawValue) NAME]" : "[\(rawValue)]" }

  /// What its keys are about, in sentences.
  var text: String {
    switch self {
    case .gateway: "This computer."
    case .board:
      "A board by its name, once for each board. A name has \(BoardName.rule). "
        + "It contains no ']' and no blank before a ';'."
    case .sensors: "What every board measures."
    case .receiver: "Where positions come from."
    case .recording: "When sessions begin and end, and what they say of themselves."
    case .store: "Where recordings are kept."
    case .upload:
      "Where recordings are sent, and when. 'footbridge destination add' makes a destination known."
    case .definitions:
      "Where the gateway fetches sensors, boards, names of hazards and other definitions. This file "
        + "overrides them."
    case .sharing: "Who may see where this computer is."
    case .status: "How other programs learn the state of the gateway."
    case .web: "The page for phones, and who reaches it. 'footbridge web pair' lets a phone in."
    }
  }
}
