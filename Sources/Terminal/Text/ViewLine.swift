/// A line of a view with its style. The text is complete by itself, for terminals without colours
/// and for people who do not see them.
public struct ViewLine: Hashable, Sendable {
  public enum Style: Hashable, Sendable {
    /// Normal text.
    case plain
    /// About the past.
    case faded
    /// Worth a look at some time.
    case notable
    /// Worth a look now.
    case alarming

    /// The parameters of the control sequence that begins it (ECMA-48); `nil` for none.
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
