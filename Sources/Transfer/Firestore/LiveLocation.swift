public import HTTPClient
internal import LinuxSystem
public import Recording
public import Upload
public import Values

/// When a place is published. Events in, what to do out; it knows no clock and sends nothing.
public struct LiveLocationState: Hashable, Sendable {
  /// Seconds from one publication to the next at least.
  public let interval: Double
  /// Seconds after which readers take a place for gone: three publications that did not come, a
  /// minute at least.
  public var validity: Double { max(60, 3 * interval) }

  private var latest: Fix?
  private var lastAttempt: BootTime?
  private var isUnderWay = false
  private var isEnded = false
  /// Whether the document may be there.
  private var mayExist = false

  /// Publishes every so many seconds at most.
  public init(interval: Double = 10) {
    self.interval = max(1, interval)
  }

  /// A fix came: one to publish now, if it is time. Of those that come meanwhile the latest waits.
  public mutating func note(_ fix: Fix, at now: BootTime) -> Fix? {
    guard !isEnded else { return nil }
    latest = fix
    guard !isUnderWay, lastAttempt.map({ now.seconds(since: $0) >= interval }) ?? true else {
      return nil
    }
    lastAttempt = now
    isUnderWay = true
    // An attempt without an answer may have got through.
    mayExist = true
    latest = nil
    return fix
  }

  /// The call under way is over, well or not: whether the place is to be removed now.
  public mutating func noteDone() -> Bool {
    isUnderWay = false
    return isEnded && mayExist
  }

  /// The recording is over: whether the place is to be removed now.
  public mutating func end() -> Bool {
    guard !isEnded else { return false }
    isEnded = true
    return !isUnderWay && mayExist
  }
}

/// Publishes the place of a gateway while it records, for any user who looks on. One document is
/// rewritten now and then, says when it expires, and is removed at the end.
///
/// What cannot be sent is left out: by the next fix it would be wrong anyway.
public final class LiveLocation: Sendable {
  private let account: FirestoreAccount
  private let gateway: String
  private let state: Guarded<LiveLocationState>
  private let failure = Guarded<Setback?>(nil)

  /// Attempts to remove the place at the end.
  private static let removals = 3

  /// Publishes where the gateway named by `place` is, and nothing of its recording: every user who
  /// is signed in may look.
  public init(
    to place: FirestorePlace,
    credentials: DestinationSettings.Credentials, over exchange: any HTTPExchange,
    interval: Double = 10, environment: [String: String] = [:]
  ) {
    account = FirestoreAccount(place, credentials, over: exchange, environment: environment)
    gateway = place.gateway
    state = Guarded(LiveLocationState(interval: interval))
  }

  /// Why the last publication came to nothing; `nil` if it did not.
  public var lastFailure: Setback? { failure.withLock { $0 } }

  /// Takes a fix that came, and publishes it if it is time.
  public func note(_ fix: Fix, at now: BootTime) async {
    guard let fix = state.withLock({ $0.note(fix, at: now) }) else { return }
    await send { user in
      FirestoreWrite(.replace(self.document(fix, user: user, at: BootClock.systemTime())))
    }
    if state.withLock({ $0.noteDone() }) { await remove() }
  }

  /// Removes the place. Nothing is published any more.
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
