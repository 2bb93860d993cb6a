public import LinuxSystem
internal import Recording
public import Storage
public import Upload
public import Values

/// Sends a store's waiting chunks to destinations, which are independent of each other.
///
/// Other programs may record into the store at the same time, and another run may send to the same
/// destination. A destination stores a repeated chunk only once.
public final class UploadRun: Sendable {
  /// A destination to send to, with its entry in the store.
  public struct Target: Sendable {
    public var stored: StoredDestination
    public var settings: DestinationSettings
    public var destination: any Destination

    public init(
      _ stored: StoredDestination, _ settings: DestinationSettings,
      _ destination: any Destination
    ) {
      self.stored = stored
      self.settings = settings
      self.destination = destination
    }
  }

  /// The data to upload, its order, and how long to run.
  public struct Options: Sendable {
    /// The sessions to send, or `nil` for all.
    public var sessions: [UniqueID]?
    /// Whether the newest recording is sent first, regardless of the destinations' settings.
    public var newestFirst = false
    /// Whether to upload even outside the permitted hours.
    public var ignoresHours = false
    /// Whether the run stays active after everything is sent, until it is stopped.
    public var stays = false

    /// Creates options that send everything, in the order of the destinations' settings, and end
    /// the run when everything is sent.
    public init() {}
  }

  /// The result of one destination's upload.
  public struct Outcome: Sendable {
    public var stored: StoredDestination
    /// The counts, and the reason why the upload ended.
    public var outcome: Uploader.Outcome
  }

  public struct Progress: Hashable, Sendable {
    public var destination: Int64
    public var progress: Uploader.Progress
  }

  /// Seconds after `stop` until unfinished uploads are cancelled.
  public static let patience = 2.0

  /// Counts of the chunks deleted from the store after a run. Each of these chunks had been stored
  /// at every destination for as long as the user requires (`store space --keep-sent`). All counts
  /// are zero before the run has ended.
  public var dropped: Store.Dropped { get throws { try retention.withLock { $0 }.get() } }

  /// The number of chunks to delete before checking for a stop request again.
  private static let dropsAtOnce = 256

  private let stopping = StopFlag()
  private let retention = Guarded<Result<Store.Dropped, any Error>>(.success(Store.Dropped()))
  private let uploaders: [(stored: StoredDestination, uploader: Uploader)]
  private let thread: BacklogThread
  private let stays: Bool

  /// Prepares an upload run without starting it.
  ///
  /// - Parameters:
  ///   - path: The store's file, which must exist.
  ///   - tell: Called with the progress, on any thread.
  public init(
    store path: String, _ targets: [Target], _ options: Options = Options(),
    tell: @escaping @Sendable (Progress) -> Void = { _ in }
  ) throws(SystemError) {
    let thread = try BacklogThread(path: path)
    self.thread = thread
    stays = options.stays
    uploaders = targets.map { target in
      let traits = target.destination.traits
      let newestFirst = options.newestFirst || target.settings.newestFirst
      let backlog = UploadBacklog(
        target.stored, on: thread,
        UploadBacklog.Choice(
          sessions: options.sessions, newestFirst: newestFirst,
          needsDatedSession: traits.needsDatedSession))
      let rules = UploadQueue.Rules(
        traits, parallel: target.settings.parallel, newestFirst: newestFirst,
        hours: options.ignoresHours ? nil : target.settings.hours, stays: options.stays)
      let number = target.stored.number
      let uploader = Uploader(
        rules, to: target.destination, from: backlog,
        isRestNoted: target.stored.restingUntil != nil || !target.stored.error.isEmpty,
        // A user who requests an upload now should not wait for the next automatic retry.
        resting: options.stays ? Self.rest(of: target.stored) : nil,
        minuteOfDay: LocalTime.minuteOfDay,
        tell: { tell(Progress(destination: number, progress: $0)) })
      return (target.stored, uploader)
    }
  }

  /// Returns the time of a destination's next retry, according to the store.
  private static func rest(of stored: StoredDestination) -> BootTime? {
    guard let until = stored.restingUntil else { return nil }
    let (boot, utc) = BootClock.pair()
    let seconds = Double(until.nanoseconds &- utc.nanoseconds) / 1e9
    // If the clock was set in the meantime, the stored retry time may be far off.
    guard seconds > 0, seconds <= RetryPolicy.longestAskedRest else { return nil }
    return boot.advanced(bySeconds: seconds)
  }

  /// Sends until nothing is left to send, or until the run is stopped. Call it only once.
  ///
  /// Afterwards, the run deletes the chunks that every destination has stored for long enough,
  /// unless the run was stopped or has failed.
  public func run() async -> [Outcome] {
    let outcomes = Guarded<[Int64: Uploader.Outcome]>([:])
    // Without network notifications from the kernel, retries depend on timers.
    let watch = stays ? try? NetworkWatch { [weak self] in self?.networkReturned() } : nil
    defer { withExtendedLifetime(watch) {} }
    await withDiscardingTaskGroup { group in
      for (stored, uploader) in uploaders {
        group.addTask {
          let outcome = await uploader.run()
          outcomes.withLock { $0[stored.number] = outcome }
        }
      }
    }
    let ended = uploaders.compactMap { stored, _ in
      outcomes.withLock { $0[stored.number] }.map { Outcome(stored: stored, outcome: $0) }
    }
    let mayDrop = ended.allSatisfy { ended in
      switch ended.outcome.ending {
      case .drained, .unreachable, .closed: true
      case .stopped, .failed: false
      }
    }
    if mayDrop { await dropSent() }
    return ended
  }

  /// Deletes the chunks that may be deleted under the store's policy. Without a policy, this method
  /// does not write to the store.
  private func dropSent() async {
    let now = BootClock.systemTime()
    var dropped = Store.Dropped()
    do {
      while !stopping.isRaised {
        let step = try await thread.ask { connections in
          guard let limit = try connections.reader.spacePolicy().sentLimit(at: now) else {
            return Store.Dropped()
          }
          return try connections.edit {
            try $0.dropSent(before: limit, upTo: Self.dropsAtOnce, at: now)
          }
        }
        dropped += step
        guard step.chunks >= Self.dropsAtOnce else { break }
      }
      retention.withLock { [dropped] in $0 = .success(dropped) }
    } catch {
      retention.withLock { $0 = .failure(error) }
    }
  }

  /// Ends the run. Unfinished uploads are given a moment to complete, and are then cancelled.
  public func stop() {
    stopping.raise()
    for (_, uploader) in uploaders { uploader.stop() }
    Task { [uploaders] in
      try? await Pause.seconds(Self.patience)
      for (_, uploader) in uploaders { uploader.giveUp() }
    }
  }

  /// Call this method when the computer is connected to a network again.
  public func networkReturned() {
    for (_, uploader) in uploaders { uploader.networkReturned() }
  }

  /// Call this method when new chunks may exist, for example after the recorder has sealed a chunk.
  public func added() {
    for (_, uploader) in uploaders { uploader.added() }
  }
}
