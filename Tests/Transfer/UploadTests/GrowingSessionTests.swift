@testable import Upload
import HTTPClient
import Recording
import TestSupport
import Testing
import Values

/// Sessions in the researchers' layouts that are still being recorded and have no record yet.
@Suite(.realTime, .enabled(if: Emulator.isInstalled, Emulator.absence))
struct GrowingSessionTests {
  private let project = Emulator.project()

  private func place(_ layout: DestinationSettings.FirestoreLayout, _ user: String = "G")
    -> FirestorePlace
  {
    FirestorePlace(project: project, layout: layout, gateway: user)
  }

  private func library(_ place: FirestorePlace, _ emulator: Emulator) -> FirestoreLibrary {
    FirestoreLibrary(
      place, credentials: .none, over: emulator.client, environment: emulator.environment)
  }

  /// Sends these chunks, and expects the destination to accept them.
  private func send(
    _ chunks: [OutgoingChunk], of session: MadeSession, to place: FirestorePlace,
    _ emulator: Emulator
  ) async {
    let destination = FirestoreDestination(
      place, credentials: .none, over: emulator.client, environment: emulator.environment)
    let verdicts = await destination.store(chunks, of: session)
    #expect(verdicts == chunks.map { _ in .stored })
  }

  private func read(
    _ entry: FirestoreLibrary.Entry, of library: FirestoreLibrary
  ) async throws -> (samples: [WrittenSample], missing: [FirestoreLibrary.MissingChunk]) {
    var samples: [WrittenSample] = []
    let missing = try await library.samples(of: entry) { more, _, _ in samples += more }
    return (samples, missing)
  }

  @Test(arguments: [DestinationSettings.FirestoreLayout.researchers, .researchersPerUser])
  func `a session is read from its chunks while it grows, and later from its record`(
    _ layout: DestinationSettings.FirestoreLayout
  ) async throws {
    let emulator = try await Emulator.running()
    let (place, session) = (place(layout), MadeSession(sizes: [2_000, 1_000, 500]))
    let library = library(place, emulator)
    let chunks = session.gyroscopeChunks(of: MadeSession.left)
    // Chunks may arrive in any order.
    await send([chunks[1], chunks[0]], of: session, to: place, emulator)
    let growing = try await library.entries()
    let entry = try #require(growing.first)
    let id = FirestoreLayout.text(session.made.session.id)
    #expect(growing.count == 1 && entry.isGrowing)
    #expect(entry.name == "\(id)-\(MadeSession.left.address)")
    #expect(entry.boards == ["\(MadeSession.left.address)"])
    #expect(entry.chunks == 2 && entry.samples == 3_000)
    let early = try await read(entry, of: library)
    #expect(early.samples.count == 3_000 && early.missing.isEmpty)
    #expect(entry.date != nil && entry.date == early.samples.first?.time)

    let verdicts = await session.send(
      to: FirestoreDestination(
        place, credentials: .none, over: emulator.client, environment: emulator.environment))
    #expect(verdicts == verdicts.map { _ in .stored })
    let ended = try await library.entries()
    #expect(ended.count == 2 && !ended.contains(where: \.isGrowing))
    let record = try #require(ended.first { $0.provisionalName == entry.name })
    #expect(record.chunks == 3 && record.samples == 3_500)
    let complete = try await read(record, of: library)
    #expect(complete.samples.count == 3_500 && complete.missing.isEmpty)
    #expect(Array(complete.samples.prefix(3_000)) == early.samples)
  }

  @Test(arguments: [DestinationSettings.FirestoreLayout.researchers, .researchersPerUser])
  func `a chunk missing before the last one is reported`(
    _ layout: DestinationSettings.FirestoreLayout
  ) async throws {
    let emulator = try await Emulator.running()
    let (place, session) = (place(layout), MadeSession(sizes: [20, 21, 22]))
    let library = library(place, emulator)
    let chunks = session.gyroscopeChunks(of: MadeSession.left)
    await send([chunks[0], chunks[2]], of: session, to: place, emulator)
    let entry = try #require(try await library.entries().first)
    #expect(entry.isGrowing && entry.chunks == 2 && entry.samples == 42)
    let (samples, missing) = try await read(entry, of: library)
    #expect(samples.count == 42)
    #expect(
      missing == [
        FirestoreLibrary.MissingChunk(
          id: "unknown", position: 1, reason: "it has not arrived yet")
      ])
  }

  @Test func `of the sessions that are still being recorded, only the user's own are listed`()
    async throws
  {
    let emulator = try await Emulator.running()
    let (mine, theirs) = (place(.researchers), place(.researchers, "H"))
    let sessions = [MadeSession(sizes: [20]), MadeSession(sizes: [20])]
    for (session, place) in zip(sessions, [mine, theirs]) {
      await send(session.chunks, of: session, to: place, emulator)
    }
    let entries = try await library(mine, emulator).entries()
    let id = FirestoreLayout.text(sessions[0].made.session.id)
    #expect(
      entries.map(\.name).sorted()
        == [MadeSession.left, MadeSession.right].map { "\(id)-\($0.address)" })
  }

  @Test func `a query that needs several pages finds each document once`() async throws {
    let emulator = try await Emulator.running()
    let (place, session) = (place(.researchersPerUser), MadeSession(sizes: [20, 21, 22, 23]))
    let chunks = session.gyroscopeChunks(of: MadeSession.left)
    await send(chunks, of: session, to: place, emulator)
    let keeper = BodyKeeper(emulator.client)
    let access = FirestoreAccount(
      place, .none, over: keeper, environment: emulator.environment
    ).access
    let query = FirestoreLayout(kind: .researchersPerUser, user: "G").query("realtime_data")
    let found = try await access.query(query, page: 2)
    #expect(found.compactMap(\.path.last) == chunks.map { FirestoreLayout.text($0.id) }.sorted())
    // The last page is empty.
    #expect(keeper.count == 3)
  }
}

/// A database that denies queries for chunks, as rules that permit only records would.
private struct RecordsOnly: HTTPExchange {
  func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    if String(decoding: request.body, as: UTF8.self).contains("realtime_data") {
      return HTTPResponse(status: 403)
    }
    let record =
      #"{"name":"projects/demo/databases/(default)/documents/records/G___1","fields":{}}"#
    return HTTPResponse(status: 200, body: Array(#"[{"document":\#(record)}]"#.utf8))
  }
}

@Suite(.computation) struct DeniedChunkQueryTests {
  @Test func `records are listed even if the database denies queries for chunks`() async throws {
    let library = FirestoreLibrary(
      FirestorePlace(project: "demo", layout: .researchers, gateway: "G"), credentials: .none,
      over: RecordsOnly(), environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
    #expect(try await library.entries().map(\.name) == ["G___1"])
  }
}
