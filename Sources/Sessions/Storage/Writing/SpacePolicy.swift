public import Values

/// The limits for recordings, and the action when space runs out. The user chooses the policy; the
/// store keeps it.
public struct SpacePolicy: Hashable, Sendable {
  /// The action when there is no space left.
  public enum WhenFull: String, Hashable, Sendable, CaseIterable {
    /// The recording ends; no stored data are deleted.
    case stop
    /// Chunks that every destination has are deleted, the oldest first; if there are none, the
    /// recording ends.
    case dropUploaded = "drop-uploaded"
    /// Chunks that every destination has are deleted, and then chunks that were not sent, the
    /// oldest of each first.
    case dropOldest = "drop-oldest"
  }

  /// The amount of space left.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Enough space.
    case ok
    /// Little space: the user should make room soon.
    case low
    /// No space: the policy decides what to do.
    case full
  }

  /// The used and the free space.
  public struct Usage: Hashable, Sendable {
    /// Bytes used in the store, including its log.
    public var used: UInt64
    /// Bytes that can still be written: free on the disk, plus unused pages of the store.
    public var free: UInt64

    public init(used: UInt64, free: UInt64) {
      self.used = used
      self.free = free
    }
  }

  /// The next action.
  public enum Advice: Hashable, Sendable {
    /// Continue recording.
    case record
    /// Delete this many bytes of chunks that every destination has and, if these are not enough and
    /// it is allowed, of the oldest other chunks.
    case drop(bytes: UInt64, uploadedOnly: Bool)
    /// End the recording.
    case stop
  }

  /// Largest size of the store in bytes; `nil` for no limit but the disk.
  public var quota: UInt64?
  /// Bytes to be left free on the disk for the system and other programs.
  public var floor: UInt64
  /// The action when there is no space left.
  public var whenFull: WhenFull
  /// Days for which a chunk is kept after the last destination received it; `nil` to keep it while
  /// there is space.
  public var keepSent: Double?

  /// A policy with the given parts. By default recordings end when 256 MiB are left.
  public init(
    quota: UInt64? = nil, floor: UInt64 = 256 << 20, whenFull: WhenFull = .stop,
    keepSent: Double? = nil
  ) {
    self.quota = quota
    self.floor = floor
    self.whenFull = whenFull
    self.keepSent = keepSent
  }

  /// The limit for deleting sent chunks: a chunk that every destination had at that instant may be
  /// deleted. `nil` to keep such chunks while there is space.
  public func sentLimit(at now: UTCTime) -> UTCTime? {
    keepSent.map { days in
      // A span beyond the range of time means forever.
      let span = Int64(exactly: (days * 86_400e9).rounded()) ?? .max
      let (limit, isBefore) = now.nanoseconds.subtractingReportingOverflow(span)
      return UTCTime(nanoseconds: isBefore ? .min : limit)
    }
  }

  /// The amount of space left: low from nine tenths of the quota, and below twice the floor.
  public func state(_ usage: Usage) -> State {
    if excess(usage, part: 1) > 0 { return .full }
    let isNearQuota = quota.map { usage.used > $0 - $0 / 10 } ?? false
    let (nearFloor, overflow) = floor.multipliedReportingOverflow(by: 2)
    return isNearQuota || overflow || usage.free < nearFloor ? .low : .ok
  }

  /// The next action.
  public func advice(_ usage: Usage) -> Advice {
    guard state(usage) == .full else { return .record }
    switch whenFull {
    case .stop: return .stop
    // A twentieth more than necessary, so that not every commit has to make room.
    case .dropUploaded: return .drop(bytes: excess(usage, part: 20), uploadedOnly: true)
    case .dropOldest: return .drop(bytes: excess(usage, part: 20), uploadedOnly: false)
    }
  }

  /// The larger of the bytes by which quota and floor are exceeded. With a `part` above 1 it
  /// includes that part of the limit, so that some space remains afterwards.
  private func excess(_ usage: Usage, part: UInt64) -> UInt64 {
    func extra(_ limit: UInt64) -> UInt64 { part > 1 ? limit / part : 0 }
    var excess: UInt64 = 0
    if let quota {
      let limit = quota - extra(quota)
      if usage.used > limit { excess = usage.used - limit }
    }
    let wanted = floor.addingSaturated(extra(floor))
    if usage.free < wanted { excess = max(excess, wanted - usage.free) }
    return excess
  }
}
