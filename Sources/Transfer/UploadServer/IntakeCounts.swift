public import Values

/// The totals of an upload server since it started.
public struct IntakeCounts: Hashable, Sendable {
  /// The number of new chunks.
  public var stored = 0
  /// The total size of the new chunks, in bytes.
  public var storedBytes = 0
  /// The number of chunks that replaced a damaged copy.
  public var mended = 0
  /// The id of the latest chunk that replaced a damaged copy.
  public var lastMended: UniqueID?
  /// The number of received chunks that had been stored before.
  public var held = 0
  /// The number of chunks, records and track pieces that contradict stored data.
  public var conflicts = 0
  /// The number of invalid chunks, records and track pieces.
  public var refused = 0
  /// The number of new or changed records.
  public var records = 0
  /// The number of new or changed track pieces.
  public var pieces = 0
  /// The number of requests that were rejected because of their token.
  public var strangers = 0
  /// The number of requests that failed because the server could not store or read data.
  public var failures = 0
  /// The reason for the latest failure.
  public var lastFailure: String?

  public init() {}
}
