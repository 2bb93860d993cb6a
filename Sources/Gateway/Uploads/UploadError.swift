public import Values

/// The reason why an upload is impossible.
public struct UploadError: Remediable, Hashable {
  public var message: String
  /// An instruction for the user. Empty if no single remedy fits every cause.
  public var remedy: String

  public init(_ message: String, remedy: String = "") {
    self.message = message
    self.remedy = remedy
  }
}
