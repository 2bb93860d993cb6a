import TestSupport
import Testing
import Upload
import Values

/// Random histories of a store, a destination, and an uploader that is occasionally killed.
@Suite(.computation) struct UploadHistoryTests {
  /// The store's rows and the destination's content.
  private struct World {
    var chunks: [UploadQueue.Item] = []
    var sessions: [UniqueID] = []
    /// Chunks and records that the destination always rejects, or that always make it fail.
    var unwanted: Set<UniqueID> = []
    var poison: Set<UniqueID> = []
    /// Chunks that the destination's rules do not allow.
    var forbidden: Set<UniqueID> = []
    /// Whether the server occasionally fails on every request.
    var mayBreak = false
    var isDown = false
    var isBroken = false

    var rows: [UploadSubject: UploadNote] = [:]
    /// The number of writes so far. It serves as the clock that dates writes and the last stored
    /// chunk.
    var writes = 0
    var times: [UploadSubject: Int] = [:]
    var lastStored = 0
    var held: Set<UniqueID> = []
    var records: Set<UniqueID> = []

    mutating func write(_ notes: [UploadNote]) {
      writes += 1
      for note in notes {
        rows[note.subject] = note
        times[note.subject] = writes
        if case .stored = note.standing { lastStored = writes }
      }
    }

    func isOvertaken(_ subject: UploadSubject) -> Bool {
      (times[subject] ?? .max) < lastStored
    }

    private func past(_ failed: Int?) -> UploadQueue.Past {
      failed.map { $0 < lastStored ? .overtaken : .failed } ?? .clean
    }

    func state(of subject: UploadSubject) -> UploadNote.Standing {
      rows[subject]?.standing ?? .waiting("")
    }

    func waits(_ subject: UploadSubject) -> Bool {
      if case .waiting = state(of: subject) { true } else { false }
    }

    /// Returns the waiting chunks in the store's order: chunks on which the destination failed
    /// come last, after other chunks of their sessions.
    func waiting(_ limit: Int, excluding: Set<UniqueID>) -> [UploadQueue.Item] {
      let all = chunks.filter { waits(.chunk($0.id)) }
      var failures: [UniqueID: Int] = [:]
      for item in all {
        guard let time = times[.chunk(item.id)] else { continue }
        failures[item.session] = max(failures[item.session] ?? 0, time)
      }
      let good = all.filter { failures[$0.session] == nil }
      let untried = all.filter { failures[$0.session] != nil && times[.chunk($0.id)] == nil }
      let tried = all.filter { times[.chunk($0.id)] != nil }
        .sorted { times[.chunk($0.id), default: 0] < times[.chunk($1.id), default: 0] }
      return (good + untried + tried).filter { !excluding.contains($0.id) }.prefix(limit).map {
        var item = $0
        item.attempts = rows[.chunk($0.id)]?.attempts ?? 0
        item.past = past(failures[$0.session])
        return item
      }
    }

    /// Whether the queue can now blame a waiting chunk that the destination never accepts.
    var hasJudgeable: Bool {
      chunks.contains {
        (poison.contains($0.id) || forbidden.contains($0.id)) && waits(.chunk($0.id))
          && (rows[.chunk($0.id)] == nil || isOvertaken(.chunk($0.id)))
      }
    }

    /// Whether all items that can be stored are stored, and the queue can blame no waiting chunk.
    var isDone: Bool {
      !hasJudgeable && waiting(.max, excluding: poison.union(forbidden)).isEmpty
        && unfinished().isEmpty
    }

    func isComplete(_ session: UniqueID) -> Bool {
      chunks.allSatisfy { $0.session != session || state(of: .chunk($0.id)) == .stored }
    }

    func unfinished() -> [UploadQueue.SessionItem] {
      sessions.filter { isComplete($0) && waits(.session($0)) }.map {
        .init(
          id: $0, attempts: rows[.session($0)]?.attempts ?? 0, past: past(times[.session($0)]))
      }
    }
  }

  /// An operation in progress. Operations may end in any order.
  private enum Pending {
    case action(UploadQueue.Action)
    case notes([UploadNote])
  }

  @Test(.computation)
  func `whatever fails, each acceptable chunk and record is stored, and then marked as stored`() {
    let first = UInt64.random(in: 0 ... .max)
    print("seed of the upload histories: \(first)")
    for round in UInt64(0)..<500 {
      let seed = first &+ round
      var random = SeededGenerator(seed: seed)
      var world = world(by: &random)
      let rules = UploadQueue.Rules(
        DestinationTraits(
          chunksPerCall: .random(in: 1...9, using: &random),
          calls: .random(in: 1...4, using: &random)),
        stays: seed.isMultiple(of: 2))
      var now = BootTime(nanoseconds: 5_000_000_000)
      var runs = 0
      var isDone = false
      while !isDone {
        runs += 1
        // There are no more disturbances from the fifth run on.
        let isCalm = runs >= 5
        isDone = run(rules, &world, &now, &random, isCalm: isCalm) && isCalm
        guard runs < 60 else {
          Issue.record("seed \(seed) does not end")
          return
        }
      }
      for chunk in world.chunks {
        let state = world.state(of: .chunk(chunk.id))
        let isBlamed = world.poison.contains(chunk.id) || world.forbidden.contains(chunk.id)
        if isBlamed, case .waiting = state {
          // No item has been stored since the failure, so either the chunk or the server may be at
          // fault.
          #expect(!world.isOvertaken(.chunk(chunk.id)), "seed \(seed)")
        } else if world.unwanted.contains(chunk.id) || isBlamed {
          guard case .parked = state else {
            Issue.record("seed \(seed): \(chunk.id) is \(state)")
            return
          }
        } else if world.mayBreak, state == .parked("500") {
          // The queue cannot distinguish this from a server that fails twice on this chunk but not
          // on other chunks.
        } else {
          #expect(state == .stored && world.held.contains(chunk.id), "seed \(seed)")
        }
      }
      for session in world.sessions where world.isComplete(session) {
        if world.mayBreak, world.state(of: .session(session)) == .parked("500") { continue }
        #expect(world.records.contains(session), "seed \(seed)")
      }
    }
  }

  private func world(by random: inout SeededGenerator) -> World {
    var world = World()
    world.mayBreak = random.unit() < 0.3
    for session in 0..<UInt64.random(in: 1...4, using: &random) {
      let id = UniqueID(high: 1, low: session)
      world.sessions.append(id)
      for chunk in 0..<UInt64.random(in: 0...40, using: &random) {
        let item = UploadQueue.Item(
          id: UniqueID(high: 2 + session, low: chunk), session: id, byteCount: 10)
        world.chunks.append(item)
        if random.unit() < 0.05 { world.unwanted.insert(item.id) }
        if random.unit() < 0.05 {
          world.poison.insert(item.id)
        } else if random.unit() < 0.05 {
          world.forbidden.insert(item.id)
        }
      }
    }
    return world
  }

  @Test(arguments: [false, true])
  func `several chunks in a row that a destination never accepts do not block later items`(
    mayNot: Bool
  ) {
    // The first eight chunks of a session fail. The destination would accept a record and the
    // chunks after them.
    let walk = UniqueID(high: 1, low: 0)
    let later = UniqueID(high: 1, low: 1)
    var world = World()
    world.sessions = [walk, later]
    world.chunks = (UInt64(0)..<30).map {
      UploadQueue.Item(
        id: UniqueID(high: 2, low: $0), session: $0 < 20 ? walk : later, byteCount: 10)
    }
    let bad = Set(world.chunks.prefix(8).map(\.id))
    if mayNot { world.forbidden = bad } else { world.poison = bad }
    var random = SeededGenerator(seed: 1)
    var now = BootTime(nanoseconds: 5_000_000_000)
    let rules = UploadQueue.Rules(DestinationTraits())
    // Each run blames the destination first, and the next run starts with other chunks.
    var runs = 0
    while world.held.count < 22, runs < 9 {
      runs += 1
      _ = run(rules, &world, &now, &random, isCalm: true)
    }
    #expect(world.held == Set(world.chunks.dropFirst(8).map(\.id)))
    #expect(world.records == [later])
    #expect(runs <= 2)
    // These chunks are blamed as early as possible, because new chunks were stored each time.
    for number in UInt64(0)..<4 {
      let session = UniqueID(high: 3, low: number)
      world.sessions.append(session)
      world.chunks.append(
        UploadQueue.Item(
          id: UniqueID(high: 4, low: number), session: session, byteCount: 10))
      _ = run(rules, &world, &now, &random, isCalm: true)
      #expect(world.records.contains(session))
    }
    let parked = bad.filter {
      if case .parked = world.state(of: .chunk($0)) { true } else { false }
    }
    #expect(parked == bad)
  }

  /// Runs an uploader once. Returns whether the only remaining chunks are those on which the server
  /// fails.
  private func run(
    _ rules: UploadQueue.Rules, _ world: inout World, _ now: inout BootTime,
    _ random: inout SeededGenerator, isCalm: Bool
  ) -> Bool {
    var queue = UploadQueue(rules)
    var pending: [Pending] = []
    var wake: BootTime?
    var underWay: Set<UniqueID> = []
    var event = UploadQueue.Event.begun
    let life = isCalm ? Int.max : Int.random(in: 1...120, using: &random)
    var steps = 0
    while steps < life {
      steps += 1
      guard steps < 20_000 else {
        Issue.record("it loops")
        return true
      }
      if !isCalm, random.unit() < 0.03 { world.isDown.toggle() }
      if !isCalm, world.mayBreak, random.unit() < 0.02 { world.isBroken.toggle() }
      if isCalm { (world.isDown, world.isBroken) = (false, false) }
      let moment = UploadQueue.Moment(now: now, draw: random.unit())
      for action in queue.handle(event, at: moment) {
        switch action {
        case .wake(let time): wake = time
        case .rest: break
        case .end(.unreachable(let setback)):
          return isCalm && ["500", "403"].contains(setback.reason) && world.isDone
        case .end(let ending): return ending == .drained
        case .write(let notes): pending.append(.notes(notes))
        case .send(_, let chunks, _):
          #expect(underWay.isDisjoint(with: chunks), "a chunk is in transit twice")
          underWay.formUnion(chunks)
          #expect(
            Set(chunks.compactMap { id in world.chunks.first { $0.id == id }?.session }).count == 1)
          pending.append(.action(action))
        case .finish(_, let session):
          #expect(world.isComplete(session), "a record is sent before a chunk")
          #expect(underWay.insert(session).inserted)
          pending.append(.action(action))
        case .read, .readSessions: pending.append(.action(action))
        }
      }
      now = now.advanced(bySeconds: 0.01)
      if pending.isEmpty {
        guard let time = wake else {
          Issue.record("it waits without a reason")
          return true
        }
        if rules.stays, isCalm, world.isDone { return true }
        now = max(now, time)
        wake = nil
        event = random.unit() < 0.1 ? .networkReturned : .elapsed
        continue
      }
      let index = Int.random(in: 0..<pending.count, using: &random)
      let next = pending.remove(at: index)
      switch next {
      case .notes(let notes):
        for note in notes {
          if case .stored = note.standing {
            switch note.subject {
            case .chunk(let id): #expect(world.held.contains(id))
            case .session(let id): #expect(world.records.contains(id))
            }
          }
        }
        world.write(notes)
        event = .written
      case .action(.read(let limit, let excluding)):
        let items = world.waiting(limit, excluding: Set(excluding))
        event = .waiting(items, isAll: items.count < limit)
      case .action(.readSessions): event = .unfinished(world.unfinished())
      case .action(.send(let call, let chunks, _)):
        underWay.subtract(chunks)
        event = .answered(call: call, answer(chunks, &world, &random, isCalm: isCalm))
      case .action(.finish(let call, let session)):
        underWay.remove(session)
        event = .answered(
          call: call, answer([session], &world, &random, isCalm: isCalm, isRecord: true))
      case .action: break
      }
    }
    return false
  }

  private func answer(
    _ ids: [UniqueID], _ world: inout World, _ random: inout SeededGenerator, isCalm: Bool,
    isRecord: Bool = false
  ) -> [UploadQueue.Answer] {
    func all(_ verdict: Verdict) -> [UploadQueue.Answer] { ids.map { _ in .verdict(verdict) } }
    func take(_ id: UniqueID) {
      if isRecord { world.records.insert(id) } else { world.held.insert(id) }
    }
    if world.isDown { return all(.failed(Setback(.unavailable, "away"))) }
    if world.isBroken { return all(.failed(Setback(.faulty, "500"))) }
    if !isCalm, random.unit() < 0.1 {
      // The chunks are stored, but the response is lost in transit.
      ids.forEach(take)
      return all(.failed(Setback(.unavailable, "lost", rest: random.unit() < 0.2 ? 20 : nil)))
    }
    // If a server accepts only whole batches, it fails on the whole batch because of a single
    // chunk.
    if !world.poison.isDisjoint(with: ids), ids.count > 1, random.unit() < 0.5 {
      return all(.failed(Setback(.faulty, "500")))
    }
    let answers = ids.map { id -> UploadQueue.Answer in
      if world.unwanted.contains(id) { return .verdict(.refused("no")) }
      if world.poison.contains(id) { return .verdict(.failed(Setback(.faulty, "500"))) }
      if world.forbidden.contains(id) { return .verdict(.failed(Setback(.forbidden, "403"))) }
      take(id)
      return .verdict(.stored)
    }
    return !isCalm && random.unit() < 0.05 ? answers.dropLast() : answers
  }
}
