internal import Sharing
internal import Upload
internal import Values

/// Decides what a gateway shares with its fleet, and when. It reads no clock and sends nothing.
///
/// A change is sent, at most once per interval; so is a movement beyond the distance. Unchanged
/// values are repeated before they expire.
struct SharingRule: Sendable {
  /// A message to send.
  enum Action: Equatable, Sendable {
    case status(SharedStatus)
    case location(SharedLocation)
    /// Delete the broker's message of this kind.
    case delete(LiveTopic.Kind)
  }

  private struct Told: Sendable {
    var time: BootTime
    var status: SharedStatus?
    var location: SharedLocation?
  }

  private let plan: SharingPlan
  private var told: [LiveTopic.Kind: Told] = [:]
  /// Kinds that were deleted, or that were never sent but have been deleted as a precaution.
  private var deleted: Set<LiveTopic.Kind> = []

  init(_ plan: SharingPlan) {
    self.plan = plan
  }

  /// Whether the position may be shared now.
  private func mayTellPlace(inSession: Bool, minuteOfDay: Int) -> Bool {
    guard plan.share == .rounded || plan.share == .exact else { return false }
    return switch plan.time {
    case .always: true
    case .session: inSession
    case .hours: plan.hours?.contains(minuteOfDay) ?? true
    }
  }

  /// The messages that are due. `location` is the last known position, not rounded; `nil` without
  /// one.
  mutating func next(
    _ status: SharedStatus, _ location: SharedLocation?, minuteOfDay: Int, at now: BootTime
  ) -> [Action] {
    guard plan.share != .none else { return delete(.status) + delete(.location) }
    var actions = next(status, at: now)
    guard let location, location.isPosition,
      mayTellPlace(inSession: status.session != nil, minuteOfDay: minuteOfDay)
    else { return actions + delete(.location) }
    let shown = plan.share == .rounded ? location.rounded : location
    // Rounding may give 0, 0, which readers take for a missing position.
    guard shown.isPosition else { return actions + delete(.location) }
    if isDue(
      .location, at: now, hasChanged: told[.location]?.location.map { hasMoved($0, shown) } ?? true)
    {
      told[.location] = Told(time: now, location: shown)
      deleted.remove(.location)
      actions.append(.location(shown))
    }
    return actions
  }

  /// The last messages before an orderly end.
  mutating func end(_ status: SharedStatus) -> [Action] {
    guard plan.share != .none else { return delete(.status) + delete(.location) }
    var status = status
    status.state = SharedStatus.off
    status.session = nil
    return [.status(status)] + delete(.location)
  }

  /// Notes a new connection: its broker may have received nothing yet.
  mutating func reconnected() {
    told = [:]
    deleted = []
  }

  private mutating func next(_ status: SharedStatus, at now: BootTime) -> [Action] {
    var status = status
    let last = told[.status]?.status
    // It is computed from an age, so it differs a little each time.
    if let session = last?.session, session.id == status.session?.id { status.session = session }
    guard isDue(.status, at: now, hasChanged: last.map { Self.differ($0, status) } ?? true) else {
      return []
    }
    told[.status] = Told(time: now, status: status)
    deleted.remove(.status)
    return [.status(status)]
  }

  /// Whether two statuses differ, apart from values that change all the time.
  private static func differ(_ one: SharedStatus, _ other: SharedStatus) -> Bool {
    var other = other
    other.waitingChunks = one.waitingChunks
    return one != other
  }

  private func hasMoved(_ one: SharedLocation, _ other: SharedLocation) -> Bool {
    one.sharing != other.sharing
      || (one.time != other.time && one.metres(to: other) >= max(plan.distance, 0.001))
  }

  private func isDue(_ kind: LiveTopic.Kind, at now: BootTime, hasChanged: Bool) -> Bool {
    guard let last = told[kind] else { return true }
    let age = now.seconds(since: last.time)
    return age >= (hasChanged ? plan.interval : plan.validity / 3)
  }

  private mutating func delete(_ kind: LiveTopic.Kind) -> [Action] {
    told[kind] = nil
    return deleted.insert(kind).inserted ? [.delete(kind)] : []
  }
}
