public import HTTPClient
internal import LinuxSystem
public import Recording
public import Values

/// Decides when to publish a position. It takes events and returns actions; it reads no clock and
/// sends nothing.
public struct LiveLocationState: Hashable, Sendable {
  /// Least seconds between two publications.
  public let interval: Double
  /// Seconds after which readers regard a position as outdated: three missing publications, but at
  /// least a minute.
  public var validity: Double { max(60, 3 * interval) }

  private var latest: Fix?
  private var lastAttempt: BootTime?
  private var isUnderWay = false
  private var isEnded = false
  /// Whether the document may exist.
  private var mayExist = false

  /// Publishes at most once in `interval` seconds.
  public init(interval: Double = 10) {
    self.interval = max(1, interval)
  }

  /// Takes a fix and returns it if it is time to publish. A fix that must wait replaces an earlier
  /// waiting one.
  public mutating func note(_ fix: Fix, at now: BootTime) -> Fix? {
    guard !isEnded else { return nil }
    latest = fix
    guard !isUnderWay, lastAttempt.map({ now.seconds(since: $0) >= interval }) ?? true else {
      return nil
    }
    lastAttempt = now
    isUnderWay = true
    // An attempt without an answer may have succeeded.
    mayExist = true
    latest = nil
    return fix
  }

  /// Notes the end of the call under way, successful or not. Returns whether to remove the position
  /// now.
  public mutating func noteDone() -> Bool {
    isUnderWay = false
    return isEnded && mayExist
  }

  /// Notes the end of the recording. Returns whether to remove the position now.
  public mutating func end() -> Bool {
    guard !isEnded else { return false }
    isEnded = true
    return !isUnderWay && mayExist
  }
}

/// Publishes the position of a gateway while it records, for every signed-in user. One document is
/// rewritten repeatedly, contains its time of expiry, and is removed at the end.
///
/// A position that cannot be sent is dropped: the next fix would replace it anyway.
public final class LiveLocation: Sendable {
  private let account: FirestoreAccount
  private let gateway: String
  private let state: Guarded<LiveLocationState>
  private let failure = Guarded<Setback?>(nil)

  /// Most attempts to remove the position at the end.
  private static let removals = 3

  /// Publishes the position of the gateway named in `place`, and nothing of its recording. Every
  /// signed-in user may read it.
  public init(
    to place: FirestorePlace,
    credentials: DestinationSettings.Credentials, over exchange: any HTTPExchange,
    interval: Double = 10, environment: [String: String] = [:]
  ) {
    account = FirestoreAccount(place, credentials, over: exchange, environment: environment)
    gateway = place.gateway
    state = Guarded(LiveLocationState(interval: interval))
  }

  /// The reason why the last publication failed; `nil` if it succeeded.
  public var lastFailure: Setback? { failure.withLock { $0 } }

  /// Takes a new fix, and publishes it if it is time.
  public func note(_ fix: Fix, at now: BootTime) async {
    guard let fix = state.withLock({ $0.note(fix, at: now) }) else { return }
    await send { user in
      FirestoreWrite(.replace(self.document(fix, user: user, at: BootClock.systemTime())))
    }
    if state.withLock({ $0.noteDone() }) { await remove() }
  }

  /// Removes the position. Nothing is published after this.
  public func end() async {
    if state.withLock({ $0.end() }) { await remove() }
  }

  private func remove() async {
    for _ in 0..<Self.removals {
      await send { _ in FirestoreWrite(.delete(path: self.path)) }
      if lastFailure == nil { return }
    }
  }

  private func send(_ write: (String) -> FirestoreWrite) async {
    do throws(FirestoreFailure) {
      let write = write(try await account.user())
      try await account.access.commit([write])
      failure.withLock { $0 = nil }
    } catch {
      failure.withLock { $0 = error.setback }
    }
  }

  private var path: [String] { ["locations", gateway] }

  private func document(_ fix: Fix, user: String, at now: UTCTime) -> FirestoreDocument {
    let validity = Int64(state.withLock { $0.validity } * 1e9)
    var fields = [
      FirestoreField("user_id", .string(user)),
      FirestoreField("latitude", .double(fix.latitude)),
      FirestoreField("longitude", .double(fix.longitude)),
      FirestoreField("fix_time", .timestamp(fix.utc)),
      FirestoreField("updated_at", .timestamp(now)),
      FirestoreField(
        "expires_at", .timestamp(UTCTime(nanoseconds: now.nanoseconds &+ validity))),
    ]
    if let altitude = fix.altitudeMSL {
      fields.append(FirestoreField("altitude", .double(altitude)))
    }
    if let error = fix.error?.horizontal {
      fields.append(FirestoreField("accuracy_m", .double(error)))
    }
    return FirestoreDocument(path: path, fields: fields)
  }
}
