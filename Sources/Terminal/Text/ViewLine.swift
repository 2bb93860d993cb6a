/// A styled line of a view. The text is understandable without its style, because some terminals
/// show no colours and some people cannot see them.
public struct ViewLine: Hashable, Sendable {
  public enum Style: Hashable, Sendable {
    case plain
    /// Text about a value or state that is no longer current.
    case faded
    /// Text that deserves attention, but not urgently.
    case notable
    /// Text that deserves immediate attention.
    case alarming

    /// The parameters of the control sequence that starts the style (ECMA-48); `nil` for plain
    /// text.
    var parameters: String? {
      switch self {
      case .plain: nil
      case .faded: "2"
      case .notable: "33"
      case .alarming: "1;31"
      }
    }
  }

  public var text: String
  public var style: Style

  public init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}
