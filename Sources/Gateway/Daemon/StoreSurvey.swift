internal import LinuxSystem
internal import Storage
internal import Values

/// The store's part of a status: its size and room, and what waits for each destination.
///
/// Counting reads a row for each chunk, which takes long in a large store, so a thread of its own
/// does it now and then, and the status has the age of its figures.
final class StoreSurvey: Sendable {
  private struct State: Sendable {
    var figures: Figures?
    var isUnderWay = false
    var nextTime = BootTime(nanoseconds: 0)
  }

  /// The figures of one look.
  private struct Figures: Sendable {
    var usage: SpacePolicy.Usage
    var space: SpacePolicy.State
    var uploads: [(stored: StoredDestination, counts: UploadCounts, success: UTCTime?)]
    var boot: BootTime
    var utc: UTCTime
  }

  /// Seconds between two looks at least.
  private static let lookSeconds = 10.0
  /// The share of the time that looking may take.
  private static let share = 0.02
  /// Bytes of a stored sample of three axes, as measured for walks (docs/reliability.md).
  private static let bytesPerSample = 3.0

  private let state = Guarded(State())

  /// Begins a look at the store if one is due.
  func look(at path: String, now: BootTime) {
    let isDue = state.withLock { state in
      guard !state.isUnderWay, now >= state.nextTime else { return false }
      state.isUnderWay = true
      return true
    }
    guard isDue else { return }
    let thread = try? NamedThread("survey") { [state] in
      let figures = Self.figures(of: path)
      let end = BootClock.now()
      // A store that is not there yet will be soon.
      let pause =
        figures == nil ? 0 : max(Self.lookSeconds, end.seconds(since: now) / Self.share)
      state.withLock { state in
        if let figures { state.figures = figures }
        state.isUnderWay = false
        state.nextTime = end.advanced(bySeconds: pause)
      }
    }
    guard let thread else { return state.withLock { $0.isUnderWay = false } }
    thread.letGo()
  }

  private static func figures(of path: String) -> Figures? {
    guard StoreReader.exists(at: path), let reader = try? StoreReader(path: path),
      let usage = try? reader.spaceUsage(), let policy = try? reader.spacePolicy(),
      let destinations = try? reader.destinations()
    else { return nil }
    let (boot, utc) = BootClock.pair()
    var uploads: [(stored: StoredDestination, counts: UploadCounts, success: UTCTime?)] = []
    for stored in destinations {
      guard let counts = try? reader.uploadCounts(for: stored) else { continue }
      uploads.append((stored, counts, (try? reader.lastStored(for: stored)) ?? nil))
    }
    return Figures(
      usage: usage, space: policy.state(usage), uploads: uploads, boot: boot, utc: utc)
  }

  /// The parts of the status that concern store and destinations.
  func describe(
    into status: inout GatewayStatus, of plan: DaemonPlan, uploads isAllowed: Bool,
    at now: BootTime
  ) {
    guard let figures = state.withLock({ $0.figures }) else { return }
    let age = max(0, now.seconds(since: figures.boot))
    let rate = status.boards.flatMap(\.streams).reduce(0.0) { $0 + $1.measuredRate }
    status.store = GatewayStatus.Store(
      path: plan.store, used: figures.usage.used, free: figures.usage.free,
      space: figures.space.rawValue, bytesPerDay: UInt64(rate * 86_400 * Self.bytesPerSample),
      age: age)
    status.uploads = figures.uploads.map { stored, counts, success in
      let name = stored.name ?? ""
      func seconds(to time: UTCTime) -> Double {
        Double(time.nanoseconds &- figures.utc.nanoseconds) / 1e9
      }
      return GatewayStatus.Upload(
        destination: name,
        isEnabled: isAllowed && (plan.destinations.isEmpty || plan.destinations.contains(name)),
        sent: counts.sentChunks.count, waiting: counts.waitingChunks.count,
        waitingBytes: counts.waitingChunks.bytes, parked: counts.parkedChunks.count,
        successAge: success.map { max(0, -seconds(to: $0)) + age },
        retry: stored.restingUntil.map { max(0, seconds(to: $0) - age) }, error: stored.error,
        age: age)
    }
  }
}
