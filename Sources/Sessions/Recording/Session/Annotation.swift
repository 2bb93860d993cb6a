public import Values

/// A remark on one instant of a session.
public struct Annotation: Hashable, Sendable {
  /// The instant of the remark.
  public var time: BootTime
  public var text: String

  /// A remark on an instant.
  public init(time: BootTime, text: String) {
    self.time = time
    self.text = text
  }
}
