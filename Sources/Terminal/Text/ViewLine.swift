/// A line of a view and how it looks. Its text says everything: terminals without colours and
/// people who do not see them miss nothing.
public struct ViewLine: Hashable, Sendable {
  /// How a line looks.
  public enum Style: Hashable, Sendable {
    /// Like any text.
    case plain
    /// Of the past.
    case faded
    /// To be looked at some time.
    case notable
    /// To be looked at now.
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

  /// Its words.
  public var text: String
  /// How it looks.
  public var style: Style

  /// A line.
  public init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}
