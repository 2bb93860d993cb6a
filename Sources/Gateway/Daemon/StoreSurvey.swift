internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// The store's part of the status: its size, the free space, and the backlog of each destination.
///
/// Counting reads one row per chunk, which is slow in a large store. A separate thread therefore
/// counts from time to time, and the status shows the age of the counts. The destinations, and the
/// open session's participant and mounting faults, are read more often, so that a user's changes
/// appear soon.
final class StoreSurvey: Sendable {
  private struct State: Sendable {
    var figures: Figures?
    /// The destinations found by the last check. Checks are more frequent than counts.
    var destinations: [StoredDestination]?
    /// The time of the last check, on the boot clock and in UTC.
    var read: (boot: BootTime, utc: UTCTime)?
    var space: Since<SpacePolicy.State>?
    /// The open session's participant, as found by the last check. `nil` after `takeParticipant`
    /// has returned it.
    var participant: SessionParticipant?
    /// The mounting faults in the open session, as found by the last check.
    var mountings: [MountingFault] = []
    var isUnderWay = false
    var nextTime = BootTime(nanoseconds: 0)
    var nextCount = BootTime(nanoseconds: 0)
  }

  private struct Figures: Sendable {
    var usage: SpacePolicy.Usage
    var space: SpacePolicy.State
    var uploads: [Int64: (counts: UploadCounts, success: UTCTime?)]
    var boot: BootTime
    var utc: UTCTime
  }

  /// A session's participant, as stored.
  struct SessionParticipant: Sendable {
    var session: UniqueID
    var participant: Participant?
  }

  /// The parts of the store that are read during each check.
  private struct Reading: Sendable {
    var destinations: [StoredDestination]?
    var participant: SessionParticipant?
    var mountings: [MountingFault] = []
  }

  /// Seconds between checks of the destinations and the open session.
  private static let lookSeconds = 2.0
  /// The minimum time between counts, in seconds.
  private static let countSeconds = 5.0
  /// The maximum fraction of time that may be spent on counting.
  private static let share = 0.02

  private let state = Guarded(State())

  /// Starts a check of the store if one is due. `session` is the open session.
  func look(at path: String, session: UniqueID?, now: BootTime) {
    let (isDue, counts) = state.withLock { state in
      guard !state.isUnderWay, now >= state.nextTime else { return (false, false) }
      state.isUnderWay = true
      return (true, now >= state.nextCount)
    }
    guard isDue else { return }
    let thread = try? NamedThread("survey") { [state] in
      let read = BootClock.pair()
      let reading = Self.read(path, session)
      let destinations = reading.destinations
      let figures = destinations.flatMap { counts ? Self.figures(of: path, $0) : nil }
      let end = BootClock.now()
      state.withLock { state in
        state.isUnderWay = false
        // A store that does not exist yet will soon be created, so check again immediately.
        state.nextTime = end.advanced(bySeconds: destinations == nil ? 0 : Self.lookSeconds)
        if let destinations {
          state.destinations = destinations
          state.read = read
        }
        state.participant = reading.participant
        state.mountings = reading.mountings
        guard let figures else { return }
        let pause = max(Self.countSeconds, end.seconds(since: now) / Self.share)
        state.nextCount = end.advanced(bySeconds: pause)
        state.figures = figures
        if state.space == nil { state.space = Since(figures.space, at: end) }
        state.space?.note(figures.space, at: end)
      }
    }
    guard let thread else { return state.withLock { $0.isUnderWay = false } }
    thread.letGo()
  }

  /// Reads the destinations, and the open session. Reads nothing if the store does not exist.
  private static func read(_ path: String, _ session: UniqueID?) -> Reading {
    guard StoreReader.exists(at: path), let reader = try? StoreReader(path: path) else {
      return Reading()
    }
    var reading = Reading(destinations: try? reader.destinations())
    guard let session, let stored = try? reader.session(session) else { return reading }
    reading.participant = SessionParticipant(session: session, participant: stored.participant)
    reading.mountings = (try? reader.mountingFaults(of: stored)) ?? []
    return reading
  }

  /// Returns the participant found by the last check. Returns `nil` when called again before the
  /// next check.
  func takeParticipant() -> SessionParticipant? {
    state.withLock { state in
      defer { state.participant = nil }
      return state.participant
    }
  }

  private static func figures(of path: String, _ destinations: [StoredDestination]) -> Figures? {
    guard let reader = try? StoreReader(path: path), let usage = try? reader.spaceUsage(),
      let policy = try? reader.spacePolicy()
    else { return nil }
    let (boot, utc) = BootClock.pair()
    var uploads: [Int64: (counts: UploadCounts, success: UTCTime?)] = [:]
    for stored in destinations {
      guard let counts = try? reader.uploadCounts(for: stored) else { continue }
      uploads[stored.number] = (counts, (try? reader.lastStored(for: stored)) ?? nil)
    }
    return Figures(
      usage: usage, space: policy.state(usage), uploads: uploads, boot: boot, utc: utc)
  }

  /// Fills in the status of the store and its destinations.
  func describe(
    into status: inout GatewayStatus, of plan: DaemonPlan, uploads isAllowed: Bool,
    at now: BootTime
  ) {
    let state = state.withLock { $0 }
    status.mountings = state.mountings.map(GatewayStatus.Mounting.init)
    if let destinations = state.destinations {
      let known = Set(destinations.compactMap(\.name))
      status.unknownDestinations = plan.namedDestinations.filter { !known.contains($0) }
    }
    guard let figures = state.figures, let destinations = state.destinations,
      let read = state.read
    else { return }
    let age = max(0, now.seconds(since: figures.boot))
    // No data is stored between sessions.
    let streams = status.recording.standby == nil ? status.boards.flatMap(\.streams) : []
    let rate = streams.reduce(0.0) { $0 + $1.measuredRate }
    let fixes =
      !streams.isEmpty && status.receiver?.isCurrent ?? false ? RecordedVolume.usualFixRate : 0
    let bytes =
      rate * RecordedVolume.bytesPerMotionSample
      + fixes
      * (RecordedVolume.bytesPerFix + RecordedVolume.bytesPerFixInChunk * Double(streams.count))
    status.store = GatewayStatus.Store(
      path: plan.store, used: figures.usage.used, free: figures.usage.free,
      space: figures.space, spaceAge: state.space?.seconds(at: now) ?? 0,
      bytesPerDay: UInt64(bytes * 86_400), age: age)
    status.uploads = destinations.compactMap { stored in
      guard let (counts, success) = figures.uploads[stored.number] else { return nil }
      let name = stored.name ?? ""
      let rest = stored.restingUntil.map {
        Double($0.nanoseconds &- read.utc.nanoseconds) / 1e9 - now.seconds(since: read.boot)
      }
      return GatewayStatus.Upload(
        destination: name,
        isEnabled: isAllowed && (plan.destinations.isEmpty || plan.destinations.contains(name)),
        sent: counts.sentChunks.count, waiting: counts.waitingChunks.count,
        waitingBytes: counts.waitingChunks.bytes, parked: counts.parkedChunks.count,
        successAge: success.map {
          max(0, Double(figures.utc.nanoseconds &- $0.nanoseconds) / 1e9) + age
        },
        // Once the wait before a retry is over, the upload is already being retried.
        retry: rest.flatMap { $0 > 0 ? $0 : nil }, error: stored.error, age: age)
    }
  }
}

extension DaemonPlan {
  fileprivate var namedDestinations: [String] {
    destinations + [liveLocation].compactMap(\.self).filter { !destinations.contains($0) }
  }
}
