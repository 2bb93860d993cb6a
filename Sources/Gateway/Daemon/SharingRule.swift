internal import Sharing
internal import Upload
internal import Values

/// Decides what a gateway shares with its fleet, and when. The caller supplies the current time and
/// sends the messages.
///
/// A change, or a movement beyond the configured distance, is sent at most once per interval.
/// Unchanged values are repeated before they expire.
struct SharingRule: Sendable {
  /// A message to send to the broker.
  enum Action: Equatable, Sendable {
    case status(SharedStatus)
    case location(SharedLocation)
    /// Delete the broker's retained message of this kind.
    case delete(LiveTopic.Kind)
  }

  /// The fraction of a message's validity period after which it is sent again.
  static let repetition = 1.0 / 3

  private struct Told: Sendable {
    var time: BootTime
    var status: SharedStatus?
    var location: SharedLocation?
  }

  private let plan: SharingPlan
  private var told: [LiveTopic.Kind: Told] = [:]
  /// Kinds of messages that the broker was asked to delete, some only as a precaution.
  private var deleted: Set<LiveTopic.Kind> = []

  init(_ plan: SharingPlan) {
    self.plan = plan
  }

  private func mayTellPlace(inSession: Bool, minuteOfDay: Int) -> Bool {
    guard plan.sharesPosition else { return false }
    return switch plan.time {
    case .always: true
    case .session: inSession
    case .hours: plan.hours?.contains(minuteOfDay) ?? true
    }
  }

  /// Returns the messages that are due. `location` is the last known position before rounding, or
  /// `nil` if unknown.
  mutating func next(
    _ status: SharedStatus, _ location: SharedLocation?, minuteOfDay: Int, at now: BootTime
  ) -> [Action] {
    guard plan.share != .none else { return delete(.status) + delete(.location) }
    var actions = next(status, at: now)
    guard let location, location.isPosition,
      mayTellPlace(inSession: status.session != nil, minuteOfDay: minuteOfDay)
    else { return actions + delete(.location) }
    let shown = plan.share == .rounded ? location.rounded : location
    // Rounding may produce the position 0, 0, which readers interpret as missing.
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

  /// Returns the last messages before a regular shutdown.
  mutating func end(_ status: SharedStatus) -> [Action] {
    guard plan.share != .none else { return delete(.status) + delete(.location) }
    var status = status
    status.state = SharedStatus.off
    status.session = nil
    return [.status(status)] + delete(.location)
  }

  /// Records a new connection. All messages become due again, because the broker may not have
  /// received the earlier messages.
  mutating func reconnected() {
    told = [:]
    deleted = []
  }

  private mutating func next(_ status: SharedStatus, at now: BootTime) -> [Action] {
    var status = status
    let last = told[.status]?.status
    // The session's start time is computed from the session's age, so it differs slightly in each
    // status.
    if let session = last?.session, session.id == status.session?.id { status.session = session }
    guard isDue(.status, at: now, hasChanged: last.map { Self.differ($0, status) } ?? true) else {
      return []
    }
    told[.status] = Told(time: now, status: status)
    deleted.remove(.status)
    return [.status(status)]
  }

  /// Returns whether two statuses differ, apart from values that change constantly.
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
    return age >= (hasChanged ? plan.interval : plan.validity * Self.repetition)
  }

  private mutating func delete(_ kind: LiveTopic.Kind) -> [Action] {
    told[kind] = nil
    return deleted.insert(kind).inserted ? [.delete(kind)] : []
  }
}
