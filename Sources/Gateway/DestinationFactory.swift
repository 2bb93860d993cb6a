public import Upload

/// The one place that makes destinations of settings.
public enum DestinationFactory {
  /// The destination that settings describe; its secrets are read here.
  public static func make(_ settings: DestinationSettings) throws -> any Destination {
    throw UploadError("not joined yet")
  }
}
