public import Values

/// An upload server's counts since its start.
public struct IntakeCounts: Hashable, Sendable {
  /// Chunks that were new.
  public var stored = 0
  /// Bytes of the new chunks.
  public var storedBytes = 0
  /// Chunks that replaced a damaged copy.
  public var mended = 0
  /// The latest of them.
  public var lastMended: UniqueID?
  /// Chunks that the upload server already held.
  public var held = 0
  /// Chunks, records and pieces of tracks that contradict stored ones.
  public var conflicts = 0
  /// Malformed chunks, records and pieces of tracks.
  public var refused = 0
  /// Records that were new or changed.
  public var records = 0
  /// Pieces of tracks that were new or changed.
  public var pieces = 0
  /// Requests rejected because of their token.
  public var strangers = 0
  /// Requests that failed because the server could not store or read something.
  public var failures = 0
  /// The reason of the latest failure.
  public var lastFailure: String?

  public init() {}
}
