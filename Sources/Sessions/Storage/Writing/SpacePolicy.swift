public import Values

/// How much room recordings may take, and what happens when it is used up. The user chooses it; it
/// is kept in the store.
public struct SpacePolicy: Hashable, Sendable {
  /// What happens when there is no room left.
  public enum WhenFull: String, Hashable, Sendable, CaseIterable {
    /// The recording ends; nothing that is stored is given up.
    case stop
    /// Chunks that every destination has are deleted, the oldest first; without any the recording
    /// ends.
    case dropUploaded = "drop-uploaded"
    /// The same, and then chunks that were not sent, the oldest first.
    case dropOldest = "drop-oldest"
  }

  /// How much room is left.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Enough.
    case ok
    /// Somebody should make room soon.
    case low
    /// None: the policy says what to do.
    case full
  }

  /// How much room there is.
  public struct Usage: Hashable, Sendable {
    /// Bytes of the store that hold something, its log included.
    public var used: UInt64
    /// Bytes that can still be written: free on the disk, and freed within the store.
    public var free: UInt64

    /// A usage with the given parts.
    public init(used: UInt64, free: UInt64) {
      self.used = used
      self.free = free
    }
  }

  /// What is to be done now.
  public enum Advice: Hashable, Sendable {
    /// Nothing.
    case record
    /// Delete so many bytes of chunks that every destination has and, if there are not enough and
    /// it is allowed, of the oldest others.
    case drop(bytes: UInt64, uploadedOnly: Bool)
    /// End the recording.
    case stop
  }

  /// Bytes the store may have; `nil` for as many as the disk holds.
  public var quota: UInt64?
  /// Bytes that stay free on the disk, for the system and for other programs.
  public var floor: UInt64
  /// What happens when there is no room left.
  public var whenFull: WhenFull
  /// Days for which a chunk is kept after the last destination got it; `nil` for as long as there
  /// is room.
  public var keepSent: Double?

  /// A policy with the given parts. Without any, recordings end when 256 MiB are left.
  public init(
    quota: UInt64? = nil, floor: UInt64 = 256 << 20, whenFull: WhenFull = .stop,
    keepSent: Double? = nil
  ) {
    self.quota = quota
    self.floor = floor
    self.whenFull = whenFull
    self.keepSent = keepSent
  }

  /// Chunks that every destination had at this instant may be deleted now; `nil` if they are kept
  /// for as long as there is room.
  public func sentLimit(at now: UTCTime) -> UTCTime? {
    keepSent.map { days in
      // A span longer than there is time is as good as for ever.
      let span = Int64(exactly: (days * 86_400e9).rounded()) ?? .max
      let (limit, isBefore) = now.nanoseconds.subtractingReportingOverflow(span)
      return UTCTime(nanoseconds: isBefore ? .min : limit)
    }
  }

  /// How much room is left: it is low from nine tenths of the quota on, and below twice the floor.
  public func state(_ usage: Usage) -> State {
    if excess(usage, part: 1) > 0 { return .full }
    let isNearQuota = quota.map { usage.used > $0 - $0 / 10 } ?? false
    let (nearFloor, overflow) = floor.multipliedReportingOverflow(by: 2)
    return isNearQuota || overflow || usage.free < nearFloor ? .low : .ok
  }

  /// What is to be done now.
  public func advice(_ usage: Usage) -> Advice {
    guard state(usage) == .full else { return .record }
    switch whenFull {
    case .stop: return .stop
    // A twentieth more than it takes, so that not every commit has to make room again.
    case .dropUploaded: return .drop(bytes: excess(usage, part: 20), uploadedOnly: true)
    case .dropOldest: return .drop(bytes: excess(usage, part: 20), uploadedOnly: false)
    }
  }

  /// Bytes by which quota or floor are overrun, whichever is more; with `part` above 1 also that
  /// part of the limit, so that there is some room afterwards.
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
