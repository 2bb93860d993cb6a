internal import LinuxSystem
internal import Recording
public import Values

/// The backlog of one destination: the part of the store that its uploader uses. Calls may wait for
/// the disk, so they run on a separate thread.
public protocol Backlog: Sendable {
  /// Returns chunks that are waiting for the destination, in sending order: at most `limit`, and
  /// none of those in `excluding`.
  func waiting(limit: Int, excluding: [UniqueID]) async throws -> [UploadQueue.Item]

  /// Returns the ended sessions whose chunks are all parked or stored at the destination, but whose
  /// current record is not stored there yet.
  func unfinished() async throws -> [UploadQueue.SessionItem]

  /// Loads the chunks with these ids, in a form ready to be sent.
  func load(_ chunks: [UniqueID]) async throws -> [LoadedChunk]

  /// Returns a session in a form ready to be sent, or `nil` if the store no longer contains it. If
  /// `toFinish` is true, remembers which version of the record was read, so that this version can
  /// be marked as sent.
  func session(_ id: UniqueID, toFinish: Bool) async throws -> (any OutgoingSession)?

  /// Writes the verdicts on sent items to the store, either all or none.
  func note(_ notes: [UploadNote]) async throws

  /// Records that uploads to the destination are paused, and why. If `until` is `nil`, records that
  /// they are no longer paused.
  func noteRest(until: BootTime?, failures: Int, _ setback: Setback?) async throws
}

/// The result of loading a chunk from the store.
public enum LoadedChunk: Hashable, Sendable {
  case chunk(OutgoingChunk)
  /// The chunk cannot be read. The text states why.
  case damaged(String)
  /// The chunk was deleted from the store.
  case gone
}

/// Sends the waiting items to one destination, by performing an `UploadQueue`'s actions.
public final class Uploader: Sendable {
  /// The result of a run.
  public struct Outcome: Sendable {
    public var ending: UploadQueue.Ending
    public var counts: UploadQueue.Counts
    /// The store's error, if the run ended because the store failed.
    public var storeError: (any Error)?
  }

  /// The progress of a run so far.
  public struct Progress: Hashable, Sendable {
    public var counts: UploadQueue.Counts
    /// The time at which paused uploads to the destination resume; `nil` if uploads are not paused.
    public var restingUntil: BootTime?
    /// The reason uploads to the destination are paused; `nil` if they are not.
    public var setback: Setback?
  }

  private let destination: any Destination
  private let backlog: any Backlog
  private let rules: UploadQueue.Rules
  private let isRestNoted: Bool
  private let resting: BootTime?
  private let minuteOfDay: @Sendable () -> Int
  private let tell: @Sendable (Progress) -> Void
  private let events = EventQueue<UploadQueue.Event>()
  private let storeError = Guarded<(any Error)?>(nil)
  /// The tasks of the calls in progress, which `giveUp` cancels.
  private let calls = Guarded<[Int: Task<Void, Never>]>([:])
  private let hasGivenUp = StopFlag()

  /// - Parameters:
  ///   - isRestNoted: whether the store already records that uploads are paused.
  ///   - resting: the end of the pause that the server requested in an earlier run.
  ///   - minuteOfDay: returns the minute of the day in local time.
  ///   - tell: called with the progress, on any thread.
  public init(
    _ rules: UploadQueue.Rules, to destination: any Destination, from backlog: any Backlog,
    isRestNoted: Bool = false, resting: BootTime? = nil,
    minuteOfDay: @escaping @Sendable () -> Int = { 720 },
    tell: @escaping @Sendable (Progress) -> Void = { _ in }
  ) {
    self.destination = destination
    self.backlog = backlog
    self.rules = rules
    self.isRestNoted = isRestNoted
    self.resting = resting
    self.minuteOfDay = minuteOfDay
    self.tell = tell
  }

  /// Stops the run. The calls in progress can still finish, but no new ones start.
  public func stop() { events.post(.stopped) }

  /// Cancels the calls in progress. Use this after `stop` if they take too long. Data that the
  /// destination has already stored will be sent again, but will not be stored twice.
  public func giveUp() {
    hasGivenUp.raise()
    for task in calls.withLock({ Array($0.values) }) { task.cancel() }
  }

  public func networkReturned() { events.post(.networkReturned) }

  public func added() { events.post(.added) }

  /// Runs until the queue ends. Must be called only once.
  public func run() async -> Outcome {
    var queue = UploadQueue(rules, isRestNoted: isRestNoted, resting: resting)
    var told: Progress?
    var lastSetback: Setback?
    var timer: Task<Void, Never>?
    var restNoted: Task<Void, Never>?
    var event: UploadQueue.Event? = .begun
    var ending: UploadQueue.Ending?
    while let current = event {
      for action in queue.handle(current, at: moment()) {
        switch action {
        case .wake(let time):
          timer?.cancel()
          timer = wake(at: time)
        case .end(let why): ending = why
        case .rest(let until, let failures, let setback):
          lastSetback = setback
          restNoted = noteRest(until, failures, setback, after: restNoted)
        case .read(let limit, let excluding): read(limit, excluding)
        case .readSessions: readSessions()
        case .write(let notes): write(notes)
        case .send(let call, let chunks, let session): send(call, chunks, session)
        case .finish(let call, let session): finish(call, session)
        }
      }
      let progress = Progress(
        counts: queue.counts, restingUntil: queue.restingUntil,
        setback: queue.restingUntil == nil ? nil : lastSetback)
      if progress != told { tell(progress) }
      told = progress
      if ending != nil { break }
      event = await events.next()
    }
    timer?.cancel()
    await restNoted?.value
    return Outcome(
      ending: ending ?? .stopped, counts: queue.counts, storeError: storeError.withLock { $0 })
  }

  private func moment() -> UploadQueue.Moment {
    var chance = Chance()
    return UploadQueue.Moment(
      now: BootClock.now(), minuteOfDay: minuteOfDay(),
      isClockTrusted: BootClock.isSystemTimeSynchronised, draw: .random(in: 0..<1, using: &chance))
  }

  private func wake(at time: BootTime) -> Task<Void, Never> {
    let seconds = max(0, time.seconds(since: BootClock.now()))
    return Task { [events] in
      // The pause fails only if this timer was cancelled. In that case, another timer has replaced
      // it, or the run has ended.
      guard (try? await Pause.seconds(seconds)) != nil else { return }
      events.post(.elapsed)
    }
  }

  /// Performs an operation on the store, and reports the result or the failure to the queue.
  private func ask(
    _ question: @escaping @Sendable (any Backlog) async throws -> UploadQueue.Event
  ) {
    Task {
      do {
        events.post(try await question(backlog))
      } catch {
        failed(error)
      }
    }
  }

  private func failed(_ error: any Error) {
    storeError.withLock { known in if known == nil { known = error } }
    events.post(.failed)
  }

  private func read(_ limit: Int, _ excluding: [UniqueID]) {
    ask { backlog in
      let items = try await backlog.waiting(limit: limit, excluding: excluding)
      return .waiting(items, isAll: items.count < limit)
    }
  }

  private func readSessions() { ask { .unfinished(try await $0.unfinished()) } }

  private func write(_ notes: [UploadNote]) {
    ask { backlog in
      try await backlog.note(notes)
      return .written
    }
  }

  /// Records in the store whether uploads are paused, and until when. Waits for the previous write
  /// to finish, so that the latest state is written last.
  private func noteRest(
    _ until: BootTime?, _ failures: Int, _ setback: Setback?, after earlier: Task<Void, Never>?
  ) -> Task<Void, Never> {
    Task {
      await earlier?.value
      do {
        try await backlog.noteRest(until: until, failures: failures, setback)
      } catch {
        failed(error)
      }
    }
  }

  private func send(_ call: Int, _ chunks: [UniqueID], _ id: UniqueID) {
    start(call) { [destination, backlog] in
      let loaded = try await backlog.load(chunks)
      guard let session = try await backlog.session(id, toFinish: false) else {
        return loaded.map { _ in .gone }
      }
      let outgoing = loaded.compactMap { if case .chunk(let chunk) = $0 { chunk } else { nil } }
      let verdicts = outgoing.isEmpty ? [] : await destination.store(outgoing, of: session)
      var rest = verdicts[...]
      return loaded.map { chunk in
        switch chunk {
        case .gone: .gone
        case .damaged(let words): .verdict(.refused(words))
        case .chunk: .verdict(rest.popFirst() ?? .failed(.noVerdict))
        }
      }
    }
  }

  private func finish(_ call: Int, _ id: UniqueID) {
    start(call) { [destination, backlog] in
      guard let session = try await backlog.session(id, toFinish: true) else { return [.gone] }
      return [.verdict(await destination.finish(session))]
    }
  }

  private func start(
    _ call: Int, _ body: @escaping @Sendable () async throws -> [UploadQueue.Answer]
  ) {
    // The lock ensures that the task is added to the table before it can remove itself.
    calls.withLock { calls in
      calls[call] = Task {
        do {
          let answers = try await body()
          events.post(.answered(call: call, answers))
        } catch {
          failed(error)
          events.post(.answered(call: call, []))
        }
        _ = self.calls.withLock { $0.removeValue(forKey: call) }
      }
    }
    if hasGivenUp.isRaised { giveUp() }
  }
}
