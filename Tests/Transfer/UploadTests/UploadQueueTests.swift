import Recording
import TestSupport
import Testing
@testable import Upload
import Values

@Suite(.computation) struct UploadQueueTests {
  private static let start = BootTime(nanoseconds: 1_000_000_000_000)
  private let one = UploadQueueTests.id(1)
  private let two = UploadQueueTests.id(2)
  private let three = UploadQueueTests.id(3)
  private let walk = UploadQueueTests.id(100)
  private let away = Setback(.unavailable, "connection refused")
  private let broken = Setback(.faulty, "500 Internal Server Error")

  private static func id(_ number: UInt64) -> UniqueID { UniqueID(high: 7, low: number) }

  private func at(
    _ seconds: Double, minute: Int = 720, trusted: Bool = true
  ) -> UploadQueue.Moment {
    UploadQueue.Moment(
      now: Self.start.advanced(bySeconds: seconds), minuteOfDay: minute, isClockTrusted: trusted)
  }

  private func item(
    _ id: UniqueID, bytes: Int = 10, attempts: Int = 0, past: UploadQueue.Past = .clean,
    session: UniqueID? = nil
  ) -> UploadQueue.Item {
    .init(
      id: id, session: session ?? walk, byteCount: bytes, attempts: attempts,
      past: past)
  }

  private func traits(_ chunks: Int, calls: Int = 1, bytes: Int = .max) -> DestinationTraits {
    DestinationTraits(chunksPerCall: chunks, bytesPerCall: bytes, calls: calls)
  }

  /// Returns a started queue that knows the waiting chunks, together with its first actions.
  private func begun(
    _ rules: UploadQueue.Rules, _ items: [UploadQueue.Item]
  ) -> (UploadQueue, [UploadQueue.Action]) {
    var queue = UploadQueue(rules)
    _ = queue.handle(.begun, at: at(0))
    let actions =
      items.isEmpty
      ? queue.handle(.waiting([], isAll: true), at: at(0)) : read(items, &queue)
    return (queue, actions)
  }

  /// Passes these waiting items to the queue, without any records. Returns its actions. The queue
  /// asks for records before it sends chunks on which the destination may fail again.
  private func read(
    _ items: [UploadQueue.Item], _ queue: inout UploadQueue, at seconds: Double = 0
  ) -> [UploadQueue.Action] {
    let actions = queue.handle(.waiting(items, isAll: true), at: at(seconds))
    guard actions.contains(.readSessions) else { return actions }
    return queue.handle(.unfinished([]), at: at(seconds))
  }

  private func writes(_ action: UploadQueue.Action) -> Bool {
    if case .write = action { true } else { false }
  }

  private func verdicts(_ verdicts: [Verdict]) -> [UploadQueue.Answer] {
    verdicts.map { .verdict($0) }
  }

  @Test func `a single chunk is sent, followed by its record`() {
    var queue = UploadQueue(.init(traits(4)))
    #expect(queue.handle(.begun, at: at(0)) == [.read(limit: 8, excluding: [])])
    #expect(
      queue.handle(.waiting([item(one)], isAll: true), at: at(0))
        == [.send(call: 1, [one], session: walk)])
    #expect(
      queue.handle(.answered(call: 1, verdicts([.stored])), at: at(1))
        == [.write([UploadNote(.chunk(one), .stored, attempts: 1)])])
    #expect(queue.handle(.written, at: at(1)) == [.readSessions])
    #expect(
      queue.handle(.unfinished([.init(id: walk)]), at: at(1)) == [.finish(call: 2, session: walk)])
    #expect(
      queue.handle(.answered(call: 2, verdicts([.stored])), at: at(2))
        == [.write([UploadNote(.session(walk), .stored, attempts: 1)])])
    #expect(queue.handle(.written, at: at(2)) == [.end(.drained)])
    #expect(queue.counts.chunks == 1 && queue.counts.bytes == 10 && queue.counts.sessions == 1)
    #expect(queue.handle(.elapsed, at: at(9)) == [])
  }

  @Test
  func `a request contains chunks from a single session, up to the limits on chunks and bytes`() {
    let other = Self.id(101)
    let (_, byNumber) = begun(.init(traits(2)), [item(one), item(two), item(three)])
    #expect(byNumber.contains(.send(call: 1, [one, two], session: walk)))
    let (_, byBytes) = begun(
      .init(traits(9, bytes: 25)), [item(one, bytes: 20), item(two), item(three)])
    #expect(byBytes.contains(.send(call: 1, [one], session: walk)))
    let (_, bySession) = begun(.init(traits(9)), [item(one), item(two, session: other)])
    #expect(bySession.contains(.send(call: 1, [one], session: walk)))
    let (_, large) = begun(.init(traits(9, bytes: 5)), [item(one), item(two)])
    #expect(large.contains(.send(call: 1, [one], session: walk)))
  }

  @Test func `the number of concurrent requests stays within the limits of client and server`() {
    func calls(_ rules: UploadQueue.Rules) -> Int {
      var (queue, _) = begun(rules, (1...9).map { item(Self.id($0)) })
      return sends(queue.handle(.answered(call: 1, verdicts([.stored])), at: at(1)))
    }
    #expect(calls(.init(traits(1, calls: 4))) == 4)
    #expect(calls(.init(traits(1, calls: 4), parallel: 2)) == 2)
    #expect(calls(.init(traits(1, calls: 4), parallel: 9)) == 4)
  }

  private func sends(_ actions: [UploadQueue.Action]) -> Int {
    actions.count { if case .send = $0 { true } else { false } }
  }

  @Test func `over a slow connection, one small request is sent at a time`() {
    let chunks = (1...60).map { item(Self.id($0), bytes: 8_192) }
    var (queue, actions) = begun(.init(traits(64, calls: 4, bytes: 256 << 10)), chunks)
    var now = 0.0
    /// Answers the latest request after this number of seconds. Returns the number of chunks in
    /// this request.
    func answer(after seconds: Double) -> Int {
      guard case .send(let call, let ids, _)? = actions.last(where: { sends([$0]) == 1 }) else {
        return 0
      }
      now += seconds
      actions = queue.handle(.answered(call: call, verdicts(ids.map { _ in .stored })), at: at(now))
      return ids.count
    }
    // 32 kB at 256 bytes per second.
    #expect(sends(actions) == 1)
    #expect(answer(after: 128) == 4)
    #expect(sends(actions) == 1)
    #expect(answer(after: 32) == 1)
    // The last response was fast enough to allow more concurrent requests.
    #expect(sends(actions) == 4)
  }

  @Test func `over a fast connection, requests soon become as large as the destination accepts`() {
    let chunks = (1...300).map { item(Self.id($0), bytes: 8_192) }
    var (queue, actions) = begun(.init(traits(64, bytes: 256 << 10)), chunks)
    var counts: [Int] = []
    for number in 1...4 {
      guard case .send(let call, let ids, _)? = actions.first(where: { sends([$0]) == 1 }) else {
        break
      }
      counts.append(ids.count)
      actions = queue.handle(
        .answered(call: call, verdicts(ids.map { _ in .stored })), at: at(Double(number)))
    }
    #expect(counts == [4, 16, 32, 32])
  }

  @Test
  func `a rejected chunk is parked with the server's message and does not block other chunks`() {
    var (queue, _) = begun(.init(traits(1)), [item(one), item(two)])
    let actions = queue.handle(.answered(call: 1, verdicts([.refused("too long")])), at: at(0))
    #expect(actions.contains(.send(call: 2, [two], session: walk)))
    let last = queue.handle(.answered(call: 2, verdicts([.stored])), at: at(0))
    #expect(
      last == [
        .write([
          UploadNote(.chunk(one), .parked("too long"), attempts: 1),
          UploadNote(.chunk(two), .stored, attempts: 1),
        ])
      ])
    #expect(queue.counts.parked == 1)
  }

  @Test func `a record is requested after the last chunk, whether or not that chunk was parked`() {
    var (queue, _) = begun(.init(traits(1)), [item(one), item(two)])
    _ = queue.handle(.answered(call: 1, verdicts([.stored])), at: at(0))
    _ = queue.handle(.answered(call: 2, verdicts([.refused("too long")])), at: at(0))
    #expect(queue.handle(.written, at: at(0)) == [.readSessions])
    #expect(
      queue.handle(.unfinished([.init(id: walk)]), at: at(0)) == [.finish(call: 3, session: walk)])
    // If a chunk is parked after the list of sessions was read, the list is read again.
    var (late, _) = begun(.init(traits(1), stays: true), [item(one)])
    _ = late.handle(.answered(call: 1, verdicts([.stored])), at: at(0))
    #expect(late.handle(.written, at: at(0)).contains(.readSessions))
    _ = late.handle(.unfinished([]), at: at(0))
    _ = late.handle(.added, at: at(1))
    _ = late.handle(.waiting([item(two)], isAll: true), at: at(1))
    #expect(!late.handle(.unfinished([]), at: at(1)).contains(.readSessions))
    _ = late.handle(.answered(call: 2, verdicts([.refused("too long")])), at: at(1))
    #expect(late.handle(.written, at: at(1)).contains(.readSessions))
  }

  @Test
  func `a chunk that the server fails to store is retried after all others and after a pause`() {
    var (queue, _) = begun(.init(traits(1)), [item(one), item(two)])
    let actions = queue.handle(.answered(call: 1, verdicts([.failed(broken)])), at: at(0))
    #expect(actions.contains(.send(call: 2, [two], session: walk)))
    let written = queue.handle(.answered(call: 2, verdicts([.stored])), at: at(0))
    #expect(
      written.contains(
        .write([
          UploadNote(.chunk(one), .waiting(broken.reason), attempts: 1),
          UploadNote(.chunk(two), .stored, attempts: 1),
        ])))
    #expect(queue.handle(.written, at: at(0)) == [.readSessions])
    // Only this chunk is left, so the destination is paused as if it were unreachable.
    let rest = queue.handle(.unfinished([]), at: at(0))
    let until = Self.start.advanced(bySeconds: 0.5)
    #expect(rest == [.rest(until: until, failures: 1, broken.ofDestination), .wake(at: until)])
    #expect(queue.handle(.elapsed, at: at(0.5)) == [.read(limit: 2, excluding: [])])
    let again = read([item(one, attempts: 1, past: .overtaken)], &queue, at: 0.5)
    #expect(again.contains(.send(call: 3, [one], session: walk)))
    #expect(
      queue.handle(.answered(call: 3, verdicts([.stored])), at: at(1)).contains(
        .write([UploadNote(.chunk(one), .stored, attempts: 2)])))
    #expect(queue.counts.parked == 0)
  }

  @Test func `a single waiting chunk is not parked, even if the server fails on every attempt`() {
    // A single chunk that is sent repeatedly is never blamed, because no other chunk was stored in
    // between.
    for attempts in [0, 1] {
      var (queue, _) = begun(.init(traits(1)), [item(one, attempts: attempts)])
      let (ending, calls) = drain(&queue, from: 1) { _ in .failed(broken) }
      #expect(ending == .unreachable(broken.ofDestination))
      #expect(queue.counts.parked == 0)
      #expect(calls == UploadQueue.patience)
    }
  }

  @Test
  func `a chunk is parked if it fails again in another run in which other chunks are stored`() {
    var (queue, _) = begun(
      .init(traits(1)), [item(one, attempts: 1, past: .overtaken), item(two)])
    _ = queue.handle(.answered(call: 1, verdicts([.failed(broken)])), at: at(0))
    #expect(queue.counts.parked == 1)
    // If no other chunk has been stored since the first failure, this chunk is parked once another
    // chunk is stored.
    (queue, _) = begun(.init(traits(1)), [item(one, attempts: 1), item(two)])
    _ = queue.handle(.answered(call: 1, verdicts([.failed(broken)])), at: at(0))
    #expect(queue.counts.parked == 0)
    let actions = queue.handle(.answered(call: 2, verdicts([.stored])), at: at(0))
    #expect(
      actions.contains(
        .write([
          UploadNote(.chunk(one), .waiting(broken.reason), attempts: 1),
          UploadNote(.chunk(two), .stored, attempts: 1),
          UploadNote(.chunk(one), .parked(broken.reason), attempts: 2),
        ])))
  }

  @Test
  func `a queue that stays open retries a failed chunk minutes later, and sends new chunks first`()
  {
    var (queue, _) = begun(.init(traits(1), stays: true), [item(one)])
    _ = queue.handle(.answered(call: 1, verdicts([.failed(broken)])), at: at(0))
    _ = queue.handle(.written, at: at(0))
    var actions = queue.handle(.unfinished([]), at: at(0))
    #expect(!actions.contains { if case .rest = $0 { true } else { false } })
    // New chunks are sent in the meantime.
    #expect(queue.handle(.added, at: at(5)).contains(.read(limit: 2, excluding: [one])))
    actions = queue.handle(.waiting([item(two)], isAll: true), at: at(5))
    #expect(actions.contains(.send(call: 2, [two], session: walk)))
    _ = queue.handle(.answered(call: 2, verdicts([.stored])), at: at(6))
    _ = queue.handle(.written, at: at(6))
    _ = queue.handle(.unfinished([]), at: at(6))
    actions = queue.handle(.elapsed, at: at(FaultWatch.secondTry))
    #expect(actions.contains(.read(limit: 2, excluding: [])))
    actions = read([item(one, attempts: 1, past: .overtaken)], &queue, at: 301)
    #expect(actions.contains(.send(call: 3, [one], session: walk)))
    _ = queue.handle(.answered(call: 3, verdicts([.failed(broken)])), at: at(301))
    #expect(queue.counts.parked == 1)
  }

  @Test func `a record does not wait for chunks on which the destination has failed before`() {
    let other = Self.id(101)
    var queue = UploadQueue(.init(traits(1)))
    _ = queue.handle(.begun, at: at(0))
    let found = (1...3).map { item(Self.id($0), attempts: 1, past: .failed) }
    #expect(queue.handle(.waiting(found, isAll: true), at: at(0)).first == .readSessions)
    #expect(
      queue.handle(.unfinished([.init(id: other)]), at: at(0)).first
        == .finish(call: 1, session: other))
    let next = queue.handle(.answered(call: 1, verdicts([.stored])), at: at(0))
    #expect(next.contains(.send(call: 2, [one], session: walk)))
  }

  @Test func `a record on which the server fails does not block the records of other sessions`() {
    let other = Self.id(101)
    var (queue, _) = begun(.init(traits(1)), [])
    let actions = queue.handle(.unfinished([.init(id: walk), .init(id: other)]), at: at(0))
    #expect(actions == [.finish(call: 1, session: walk)])
    let next = queue.handle(.answered(call: 1, verdicts([.failed(broken)])), at: at(0))
    #expect(next.first == .finish(call: 2, session: other))
    let last = queue.handle(.answered(call: 2, verdicts([.stored])), at: at(0))
    #expect(
      last.contains(
        .write([
          UploadNote(.session(walk), .waiting(broken.reason), attempts: 1),
          UploadNote(.session(other), .stored, attempts: 1),
        ])))
    #expect(queue.counts.parked == 0)
  }

  @Test func `a forbidden chunk is parked once another chunk is stored, and later chunks are sent`()
  {
    let forbidden = Setback(.forbidden, "the rules do not allow it")
    var (queue, _) = begun(.init(traits(1)), [item(one), item(two)])
    let actions = queue.handle(.answered(call: 1, verdicts([.failed(forbidden)])), at: at(0))
    #expect(actions.contains(.send(call: 2, [two], session: walk)))
    #expect(queue.counts.parked == 0)
    _ = queue.handle(.answered(call: 2, verdicts([.stored])), at: at(0))
    #expect(queue.counts.parked == 1)
    // If the server forbids every chunk, the account is at fault.
    (queue, _) = begun(.init(traits(1)), (1...9).map { item(Self.id($0)) })
    let (ending, calls) = drain(&queue, from: 1) { _ in .failed(forbidden) }
    #expect(ending == .unreachable(forbidden.ofDestination))
    #expect(forbidden.ofDestination.kind == .rejected)
    #expect(calls == FaultWatch.broken && queue.counts.parked == 0)
  }

  @Test
  func `three chunks are not parked if a server fails intermittently for a few seconds`() {
    var (queue, _) = begun(.init(traits(1), stays: true), (1...4).map { item(Self.id($0)) })
    for call in 1...3 {
      _ = queue.handle(.answered(call: call, verdicts([.failed(broken)])), at: at(0))
    }
    _ = queue.handle(.written, at: at(0.1))
    _ = queue.handle(.written, at: at(0.1))
    // The server accepts one chunk, and then fails on the three chunks again.
    _ = queue.handle(.elapsed, at: at(1))
    #expect(
      read([item(Self.id(4), past: .failed)], &queue, at: 1).contains(
        .send(call: 4, [Self.id(4)], session: walk)))
    _ = queue.handle(.answered(call: 4, verdicts([.stored])), at: at(1))
    _ = queue.handle(.written, at: at(1))
    var actions = read(
      (1...3).map { item(Self.id($0), attempts: 1, past: .overtaken) }, &queue, at: 1)
    for call in 5...7 {
      #expect(actions.contains { sends([$0]) == 1 })
      actions = queue.handle(.answered(call: call, verdicts([.failed(broken)])), at: at(2))
    }
    #expect(queue.counts.parked == 0)
  }

  @Test
  func `forbidden chunks are not parked when a request already in progress succeeds`() {
    let forbidden = Setback(.forbidden, "403")
    var (queue, _) = begun(
      .init(traits(1, calls: 4), stays: true), (1...9).map { item(Self.id($0)) })
    // Over a fast connection, four requests are in progress.
    _ = queue.handle(.answered(call: 1, verdicts([.stored])), at: at(0.1))
    _ = queue.handle(.answered(call: 2, verdicts([.failed(forbidden)])), at: at(0.2))
    _ = queue.handle(.answered(call: 3, verdicts([.stored])), at: at(0.3))
    _ = queue.handle(.answered(call: 4, verdicts([.failed(forbidden)])), at: at(0.4))
    #expect(queue.counts.parked == 0)
    let rest = queue.handle(.answered(call: 5, verdicts([.failed(forbidden)])), at: at(0.5))
    #expect(queue.counts.parked == 0)
    #expect(rest.contains { if case .rest(_?, _, _) = $0 { true } else { false } })
  }

  @Test func `parked chunks are queued again if the server turns out to be broken`() {
    var (queue, _) = begun(
      .init(traits(1), stays: true),
      (1...3).map { item(Self.id($0), attempts: 1, past: .overtaken) })
    var notes: [UploadNote] = []
    for call in 1...3 {
      for action in queue.handle(.answered(call: call, verdicts([.failed(broken)])), at: at(0)) {
        if case .write(let more) = action {
          notes += more
          for action in queue.handle(.written, at: at(0)) {
            if case .write(let more) = action { notes += more }
          }
        }
      }
    }
    #expect(queue.counts.parked == 0)
    var states: [UploadSubject: UploadNote] = [:]
    for note in notes { states[note.subject] = note }
    for note in states.values {
      #expect(note.standing == .waiting(broken.reason) && note.attempts == 1)
    }
  }

  /// Answers every request with `answer`, and reports the time at every wake-up, until the run
  /// ends. Returns the reason for the end and the number of requests.
  private func drain(
    _ queue: inout UploadQueue, from call: Int, _ answer: (UniqueID) -> Verdict
  ) -> (UploadQueue.Ending?, calls: Int) {
    var pending: [UploadQueue.Event] = [.answered(call: call, [.verdict(answer(one))])]
    var calls = 1
    var now = 0.0
    var wake: BootTime?
    // The chunks that the store lists as waiting, because they were sent but not stored.
    var left: [UniqueID] = [one]
    for _ in 0..<500 {
      if pending.isEmpty {
        guard let time = wake else { return (nil, calls) }
        now = max(now, time.seconds(since: Self.start))
        wake = nil
        pending = [.elapsed]
      }
      for action in queue.handle(pending.removeFirst(), at: at(now)) {
        switch action {
        case .end(let ending): return (ending, calls)
        case .wake(let time): wake = time
        case .send(let call, let ids, _):
          calls += 1
          left += ids.filter { !left.contains($0) }
          pending.append(.answered(call: call, ids.map { .verdict(answer($0)) }))
        case .finish(let call, let session):
          pending.append(.answered(call: call, [.verdict(answer(session))]))
        case .read(let limit, let excluding):
          let found = left.filter { !excluding.contains($0) }.prefix(limit)
          pending.append(.waiting(found.map { item($0, attempts: 1) }, isAll: true))
        case .readSessions: pending.append(.unfinished([]))
        case .write: pending.append(.written)
        case .rest: break
        }
      }
    }
    return (nil, calls)
  }

  @Test func `a batch on which the server fails is sent again chunk by chunk`() {
    var (queue, _) = begun(.init(traits(8)), [item(one), item(two), item(three)])
    let actions = queue.handle(
      .answered(call: 1, verdicts([.failed(broken), .failed(broken), .failed(broken)])), at: at(0))
    #expect(actions.first == .send(call: 2, [one], session: walk))
    let next = queue.handle(.answered(call: 2, verdicts([.stored])), at: at(0))
    #expect(next.contains(.send(call: 3, [two], session: walk)))
  }

  @Test
  func `the queue soon gives up on a server that fails every request, and parks no chunk`() {
    for attempts in [0, 1] {
      var (queue, _) = begun(
        .init(traits(1), stays: true),
        (1...5).map {
          item(Self.id($0), attempts: attempts, past: attempts > 0 ? .overtaken : .clean)
        })
      var call = 1
      var rests = 0
      for number in 1...3 {
        for action in queue.handle(.answered(call: call, verdicts([.failed(broken)])), at: at(0)) {
          if case .send(let next, _, _) = action { call = next }
          if case .rest(_?, _, _) = action { rests = number }
        }
      }
      #expect(rests == 3)
      #expect(queue.counts.parked == 0)
      _ = queue.handle(.written, at: at(0.1))
      // The queue starts with other chunks. Once the server has recovered, the chunk on which it
      // failed is sent at once.
      guard case .read(_, let excluding)? = queue.handle(.elapsed, at: at(0.5)).first else {
        Issue.record("it reads nothing")
        return
      }
      #expect(Set(excluding) == Set((1...3).map(Self.id)))
      let probe = read((4...5).map { item(Self.id($0), past: .failed) }, &queue, at: 0.5)
      #expect(probe.contains(.send(call: 4, [Self.id(4)], session: walk)))
      _ = queue.handle(.answered(call: 4, verdicts([.stored])), at: at(0.6))
      // Records are requested first, as soon as the results for the destination's chunks are
      // stored.
      var noted = queue.handle(.written, at: at(0.6))
      while !noted.contains(.readSessions), noted.contains(where: writes) {
        noted = queue.handle(.written, at: at(0.6))
      }
      #expect(
        queue.handle(.unfinished([]), at: at(0.6)).contains(
          .send(call: 5, [Self.id(5)], session: walk)))
      let last = queue.handle(.answered(call: 5, verdicts([.stored])), at: at(0.7))
      #expect(queue.counts.parked == 0)
      #expect(
        last.contains {
          if case .read(_, let excluding) = $0 { !excluding.contains(one) } else { false }
        })
    }
  }

  @Test func `no requests are sent during a pause, and a single one is sent after it`() {
    var (queue, _) = begun(
      .init(traits(1, calls: 2), stays: true), (1...9).map { item(Self.id($0)) })
    _ = queue.handle(.answered(call: 1, verdicts([.stored])), at: at(0))
    let until = Self.start.advanced(bySeconds: 0.5)
    let actions = queue.handle(.answered(call: 2, verdicts([.failed(away)])), at: at(0))
    #expect(actions.contains(.rest(until: until, failures: 1, away)))
    #expect(sends(actions) == 0)
    #expect(sends(queue.handle(.answered(call: 3, verdicts([.failed(away)])), at: at(0.1))) == 0)
    let probe = queue.handle(.elapsed, at: at(0.5))
    #expect(sends(probe) == 1)
    let back = queue.handle(.answered(call: 4, verdicts([.stored])), at: at(0.6))
    #expect(sends(back) == 2)
    #expect(back.contains(.rest(until: nil, failures: 0, nil)))
  }

  @Test
  func `a run that a user is waiting for ends after several failed attempts to reach the server`() {
    var (queue, _) = begun(.init(traits(1)), [item(one)])
    var now = 0.0
    var call = 1
    var ending: UploadQueue.Ending?
    for _ in 0..<20 where ending == nil {
      var actions = queue.handle(.answered(call: call, verdicts([.failed(away)])), at: at(now))
      now += 100
      if !actions.contains(where: { if case .end = $0 { true } else { false } }) {
        actions += queue.handle(.elapsed, at: at(now))
      }
      for action in actions {
        if case .send(let next, _, _) = action { call = next }
        if case .end(let why) = action { ending = why }
      }
    }
    #expect(ending == .unreachable(away))
    #expect(call == UploadQueue.patience)
  }

  @Test func `a destination that rejects the client ends the run at once`() {
    var (queue, _) = begun(.init(traits(1)), [item(one)])
    let unknown = Setback(.rejected, "401")
    let actions = queue.handle(.answered(call: 1, verdicts([.failed(unknown)])), at: at(0))
    #expect(actions.last == .end(.unreachable(unknown)))
  }

  @Test func `no requests are sent outside the configured hours`() {
    let hours = UploadHours("20:00-06:00")
    var queue = UploadQueue(.init(traits(1), hours: hours))
    #expect(queue.handle(.begun, at: at(0, minute: 600)) == [.end(.closed(minutes: 600))])
    var staying = UploadQueue(.init(traits(1), hours: hours, stays: true))
    let actions = staying.handle(.begun, at: at(0, minute: 1_198))
    #expect(actions == [.wake(at: Self.start.advanced(bySeconds: 120))])
    #expect(
      staying.handle(.elapsed, at: at(120, minute: 1_200)) == [.read(limit: 2, excluding: [])])
    // The hours end during an upload. Requests in progress are completed, and no new ones are sent.
    _ = staying.handle(.waiting([item(one), item(two)], isAll: true), at: at(121, minute: 359))
    let closing = staying.handle(.answered(call: 1, verdicts([.stored])), at: at(130, minute: 360))
    #expect(closing.first == .write([UploadNote(.chunk(one), .stored, attempts: 1)]))
    #expect(!closing.contains { if case .send = $0 { true } else { false } })
  }

  @Test func `a stopped queue sends no new requests, but stores late results`() {
    var (queue, _) = begun(.init(traits(1, calls: 2)), (1...9).map { item(Self.id($0)) })
    _ = queue.handle(.answered(call: 1, verdicts([.stored])), at: at(0))
    #expect(
      !queue.handle(.stopped, at: at(0)).contains { if case .end = $0 { true } else { false } })
    let first = queue.handle(.answered(call: 2, verdicts([.stored])), at: at(0))
    #expect(sends(first) == 0)
    let second = queue.handle(.answered(call: 3, verdicts([.failed(away)])), at: at(0))
    #expect(
      second == [
        .write([
          UploadNote(.chunk(Self.id(1)), .stored, attempts: 1),
          UploadNote(.chunk(Self.id(2)), .stored, attempts: 1),
        ])
      ])
    #expect(queue.handle(.written, at: at(0)) == [.end(.stopped)])
  }

  @Test func `if the store fails, the run ends without accessing the store again`() {
    var (queue, _) = begun(.init(traits(1)), [item(one), item(two)])
    _ = queue.handle(.failed, at: at(0))
    #expect(queue.handle(.answered(call: 1, verdicts([.stored])), at: at(0)) == [.end(.failed)])
  }

  @Test
  func `a chunk missing from a response is not marked as stored, and the destination is paused`() {
    var (queue, _) = begun(.init(traits(2), stays: true), [item(one), item(two)])
    let actions = queue.handle(.answered(call: 1, verdicts([.stored])), at: at(0))
    #expect(actions.contains(.write([UploadNote(.chunk(one), .stored, attempts: 1)])))
    #expect(queue.restingUntil != nil)
  }

  @Test func `a chunk that is no longer in the store is dropped from the queue`() {
    var (queue, _) = begun(.init(traits(2)), [item(one), item(two)])
    let actions = queue.handle(
      .answered(call: 1, [.gone, .verdict(.stored)]), at: at(0))
    #expect(actions == [.write([UploadNote(.chunk(two), .stored, attempts: 1)])])
  }

  @Test func `a queue that stays open finds new chunks, whether or not it is notified`() {
    var (queue, _) = begun(.init(traits(1), stays: true), [])
    let idle = queue.handle(.unfinished([]), at: at(0))
    #expect(idle == [.wake(at: Self.start.advanced(bySeconds: UploadQueue.lookInterval))])
    #expect(queue.handle(.added, at: at(5)) == [.read(limit: 2, excluding: [])])
  }
}
