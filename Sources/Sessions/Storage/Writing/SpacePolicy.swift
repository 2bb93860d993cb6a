public import Values

/// The limits for recordings, and the action to take when space runs out. The user chooses the
/// policy, and the choice is saved in the store.
public struct SpacePolicy: Hashable, Sendable {
  /// The action to take when no space is left.
  public enum WhenFull: String, Hashable, Sendable, CaseIterable {
    /// End the recording, and delete nothing.
    case stop
    /// Delete chunks that every destination has received, oldest first. If there are none, end the
    /// recording.
    case dropUploaded = "drop-uploaded"
    /// Delete chunks that every destination has received, and then chunks that were not uploaded,
    /// oldest first in each group.
    case dropOldest = "drop-oldest"
  }

  /// The amount of space left.
  public enum State: String, Hashable, Sendable, CaseIterable {
    case ok
    /// There is little space left, so the user should free some soon.
    case low
    /// There is no space left, so the policy determines the next action.
    case full
  }

  public struct Usage: Hashable, Sendable {
    /// The store's size in bytes, including its log.
    public var used: UInt64
    /// Number of bytes that can still be written: the free space on the disk, plus unused pages in
    /// the store.
    public var free: UInt64

    public init(used: UInt64, free: UInt64) {
      self.used = used
      self.free = free
    }
  }

  /// The action to take next.
  public enum Advice: Hashable, Sendable {
    /// Continue the recording.
    case record
    /// Delete chunks that every destination has received, until this many bytes are deleted. If
    /// these chunks do not suffice and `uploadedOnly` is false, also delete the oldest of the
    /// remaining chunks.
    case drop(bytes: UInt64, uploadedOnly: Bool)
    /// End the recording.
    case stop
  }

  /// Maximum size of the store in bytes; `nil` if only the disk limits it.
  public var quota: UInt64?
  /// Number of bytes that must remain free on the disk for the system and other programs.
  public var floor: UInt64
  public var whenFull: WhenFull
  /// Number of days to keep a chunk after the last destination has received it; `nil` to keep the
  /// chunk while there is space.
  public var keepSent: Double?

  /// Creates a policy. By default, a recording ends when only 256 MiB are free.
  public init(
    quota: UInt64? = nil, floor: UInt64 = 256 << 20, whenFull: WhenFull = .stop,
    keepSent: Double? = nil
  ) {
    self.quota = quota
    self.floor = floor
    self.whenFull = whenFull
    self.keepSent = keepSent
  }

  /// Returns the time limit for deleting uploaded chunks: a chunk that every destination had
  /// received by then is deleted now. Returns `nil` if uploaded chunks are kept while there is
  /// space.
  public func sentLimit(at now: UTCTime) -> UTCTime? {
    keepSent.map { days in
      // If the time limit is before the representable range, chunks are kept forever.
      let span = Int64(exactly: (days * 86_400e9).rounded()) ?? .max
      let (limit, isBefore) = now.nanoseconds.subtractingReportingOverflow(span)
      return UTCTime(nanoseconds: isBefore ? .min : limit)
    }
  }

  /// Returns how much space is left. Space is low when nine tenths of the quota are used, or when
  /// less than twice the floor is free.
  public func state(_ usage: Usage) -> State {
    if excess(usage, part: 1) > 0 { return .full }
    let isNearQuota = quota.map { usage.used > $0 - $0 / 10 } ?? false
    let (nearFloor, overflow) = floor.multipliedReportingOverflow(by: 2)
    return isNearQuota || overflow || usage.free < nearFloor ? .low : .ok
  }

  public func advice(_ usage: Usage) -> Advice {
    guard state(usage) == .full else { return .record }
    switch whenFull {
    case .stop: return .stop
    // Free a twentieth more than necessary, so that not every commit needs to free space.
    case .dropUploaded: return .drop(bytes: excess(usage, part: 20), uploadedOnly: true)
    case .dropOldest: return .drop(bytes: excess(usage, part: 20), uploadedOnly: false)
    }
  }

  /// Returns the number of bytes by which the store exceeds the quota, or by which the free space
  /// falls below the floor, whichever is larger. With a `part` above 1, the limit divided by `part`
  /// must also remain free.
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
