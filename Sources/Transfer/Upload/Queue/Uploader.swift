internal import LinuxSystem
internal import Recording
public import Values

/// The store as a destination's uploader sees it. Its calls may wait for the disk: they do so on a
/// thread of their own.
public protocol Backlog: Sendable {
  /// Chunks that wait for the destination, first to be sent first: at most `limit`, and none of
  /// `excluding`.
  func waiting(limit: Int, excluding: [UniqueID]) async throws -> [UploadQueue.Item]

  /// Sessions that have ended, have all their chunks there and their record not, or another than
  /// now.
  func unfinished() async throws -> [UploadQueue.SessionItem]

  /// The chunks with these ids, each as it can be sent.
  func load(_ chunks: [UniqueID]) async throws -> [LoadedChunk]

  /// A session as a destination may want to know it; `nil` if the store no longer has it. One to
  /// finish keeps the record that it had when it was asked for, and that one is noted as sent.
  func session(_ id: UniqueID, toFinish: Bool) async throws -> (any OutgoingSession)?

  /// Notes the verdicts on sent items: all of them or none.
  func note(_ notes: [UploadNote]) async throws

  /// Notes that the destination rests, and why; that it no longer rests where `until` is `nil`.
  func noteRest(until: BootTime?, failures: Int, _ setback: Setback?) async throws
}

/// What the store has of a chunk that is to be sent.
public enum LoadedChunk: Hashable, Sendable {
  /// The chunk.
  case chunk(OutgoingChunk)
  /// It cannot be read, in these words.
  case damaged(String)
  /// It was deleted.
  case gone
}

/// Sends what waits for one destination: performs what an `UploadQueue` asks for.
public final class Uploader: Sendable {
  /// How it went.
  public struct Outcome: Sendable {
    /// Why it ended.
    public var ending: UploadQueue.Ending
    /// The counts.
    public var counts: UploadQueue.Counts
    /// What the store said where it failed.
    public var storeError: (any Error)?
  }

  /// What it tells while it runs: the counts so far, and until when the destination rests.
  public struct Progress: Hashable, Sendable {
    /// The counts so far.
    public var counts: UploadQueue.Counts
    /// Until when the destination rests.
    public var restingUntil: BootTime?
    /// Why it does.
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
  /// The tasks of calls that are under way, to be given up.
  private let calls = Guarded<[Int: Task<Void, Never>]>([:])
  private let hasGivenUp = StopFlag()

  /// An uploader that has not begun.
  ///
  /// - Parameters:
  ///   - isRestNoted: Whether the store says of the destination that it rests.
  ///   - resting: How long the server asked it to rest when it was sent to last.
  ///   - minuteOfDay: The minute of the day by local time.
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

  /// Ends it: what is under way may still end, nothing new begins.
  public func stop() { events.post(.stopped) }

  /// Gives up the calls under way; after `stop`, when they take too long. Data that the destination
  /// stored from them are sent again another time, and are there once.
  public func giveUp() {
    hasGivenUp.raise()
    for task in calls.withLock({ Array($0.values) }) { task.cancel() }
  }

  /// Tells it that the computer has a network again.
  public func networkReturned() { events.post(.networkReturned) }

  /// Tells it that something new may wait.
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
      // Cancelled means that another one was set.
      guard (try? await Pause.seconds(seconds)) != nil else { return }
      events.post(.elapsed)
    }
  }

  /// Does something with the store, and tells the queue the outcome, or that it failed.
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

  /// Notes a rest after the one before it, so that the last one stays.
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
    // The task is in the table before it can take itself out of it.
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
