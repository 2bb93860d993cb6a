import Gateway
import LinuxSystem
import Recording
import SQLite
import TestSupport
import Testing
import Upload
import Values

@testable import Storage

/// Uploads from a real store to destinations with scripted replies.
@Suite(.realTime) struct UploadRunTests {
  private func target(
    _ stored: StoredDestination, _ destination: any Destination,
    newestFirst: Bool = false
  ) -> UploadRun.Target {
    var settings = DestinationSettings(.folder(path: "/nowhere"))
    settings.newestFirst = newestFirst
    return UploadRun.Target(stored, settings, destination)
  }

  private func run(
    _ world: UploadStore, _ targets: [UploadRun.Target],
    _ options: UploadRun.Options = UploadRun.Options()
  ) async throws -> [UploadRun.Outcome] {
    try await UploadRun(store: world.path, targets, options).run()
  }

  @Test
  func `every chunk arrives once, as it was sealed, and each record arrives after its chunks`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 40)
    try world.record(chunks: 3)
    try world.record(chunks: 0)
    let home = try world.destination("home")
    let destination = ScriptedDestination()
    let outcomes = try await run(world, [target(home, destination)])
    #expect(outcomes.first?.outcome.ending == .drained)
    #expect(outcomes.first?.outcome.counts.chunks == 43)
    #expect(outcomes.first?.outcome.counts.sessions == 3)
    let state = destination.state
    #expect(state.chunks.count == 43 && state.altered == 0 && state.early == 0)
    #expect(state.records.count == 3 && state.records.values.allSatisfy { $0.count == 1 })
    #expect(state.fixes.values.allSatisfy { $0 == 5 })
    #expect(state.mostUnderWay <= 2)
    for (id, bytes) in state.chunks { #expect(try world.bytes(id) == bytes) }
    let counts = try world.counts(home)
    #expect(counts.sentChunks.count == 43 && counts.waitingChunks.count == 0)
    #expect(counts.sentSessions == 3 && counts.waitingSessions == 0)
    // No chunk is sent twice.
    let calls = destination.state.calls
    let again = try await run(world, [target(home, destination)])
    #expect(again.first?.outcome.ending == .drained)
    #expect(destination.state.calls == calls)
  }

  @Test func `the latest recording is sent first if the user requests it`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 20)
    let home = try world.destination("home")
    let one = DestinationTraits(chunksPerCall: 1, calls: 1)
    let newest = ScriptedDestination(one)
    _ = try await run(world, [target(home, newest, newestFirst: true)])
    let all = world.chunks[world.sessions[0]] ?? []
    #expect(newest.state.order == all.reversed())
    let oldest = ScriptedDestination(one)
    _ = try await run(world, [target(try world.destination("other"), oldest)])
    #expect(oldest.state.order == all)
  }

  @Test func `only the named sessions are sent`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 5)
    try world.record(chunks: 6)
    let home = try world.destination("home")
    let destination = ScriptedDestination()
    var options = UploadRun.Options()
    options.sessions = [world.sessions[1]]
    _ = try await run(world, [target(home, destination)], options)
    #expect(Set(destination.state.chunks.keys) == Set(world.chunks[world.sessions[1]] ?? []))
    #expect(Array(destination.state.records.keys) == [world.sessions[1]])
    #expect(try world.counts(home).waitingChunks.count == 5)
  }

  @Test func `if uploads must contain dates, a session is not sent before it has a date`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 5, isDated: false)
    try world.record(chunks: 6)
    let home = try world.destination("home")
    let destination = ScriptedDestination(
      DestinationTraits(chunksPerCall: 4, needsDatedSession: true))
    let outcomes = try await run(world, [target(home, destination)])
    #expect(outcomes.first?.outcome.ending == .drained)
    #expect(Set(destination.state.chunks.keys) == Set(world.chunks[world.sessions[1]] ?? []))
    #expect(Array(destination.state.records.keys) == [world.sessions[1]])
  }

  @Test
  func `if uploads must contain dates, the chunks of a dated session are sent during the walk`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 4, ends: false)
    let home = try world.destination("home")
    let destination = ScriptedDestination(DestinationTraits(needsDatedSession: true))
    _ = try await run(world, [target(home, destination)])
    #expect(destination.state.order == world.chunks[world.sessions[0]])
    #expect(destination.state.records.isEmpty)
  }

  @Test func `a rejected chunk is parked with the reason, and its record is still sent`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 10)
    let home = try world.destination("home")
    let bad = try #require(world.chunks[world.sessions[0]]?[4])
    let refusing = ScriptedDestination { _, chunk in
      chunk.id == bad ? .refused("422: no such sensor") : nil
    }
    let outcomes = try await run(world, [target(home, refusing)])
    #expect(outcomes.first?.outcome.ending == .drained)
    #expect(outcomes.first?.outcome.counts.parked == 1)
    #expect(refusing.state.chunks.count == 9)
    // The record lists the parked chunk, so readers at the destination can see which data are
    // missing.
    let record = try #require(refusing.state.records[world.sessions[0]]?.first)
    #expect(record.streams.flatMap(\.chunks).map(\.id).contains(bad))
    #expect(refusing.state.records.count == 1 && refusing.state.early == 1)
    #expect(try world.counts(home).sentSessions == 1)
    let parked = try StoreReader(path: world.path).parked(for: home)
    #expect(parked.map(\.chunk) == [bad])
    #expect(parked.first?.error == "422: no such sensor")
    let willing = ScriptedDestination()
    _ = try await run(world, [target(home, willing)])
    #expect(willing.state.calls == 0)
    #expect(try StoreEditor(path: world.path).retryParked(home) == 1)
    _ = try await run(world, [target(home, willing)])
    // No new record is needed when the chunk is finally sent.
    #expect(willing.state.order == [bad] && willing.state.records.isEmpty)
    #expect(try world.counts(home).sentSessions == 1)
    #expect(try world.counts(home).parkedChunks.count == 0)
  }

  @Test(arguments: [
    "bytes = CAST(substr(bytes, 1, 200) || x'00ff' || substr(bytes, 203) AS BLOB)",
    "bytes = (SELECT bytes FROM chunk WHERE sequence = 2)", "sequence = 9",
  ])
  func `a damaged chunk is parked instead of sent, and the reason contains the remedy`(
    _ damage: String
  ) async throws {
    var world = try UploadStore()
    try world.record(chunks: 3)
    let home = try world.destination("home")
    let chunks = try #require(world.chunks[world.sessions[0]])
    try Database.open(path: world.path, mode: .recording).execute(
      "UPDATE chunk SET \(damage) WHERE sequence = 1", doing: "damage")
    let destination = ScriptedDestination()
    let outcomes = try await run(world, [target(home, destination)])
    #expect(outcomes.first?.outcome.counts.parked == 1)
    #expect(Set(destination.state.chunks.keys) == [chunks[0], chunks[2]])
    let parked = try #require(try StoreReader(path: world.path).parked(for: home).first)
    #expect(parked.chunk == chunks[1])
    #expect(parked.error.hasSuffix("; 'footbridge store repair' sets it aside"))
  }

  @Test func `an upload run deletes chunks that every destination has had for long enough`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 600)
    let (home, lab) = (try world.destination("home"), try world.destination("lab"))
    func left() throws -> Int { try world.counts(lab).waitingChunks.count }
    func chunks() throws -> Int {
      let counts = try world.counts(home)
      return counts.sentChunks.count + counts.waitingChunks.count + counts.parkedChunks.count
    }
    func drop(_ targets: [UploadRun.Target]) async throws -> Store.Dropped {
      let run = try UploadRun(store: world.path, targets)
      _ = await run.run()
      return try run.dropped
    }
    // The policy does not permit any deletion.
    let toHome = target(home, ScriptedDestination())
    #expect(try await drop([toHome]) == Store.Dropped())
    // One of the destinations has not received any chunks yet.
    try StoreEditor(path: world.path).set(SpacePolicy(keepSent: 0))
    #expect(try await drop([toHome]) == Store.Dropped())
    #expect(try chunks() == 600 && left() == 600)
    // This destination rejects one of the chunks, so the store keeps that chunk.
    let kept = try #require(world.chunks[world.sessions[0]]?[7])
    let picky = ScriptedDestination { _, chunk in chunk.id == kept ? .refused("no") : nil }
    try StoreEditor(path: world.path).set(SpacePolicy(keepSent: 1))
    #expect(try await drop([target(lab, picky)]) == Store.Dropped())
    #expect(try chunks() == 600)
    try StoreEditor(path: world.path).set(SpacePolicy(keepSent: 0))
    let dropped = try await drop([target(lab, picky)])
    #expect(dropped.chunks == 599 && dropped.unsent == 0 && dropped.bytes > 0)
    #expect(try chunks() == 1)
    #expect(try StoreReader(path: world.path).parked(for: lab).map(\.chunk) == [kept])
  }

  @Test func `destinations do not wait for each other`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 30)
    let good = try world.destination("good")
    let bad = try world.destination("bad")
    let taking = ScriptedDestination()
    let away = ScriptedDestination { _, _ in
      .failed(Setback(.rejected, "401 Unauthorized", remedy: "renew the token"))
    }
    let outcomes = try await run(world, [target(bad, away), target(good, taking)])
    #expect(
      outcomes.map(\.outcome.ending) == [
        .unreachable(Setback(.rejected, "401 Unauthorized", remedy: "renew the token")), .drained,
      ])
    #expect(taking.state.chunks.count == 30)
    #expect(try world.counts(bad).waitingChunks.count == 30)
    let rests = try #require(try StoreReader(path: world.path).destination(named: "bad"))
    #expect(rests.restingUntil != nil && rests.failures == 1)
    #expect(rests.error == "401 Unauthorized\nrenew the token")
    // An upload that the user requests does not wait until the retry delay is over, and its success
    // ends the delay.
    let willing = ScriptedDestination()
    let again = try await run(world, [target(rests, willing)])
    #expect(again.first?.outcome.ending == .drained && willing.state.chunks.count == 30)
    let rested = try #require(try StoreReader(path: world.path).destination(named: "bad"))
    #expect(rested.restingUntil == nil && rested.error.isEmpty)
  }

  @Test func `a session's record is sent again only if it has changed`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 2)
    let home = try world.destination("home")
    let destination = ScriptedDestination()
    _ = try await run(world, [target(home, destination)])
    let session = world.sessions[0]
    try StoreEditor(path: world.path).annotate(
      Annotation(time: BootTime(nanoseconds: 1_000_500_000_000), text: "ice"), session: session)
    _ = try await run(world, [target(home, destination)])
    _ = try await run(world, [target(home, destination)])
    #expect(destination.state.records[session]?.count == 2)
    #expect(destination.state.records[session]?.last?.annotations.map(\.text) == ["ice"])
    #expect(destination.state.order.count == 2)
  }

  @Test
  func `a destination that is removed and added again resumes its uploads; a new one starts over`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 12)
    let home = try world.destination("home")
    let first = ScriptedDestination(DestinationTraits()) { call, _ in
      call > 5 ? .failed(Setback(.rejected, "no")) : nil
    }
    _ = try await run(world, [target(home, first)])
    #expect(first.state.chunks.count == 5)
    #expect(try StoreEditor(path: world.path).removeDestination(named: "home"))
    let other = try StoreEditor(path: world.path).addDestination(
      named: "home", place: "folder /elsewhere", settings: "{}", at: UTCTime(nanoseconds: 1))
    let elsewhere = ScriptedDestination()
    _ = try await run(world, [target(other, elsewhere)])
    #expect(elsewhere.state.chunks.count == 12)
    let back = try world.destination("again", at: "folder /home")
    let rest = ScriptedDestination()
    _ = try await run(world, [target(back, rest)])
    let all = world.chunks[world.sessions[0]] ?? []
    #expect(rest.state.order.count == 7)
    #expect(Set(rest.state.order).isDisjoint(with: first.state.order))
    #expect(Set(rest.state.order + first.state.order) == Set(all))
  }

  @Test func `an upload run that is stopped ends cleanly, with every response recorded`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 60)
    let home = try world.destination("home")
    let started = EventQueue<Void>()
    let destination = ScriptedDestination(DestinationTraits()) { call, _ in
      if call == 10 { started.post(()) }
      return nil
    }
    let run = try UploadRun(store: world.path, [target(home, destination)])
    let work = Task { await run.run() }
    _ = await started.next()
    run.stop()
    let outcomes = await work.value
    let ending = outcomes.first?.outcome.ending
    #expect(ending == .stopped || ending == .drained)
    #expect(try world.counts(home).sentChunks.count == destination.state.chunks.count)
  }

  @Test func `a hanging request is cancelled when its upload run is stopped`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 3)
    let home = try world.destination("home")
    let hanging = HangingDestination()
    let run = try UploadRun(store: world.path, [target(home, hanging)])
    let work = Task { await run.run() }
    _ = await hanging.began.next()
    run.stop()
    let outcomes = await work.value
    #expect(outcomes.first?.outcome.ending == .stopped)
    #expect(try world.counts(home).waitingChunks.count == 3)
  }

  @Test func `a chunk is parked if a server fails in two runs for this chunk only`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 10)
    let home = try world.destination("home")
    let bad = try #require(world.chunks[world.sessions[0]]?[4])
    let failing = ScriptedDestination(DestinationTraits(chunksPerCall: 1)) { _, chunk in
      chunk.id == bad ? .failed(Setback(.faulty, "500")) : nil
    }
    let first = try await run(world, [target(home, failing)])
    // The server may be at fault, since none of its responses rejects the chunk itself.
    #expect(first.first?.outcome.ending == .unreachable(Setback(.unavailable, "500")))
    #expect(try world.counts(home).parkedChunks.count == 0)
    #expect(try world.counts(home).sentChunks.count == 9)
    let second = try await run(world, [target(home, failing)])
    #expect(second.first?.outcome.ending == .drained)
    #expect(try StoreReader(path: world.path).parked(for: home).map(\.chunk) == [bad])
    #expect(try world.counts(home).sentSessions == 1)
  }

  @Test
  func `a record that is not permitted is parked, and the records of later sessions are sent`()
    async throws
  {
    var world = try UploadStore()
    for _ in 0..<3 { try world.record(chunks: 2) }
    let home = try world.destination("home")
    // The first record that arrives is rejected, as if its session belonged to another user.
    let isFirst = Guarded(true)
    // There is only one request at a time. Otherwise a success could already be in progress when
    // the rejection arrives, and would prove nothing.
    let picky = ScriptedDestination(
      DestinationTraits(chunksPerCall: 8, calls: 1),
      finishing: { _ in
        let refuses = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        return refuses ? .failed(Setback(.forbidden, "PERMISSION_DENIED")) : nil
      })
    let outcome = try await run(world, [target(home, picky)]).first?.outcome
    #expect(outcome?.ending == .drained)
    #expect(outcome?.counts.sessions == 2 && outcome?.counts.parked == 1)
    let parked = try StoreReader(path: world.path).parked(for: home)
    #expect(parked.map(\.error) == ["PERMISSION_DENIED"])
    #expect(parked.map(\.chunk) == [nil])
  }

  @Test func `an upload run that stays open also sends chunks recorded later`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 2)
    let home = try world.destination("home")
    let arrived = EventQueue<Int>()
    let destination = ScriptedDestination(finishing: { call in
      arrived.post(call)
      return nil
    })
    var options = UploadRun.Options()
    options.stays = true
    let run = try UploadRun(store: world.path, [target(home, destination)], options)
    let work = Task { await run.run() }
    _ = await arrived.next()
    try world.record(chunks: 4)
    run.added()
    _ = await arrived.next()
    run.stop()
    _ = await work.value
    #expect(destination.state.chunks.count == 6 && destination.state.records.count == 2)
  }

  @Test func `a missing store ends the upload run with an error`() async throws {
    let folder = try TemporaryFolder()
    var world = try UploadStore()
    try world.record(chunks: 1)
    let home = try world.destination("home")
    let run = try UploadRun(
      store: folder.path + "/none.sqlite", [target(home, ScriptedDestination())])
    let outcome = await run.run().first?.outcome
    #expect(outcome?.ending == .failed)
    #expect(outcome?.storeError is StoreError)
  }
}

/// A destination that replies to a request only when the request is cancelled.
private final class HangingDestination: Destination {
  let traits = DestinationTraits(chunksPerCall: 3)
  let began = EventQueue<Void>()

  func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict] {
    began.post(())
    // This is far longer than any test takes.
    try? await Task.sleep(for: .seconds(3_600))
    return chunks.map { _ in .failed(Setback(.unavailable, "given up")) }
  }

  func finish(_ session: any OutgoingSession) async -> Verdict { .stored }
  func test() async -> Setback? { nil }
}
