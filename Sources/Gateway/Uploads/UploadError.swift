public import Values

/// The reason why an upload is impossible.
public struct UploadError: Remediable, Hashable {
  public var message: String
  /// Empty if there is no general one.
  public var remedy: String

  public init(_ message: String, remedy: String = "") {
    self.message = message
    self.remedy = remedy
  }
}
