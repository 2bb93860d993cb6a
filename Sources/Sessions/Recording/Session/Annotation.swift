public import Values

/// A user's remark about a point in time in a session.
public struct Annotation: Hashable, Sendable {
  /// The time to which the remark refers.
  public var time: BootTime
  public var text: String

  public init(time: BootTime, text: String) {
    self.time = time
    self.text = text
  }
}
