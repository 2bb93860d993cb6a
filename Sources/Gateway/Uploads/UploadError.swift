public import Values

/// Why an upload is not possible at all.
public struct UploadError: Remediable, Hashable {
  /// The operation that failed, and its object.
  public var message: String
  /// The remedy; empty where nothing general can be said.
  public var remedy: String

  /// An error.
  public init(_ message: String, remedy: String = "") {
    self.message = message
    self.remedy = remedy
  }
}
