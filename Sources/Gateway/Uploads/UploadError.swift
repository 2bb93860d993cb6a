/// Why something cannot be sent at all.
public struct UploadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed, on what.
  public var message: String
  /// What to do about it; empty where nothing general can be said.
  public var remedy: String

  /// An error.
  public init(_ message: String, remedy: String = "") {
    self.message = message
    self.remedy = remedy
  }

  /// What failed.
  public var description: String { message }
}
