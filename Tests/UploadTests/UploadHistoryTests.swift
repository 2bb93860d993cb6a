import Recording
import TestSupport
import Testing
import Upload

/// Histories made of chance: a store, a destination and an uploader that is killed now and then.
@Suite(.computation) struct UploadHistoryTests {
  /// What the store's rows say, and what the destination holds.
  private struct World {
    var chunks: [UploadQueue.Item] = []
    var sessions: [UniqueID] = []
    /// Chunks and records that the destination will never take, or always fails at.
    var unwanted: Set<UniqueID> = []
    var poison: Set<UniqueID> = []
    /// Whether the server fails at everything now and then.
    var mayBreak = false
    var isDown = false
    var isBroken = false

    var rows: [UploadSubject: UploadNote] = [:]
    /// When each row was written, and that of something stored last, in writes since the beginning.
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

    func state(of subject: UploadSubject) -> UploadNote.Standing {
      rows[subject]?.standing ?? .waiting("")
    }

    func waits(_ subject: UploadSubject) -> Bool {
      if case .waiting = state(of: subject) { true } else { false }
    }

    func waiting(_ limit: Int, excluding: Set<UniqueID>) -> [UploadQueue.Item] {
      chunks.filter { waits(.chunk($0.id)) && !excluding.contains($0.id) }.prefix(limit).map {
        var item = $0
        item.attempts = rows[.chunk($0.id)]?.attempts ?? 0
        item.isOvertaken = isOvertaken(.chunk($0.id))
        return item
      }
    }

    /// Whether something waits that the server fails at and that is known to be to blame for it.
    var hasJudgeable: Bool {
      chunks.contains {
        poison.contains($0.id) && waits(.chunk($0.id))
          && (rows[.chunk($0.id)] == nil || isOvertaken(.chunk($0.id)))
      }
    }

    func isComplete(_ session: UniqueID) -> Bool {
      chunks.allSatisfy { $0.session != session || state(of: .chunk($0.id)) == .stored }
    }

    func unfinished() -> [UploadQueue.SessionItem] {
      sessions.filter { isComplete($0) && waits(.session($0)) }.map {
        .init(
          id: $0, attempts: rows[.session($0)]?.attempts ?? 0,
          isOvertaken: isOvertaken(.session($0)))
      }
    }
  }

  /// Something under way, whose outcome comes in any order.
  private enum Pending {
    case action(UploadQueue.Action)
    case notes([UploadNote])
  }

  @Test(.computation) func `whatever happens, everything is there once and nothing else is noted`()
  {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the upload histories: \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<150 {
      var world = world(by: &random)
      let rules = UploadQueue.Rules(
        DestinationTraits(
          chunksPerCall: .random(in: 1...9, using: &random),
          calls: .random(in: 1...4, using: &random)),
        stays: round.isMultiple(of: 2))
      var now = BootTime(nanoseconds: 5_000_000_000)
      var runs = 0
      var isDone = false
      while !isDone {
        runs += 1
        // From the fifth run on nothing is in the way any more.
        let isCalm = runs >= 5
        isDone = run(rules, &world, &now, &random, isCalm: isCalm) && isCalm
        guard runs < 60 else {
          Issue.record("round \(round) does not come to an end")
          return
        }
      }
      for chunk in world.chunks {
        let state = world.state(of: .chunk(chunk.id))
        if world.poison.contains(chunk.id), case .waiting = state {
          // Nothing was stored since it failed, so it is unknown whose fault that is.
          #expect(!world.isOvertaken(.chunk(chunk.id)), "round \(round)")
        } else if world.unwanted.contains(chunk.id) || world.poison.contains(chunk.id) {
          guard case .parked = state else {
            Issue.record("round \(round): \(chunk.id) is \(state)")
            return
          }
        } else if world.mayBreak, state == .parked("500") {
          // A server that fails at it twice and not at others looks no different.
        } else {
          #expect(state == .stored && world.held.contains(chunk.id), "round \(round)")
        }
      }
      for session in world.sessions where world.isComplete(session) {
        if world.mayBreak, world.state(of: .session(session)) == .parked("500") { continue }
        #expect(world.records.contains(session), "round \(round)")
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
        // No more than a server may fail at before it counts as broken.
        if random.unit() < 0.05, world.poison.count < 2 { world.poison.insert(item.id) }
      }
    }
    return world
  }

  /// One life of an uploader: whether it came to an end with nothing left but what the server fails
  /// at.
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
        Issue.record("it goes in circles")
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
          return isCalm && setback.reason == "500" && !world.hasJudgeable
        case .end(let ending): return ending == .drained
        case .write(let notes): pending.append(.notes(notes))
        case .send(_, let chunks, _):
          #expect(underWay.isDisjoint(with: chunks), "a chunk is on its way twice")
          underWay.formUnion(chunks)
          #expect(
            Set(chunks.compactMap { id in world.chunks.first { $0.id == id }?.session }).count == 1)
          pending.append(.action(action))
        case .finish(_, let session):
          #expect(world.isComplete(session), "a record goes before a chunk")
          #expect(underWay.insert(session).inserted)
          pending.append(.action(action))
        case .read, .readSessions: pending.append(.action(action))
        }
      }
      now = now.advanced(bySeconds: 0.01)
      if pending.isEmpty {
        guard let time = wake else {
          Issue.record("it waits for nothing")
          return true
        }
        if rules.stays, isCalm, queue.restingUntil == nil, !world.hasJudgeable,
          world.waiting(.max, excluding: world.poison).isEmpty, world.unfinished().isEmpty
        {
          return true
        }
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
      // Stored, but the answer was lost.
      ids.forEach(take)
      return all(.failed(Setback(.unavailable, "lost", rest: random.unit() < 0.2 ? 20 : nil)))
    }
    // A server that takes batches whole fails at all of one.
    if !world.poison.isDisjoint(with: ids), ids.count > 1, random.unit() < 0.5 {
      return all(.failed(Setback(.faulty, "500")))
    }
    let answers = ids.map { id -> UploadQueue.Answer in
      if world.unwanted.contains(id) { return .verdict(.refused("no")) }
      if world.poison.contains(id) { return .verdict(.failed(Setback(.faulty, "500"))) }
      take(id)
      return .verdict(.stored)
    }
    return !isCalm && random.unit() < 0.05 ? answers.dropLast() : answers
  }
}
