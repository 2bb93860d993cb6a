public import HTTPClient
internal import LinuxSystem
public import Recording
public import Values

/// Decides when to publish a position. This type receives events and returns actions. It neither
/// reads a clock nor sends anything.
public struct LiveLocationState: Hashable, Sendable {
  /// The minimum interval between two publications, in seconds.
  public let interval: Double
  /// Seconds after which readers consider a position outdated: three missed publications, but at
  /// least a minute.
  public var validity: Double { max(60, 3 * interval) }

  private var lastAttempt: BootTime?
  private var isUnderWay = false
  private var isEnded = false
  /// Whether the document that contains the position may exist in the database.
  private var mayExist = false

  /// Creates a state that allows at most one publication every `interval` seconds, and never more
  /// than one per second.
  public init(interval: Double = 10) {
    self.interval = max(1, interval)
  }

  /// Accepts a fix. Returns the fix if it must be published now, or `nil` if it comes too early.
  public mutating func note(_ fix: Fix, at now: BootTime) -> Fix? {
    guard !isEnded else { return nil }
    guard !isUnderWay, lastAttempt.map({ now.seconds(since: $0) >= interval }) ?? true else {
      return nil
    }
    lastAttempt = now
    isUnderWay = true
    // An attempt that received no response may still have succeeded.
    mayExist = true
    return fix
  }

  /// Records that the current call to the database has ended, successfully or not. Returns whether
  /// to remove the position now.
  public mutating func noteDone() -> Bool {
    isUnderWay = false
    return isEnded && mayExist
  }

  /// Records that the recording has ended. Returns whether to remove the position now.
  public mutating func end() -> Bool {
    guard !isEnded else { return false }
    isEnded = true
    return !isUnderWay && mayExist
  }
}

/// Publishes a gateway's position to all signed-in users during a recording. A single document is
/// overwritten repeatedly. It contains the time at which it expires, and is removed at the end.
///
/// A position that cannot be sent is dropped, because the next fix would replace it anyway.
public final class LiveLocation: Sendable {
  private let account: FirestoreAccount
  private let gateway: String
  private let name: String?
  private let state: Guarded<LiveLocationState>
  private let failure = Guarded<Setback?>(nil)

  /// The collection with one document for each gateway.
  static let collection = "locations"
  /// The default interval between two publications, in seconds.
  public static let usualInterval = 10.0
  /// The maximum number of attempts to remove the position at the end.
  private static let removals = 3

  /// Creates a publisher for the gateway named in `place`. `name` is the user's name for the
  /// gateway. All signed-in users can read the position and the name, but none of the recorded data
  /// is published.
  public init(
    to place: FirestorePlace, named name: String? = nil,
    credentials: DestinationSettings.Credentials, over exchange: any HTTPExchange,
    interval: Double = usualInterval, environment: [String: String] = [:]
  ) {
    account = FirestoreAccount(place, credentials, over: exchange, environment: environment)
    gateway = place.gateway
    self.name = name
    state = Guarded(LiveLocationState(interval: interval))
  }

  /// The reason the last publication failed; `nil` if it succeeded.
  public var lastFailure: Setback? { failure.withLock { $0 } }

  /// Accepts a new fix, and publishes it if it is due.
  public func note(_ fix: Fix, at now: BootTime) async {
    guard let fix = state.withLock({ $0.note(fix, at: now) }) else { return }
    await send { user in
      FirestoreWrite(.replace(self.document(fix, user: user, at: BootClock.systemTime())))
    }
    if state.withLock({ $0.noteDone() }) { await remove() }
  }

  /// Removes the published position. Nothing is published after this.
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

  private var path: [String] { [Self.collection, gateway] }

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
    if let name { fields.append(FirestoreField("gateway", .string(name))) }
    if let altitude = fix.altitudeMSL {
      fields.append(FirestoreField("altitude", .double(altitude)))
    }
    if let error = fix.error?.horizontal {
      fields.append(FirestoreField("accuracy_m", .double(error)))
    }
    return FirestoreDocument(path: path, fields: fields)
  }
}
