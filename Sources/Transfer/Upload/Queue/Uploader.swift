internal import LinuxSystem
internal import Recording
public import Values

/// The store as a destination's uploader sees it. Its calls may wait for the disk, and run on a
/// thread of their own.
public protocol Backlog: Sendable {
  /// Chunks that wait for the destination, in the order of sending: at most `limit`, and none of
  /// `excluding`.
  func waiting(limit: Int, excluding: [UniqueID]) async throws -> [UploadQueue.Item]

  /// Sessions that have ended, whose chunks are all stored at the destination, and whose current
  /// record is not.
  func unfinished() async throws -> [UploadQueue.SessionItem]

  /// The chunks with these ids, each in the form in which it can be sent.
  func load(_ chunks: [UniqueID]) async throws -> [LoadedChunk]

  /// A session for a destination; `nil` if it is no longer in the store. With `toFinish` it keeps
  /// the record read at this call, which is later noted as sent.
  func session(_ id: UniqueID, toFinish: Bool) async throws -> (any OutgoingSession)?

  /// Notes the verdicts on sent items: all or none.
  func note(_ notes: [UploadNote]) async throws

  /// Notes that the destination rests, and why; or that it no longer rests if `until` is `nil`.
  func noteRest(until: BootTime?, failures: Int, _ setback: Setback?) async throws
}

/// The store's answer for a chunk to be sent.
public enum LoadedChunk: Hashable, Sendable {
  case chunk(OutgoingChunk)
  /// The chunk cannot be read, for this reason.
  case damaged(String)
  /// The chunk was deleted.
  case gone
}

/// Sends waiting items to one destination: performs the actions of an `UploadQueue`.
public final class Uploader: Sendable {
  /// The result of a run.
  public struct Outcome: Sendable {
    /// The reason for the end.
    public var ending: UploadQueue.Ending
    public var counts: UploadQueue.Counts
    /// The store's error, where the store failed.
    public var storeError: (any Error)?
  }

  /// Progress of a run.
  public struct Progress: Hashable, Sendable {
    public var counts: UploadQueue.Counts
    /// The end of the destination's rest; `nil` if it is not resting.
    public var restingUntil: BootTime?
    /// The reason of the rest.
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
  /// The tasks of the calls under way, for cancelling.
  private let calls = Guarded<[Int: Task<Void, Never>]>([:])
  private let hasGivenUp = StopFlag()

  /// - Parameters:
  ///   - isRestNoted: Whether the store contains a rest of the destination.
  ///   - resting: The end of the rest that the server asked for in an earlier run.
  ///   - minuteOfDay: Returns the minute of the day in local time.
  ///   - tell: Called with the counts, on any thread.
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

  /// Stops the run: calls under way may still finish, but no new ones begin.
  public func stop() { events.post(.stopped) }

  /// Cancels the calls under way; for use after `stop`, when they take too long. Data that the
  /// destination stored from them are sent again later, and stored only once.
  public func giveUp() {
    hasGivenUp.raise()
    for task in calls.withLock({ Array($0.values) }) { task.cancel() }
  }

  /// Reports that the computer has a network again.
  public func networkReturned() { events.post(.networkReturned) }

  /// Reports that something new may wait.
  public func added() { events.post(.added) }

  /// Sends until the end. To be called once.
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
      // A cancelled timer was replaced by another.
      guard (try? await Pause.seconds(seconds)) != nil else { return }
      events.post(.elapsed)
    }
  }

  /// Performs an operation of the store, and reports its outcome or its failure to the queue.
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

  /// Notes a rest after the previous one, so that the last one stays.
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
    // The task is in the table before it can remove itself.
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
