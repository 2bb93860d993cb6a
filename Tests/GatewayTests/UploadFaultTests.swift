import SessionFolder
import Foundation
import Gateway
import HTTPClient
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Upload
import Values

/// Complete uploads from a real store over real HTTP, to a server with scripted faults. The tests
/// compare the server's folder with the store. Every chunk must be present once, with identical
/// bytes.
@Suite(.realTime) struct UploadFaultTests {
  /// A temporary fault, described by rules for the server.
  struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var rules: [FaultServer.Rule]
    /// Whether chunks may have been parked. These chunks are sent again only on request.
    var parks = false

    var testDescription: String { name }

    static func effect(_ effect: String) -> Fault {
      Fault(
        name: effect,
        rules: [
          .effect(effect).on(path: "/chunks", times: 1),
          .effect(effect).on(path: "/chunks", after: 2, times: 1),
          .effect(effect).on(path: "/sessions", times: 1),
        ])
    }

    static func status(_ status: Int, retryAfter: String? = nil, parks: Bool = false) -> Fault {
      let fields = retryAfter.map { ["Retry-After": $0] } ?? [:]
      return Fault(
        name: "\(status)" + (retryAfter.map { " until \($0)" } ?? ""),
        rules: [
          .status(status, fields: fields).on(path: "/chunks", after: 1, times: 1),
          .status(status, fields: fields).on(path: "/sessions", times: 1),
        ], parks: parks)
    }
  }

  /// Returns a fault in which another server answers instead of the endpoint, with a status that
  /// means success.
  private static func stranger(
    _ name: String, status: Int = 200, type: String? = nil, body: String = ""
  ) -> Fault {
    let answer = FaultServer.Rule.status(
      status, fields: type.map { ["Content-Type": $0] } ?? [:], body: body)
    return Fault(
      name: name,
      rules: [
        answer.on(path: "/chunks", times: 1), answer.on(path: "/chunks", after: 3, times: 1),
        answer.on(path: "/sessions/", times: 2),
      ])
  }

  private static let strangers = [
    stranger("a page in plain text", type: "text/plain", body: "Please log in"),
    stranger("a page without a type", body: "<html>Please log in</html>"),
    stranger("an error with 200", type: "application/json", body: #"{"error":{"message":"no"}}"#),
    stranger("a queue", status: 202, type: "application/json", body: #"{"message":"queued"}"#),
    stranger("nothing with 200"), stranger("nothing with 204", status: 204),
  ]

  private static let faults: [Fault] =
    [
      "reset", "reset-body", "lost", "truncated", "cut-head", "garbage", "stall", "stop-reading",
      "flip", "flip-answer",
    ].map(Fault.effect)
    + [408, 425, 429, 500, 502, 503, 504, 507].map { .status($0) }
    + [408, 429, 503].map { .status($0, retryAfter: "1") }
    + [.status(409, parks: true), .status(413, parks: true), .status(422, parks: true)]
    + strangers

  /// Returns a client with short timeouts.
  private func client(_ change: (inout HTTPClientOptions) -> Void = { _ in }) throws -> HTTPClient {
    var options = HTTPClientOptions()
    options.proxy = .none
    options.stallSeconds = 2
    change(&options)
    return try HTTPClient(options)
  }

  private func target(
    _ stored: StoredDestination, at url: String, by client: HTTPClient, token: String? = nil
  ) -> UploadRun.Target {
    let settings = DestinationSettings(.http(url: url))
    return UploadRun.Target(
      stored, settings,
      HTTPDestination(
        settings: settings, url: url, exchange: client, token: token.map { SecretFile($0) },
        calls: 2))
  }

  private func endpoint(_ world: UploadStore, _ url: String) throws -> StoredDestination {
    try StoreEditor(path: world.path).addDestination(
      named: "lab", place: "http \(url)", settings: "{}", at: UTCTime(nanoseconds: 1))
  }

  /// Uploads repeatedly, as a user or a timer does, until no chunk remains.
  private func drain(
    _ world: UploadStore, _ stored: StoredDestination, _ target: UploadRun.Target,
    parks: Bool = false
  ) async throws {
    for _ in 0..<20 {
      let outcome = try #require(await UploadRun(store: world.path, [target]).run().first?.outcome)
      if outcome.ending == .drained, try world.counts(stored).parkedChunks.count == 0,
        try world.counts(stored).parkedSessions == 0
      {
        return
      }
      if parks { _ = try StoreEditor(path: world.path).retryParked(stored) }
    }
    Issue.record("twenty runs were not enough")
  }

  /// Expects the server to have exactly the store's chunks and sessions.
  private func expectAll(
    of world: UploadStore, in server: FaultServer, _ stored: StoredDestination
  ) async throws {
    let kept = try server.chunks()
    let ids = world.chunks.values.joined()
    #expect(Set(kept.keys) == Set(ids))
    for id in ids { #expect(try kept[id] == world.bytes(id)) }
    let counts = try world.counts(stored)
    #expect(counts.sentChunks.count == kept.count)
    #expect(counts.sentSessions == world.sessions.count)
    let records = await server.requests.filter { request in
      request.method == "PUT" && [200, 201].contains(request.status)
        && world.sessions.contains { request.path?.hasSuffix("/sessions/\($0)") ?? false }
    }
    #expect(Set(records.compactMap(\.path)).count == world.sessions.count)
  }

  private func server(
    _ rules: [FaultServer.Rule], in world: UploadStore,
    _ change: (inout FaultServer.Options) -> Void = { _ in }
  ) async throws -> FaultServer {
    var options = FaultServer.Options()
    options.folder = world.folder.path + "/received"
    change(&options)
    return try await FaultServer.start(rules, options)
  }

  @Test(arguments: faults)
  func `despite a temporary server fault, every chunk is stored once, with its bytes unchanged`(
    _ fault: Fault
  ) async throws {
    var world = try UploadStore()
    try world.record(chunks: 9)
    try world.record(chunks: 150)
    let server = try await server(fault.rules, in: world)
    let stored = try endpoint(world, server.url())
    try await drain(
      world, stored, target(stored, at: server.url(), by: client()), parks: fault.parks)
    try await expectAll(of: world, in: server, stored)
    await server.stop()
  }

  /// A gateway that uploads every few minutes sends one chunk, and then the record in which the
  /// chunk is listed.
  @Test(arguments: strangers)
  func `if a log-in page temporarily answers instead of the server, no chunk is lost`(
    _ stranger: Fault
  ) async throws {
    var world = try UploadStore()
    try world.record(chunks: 1)
    let server = try await server(stranger.rules, in: world)
    let stored = try endpoint(world, server.url())
    try await drain(world, stored, target(stored, at: server.url(), by: client()))
    try await expectAll(of: world, in: server, stored)
    await server.stop()
  }

  @Test(arguments: zip([1, 2, 5], [2, 4, 6]))
  func `if the server fails every request for a while, no chunk is parked`(
    _ chunks: Int, _ failures: Int
  ) async throws {
    var world = try UploadStore()
    try world.record(chunks: chunks)
    let server = try await server([.status(500).on(times: failures)], in: world)
    let stored = try endpoint(world, server.url())
    let target = try target(stored, at: server.url(), by: client())
    var parked = 0
    for _ in 0..<5 {
      let outcome = try #require(await UploadRun(store: world.path, [target]).run().first?.outcome)
      parked += outcome.counts.parked
      if outcome.ending == .drained { break }
    }
    #expect(parked == 0)
    try await expectAll(of: world, in: server, stored)
    await server.stop()
  }

  /// Returns the reason why a run gives up on its destination.
  private func setback(_ world: UploadStore, _ target: UploadRun.Target) async throws -> Setback {
    let ending = try await UploadRun(store: world.path, [target]).run().first?.outcome.ending
    let setback: Setback? = if case .unreachable(let setback)? = ending { setback } else { nil }
    return try #require(setback, "\(String(describing: ending))")
  }

  @Test func `the upload gives up on a broken server after a few requests`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 300)
    let server = try await server([.status(500)], in: world)
    let stored = try endpoint(world, server.url())
    let target = try target(stored, at: server.url(), by: client())
    let setback = try await setback(world, target)
    #expect(setback.kind == .unavailable)
    #expect(await server.requests.count < 20)
    #expect(try world.counts(stored).parkedChunks.count == 0)
    await server.stop()
  }

  @Test
  func `despite a random mix of faults, every chunk is stored once, with its bytes unchanged`()
    async throws
  {
    let seed = UInt32.random(in: 0 ... .max)
    print("seed of the mixed faults: \(seed)")
    var world = try UploadStore()
    try world.record(chunks: 120)
    let server = try await server(
      [
        .some(
          0.25, of: ["reset", "reset-body", "lost", "truncated", "cut-head", "garbage", "flip"],
          seed: seed)
      ], in: world
    ) { $0.takesBatches = false }
    let stored = try endpoint(world, server.url())
    try await drain(world, stored, target(stored, at: server.url(), by: client()), parks: true)
    try await expectAll(of: world, in: server, stored)
    await server.stop()
  }

  @Test
  func `an unreachable or unknown server is reported, and no chunk is lost`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 5)
    let client = try client()
    for url in ["http://127.0.0.1:\(try FaultServer.deadPort())", "http://nobody.invalid"] {
      let stored = try endpoint(world, url)
      let outcome = try await UploadRun(store: world.path, [target(stored, at: url, by: client)])
        .run().first?.outcome
      guard case .unreachable(let setback)? = outcome?.ending else {
        Issue.record("\(url): \(String(describing: outcome?.ending))")
        continue
      }
      #expect(setback.kind == .unavailable && !setback.reason.isEmpty)
      #expect(try world.counts(stored).waitingChunks.count == 5)
      let state = try StoreReader(path: world.path).destination(named: "lab")
      #expect(state?.failures == UploadQueue.patience && state?.error.isEmpty == false)
      _ = try StoreEditor(path: world.path).removeDestination(named: "lab")
    }
  }

  @Test func `a redirect is reported and not followed`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 3)
    let server = try await server(
      [.redirect(to: "https://elsewhere.example/walks").on(times: 1)], in: world)
    let stored = try endpoint(world, server.url())
    let target = try target(stored, at: server.url(), by: client())
    let setback = try await setback(world, target)
    #expect(setback.kind == .rejected)
    try await drain(world, stored, target)
    try await expectAll(of: world, in: server, stored)
    await server.stop()
  }

  @Test func `an expired token is reported, and it is enough to replace the token in its file`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 4)
    let file = world.folder.path + "/token"
    func write(_ token: String) throws {
      try Data(token.utf8).write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
    try write("old-secret")
    let server = try await server([], in: world) { $0.token = "new-secret" }
    let stored = try endpoint(world, server.url())
    let target = try target(stored, at: server.url(), by: client(), token: file)
    let setback = try await setback(world, target)
    #expect(setback.kind == .rejected && !"\(setback)".contains("old-secret"))
    try write("new-secret")
    try await drain(world, stored, target)
    try await expectAll(of: world, in: server, stored)
    let store = try Data(contentsOf: URL(fileURLWithPath: world.path))
    #expect(store.range(of: Data("-secret".utf8)) == nil)
    await server.stop()
  }

  @Test
  func `an unknown certificate authority is reported, and it is enough to name the authority`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 4)
    let authority = try await TestCertificate.authority()
    let certificate = try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"])
    let server = try await server([], in: world) { $0.certificate = certificate }
    let stored = try endpoint(world, server.url())
    let ending = try await UploadRun(
      store: world.path, [target(stored, at: server.url(), by: client())]
    ).run().first?.outcome.ending
    guard case .unreachable(let setback)? = ending else {
      Issue.record("\(String(describing: ending))")
      return
    }
    #expect(setback.kind == .rejected && setback.remedy.contains("--ca-file"))
    #expect(try server.chunks().isEmpty)
    let trusting = try client { $0.authorityFile = authority.file }
    try await drain(world, stored, target(stored, at: server.url(), by: trusting))
    try await expectAll(of: world, in: server, stored)
    await server.stop()
  }

  @Test func `if a second gateway sends identical chunks, they are accepted, and nothing changes`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 6)
    let server = try await server([], in: world)
    let stored = try endpoint(world, server.url())
    let first = try target(stored, at: server.url(), by: client())
    // The memory card was copied before any chunk was uploaded.
    let copy = world.folder.path + "/copy.sqlite"
    _ = try StoreBackup.make(of: world.path, to: copy) { _, _ in true }
    try await drain(world, stored, first)
    let twin = try #require(try StoreReader(path: copy).destination(named: "lab"))
    let again = try await UploadRun(
      store: copy, [target(twin, at: server.url(), by: client())]
    ).run().first?.outcome
    #expect(again?.ending == .drained && again?.counts.chunks == 6 && again?.counts.parked == 0)
    try await expectAll(of: world, in: server, stored)
    await server.stop()
  }

  /// The ways in which a second gateway can send a chunk with an id under which the destination has
  /// stored different bytes.
  enum Meeting: String, CaseIterable, CustomTestStringConvertible {
    case batches
    case single
    case folder

    var testDescription: String { rawValue }
  }

  @Test(arguments: Meeting.allCases)
  func `if two gateways use one id for different chunks, only the second chunk is parked`(
    _ meeting: Meeting
  ) async throws {
    var (first, second) = (try UploadStore(), try UploadStore())
    try first.record(chunks: 6)
    let shared = try #require(first.chunks[first.sessions[0]]?[3])
    try second.record(chunks: 40, ids: [17: shared])
    try second.record(chunks: 5)
    let folder = first.folder.path + "/received"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let server = try await server([], in: first) { $0.takesBatches = meeting == .batches }
    let stick = first.folder.path + "/stick"
    try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: true)
    func send(_ world: UploadStore) async throws -> (StoredDestination, Uploader.Outcome?) {
      let stored = try endpoint(world, server.url())
      let aim =
        meeting == .folder
        ? UploadRun.Target(
          stored, DestinationSettings(.folder(path: stick)), try FolderDestination(path: stick))
        : try target(stored, at: server.url(), by: client())
      return (stored, try await UploadRun(store: world.path, [aim]).run().first?.outcome)
    }
    let (_, all) = try await send(first)
    #expect(all?.ending == .drained && all?.counts.chunks == 6 && all?.counts.parked == 0)
    let (stored, outcome) = try await send(second)
    #expect(outcome?.ending == .drained)
    #expect(outcome?.counts.chunks == 44 && outcome?.counts.parked == 1)
    // The destination has the records of both sessions, even the record that lists the parked
    // chunk.
    #expect(outcome?.counts.sessions == 2)
    let parked = try StoreReader(path: second.path).parked(for: stored)
    #expect(parked.map(\.chunk) == [shared])
    #expect(parked.first?.place?.sequence == 17)
    #expect(parked.first?.error.isEmpty == false)
    #expect(parked.first?.error.contains("other") == true, "\(parked.first?.error ?? "-")")
    let counts = try second.counts(stored)
    #expect(counts.sentChunks.count == 44 && counts.waitingChunks.count == 0)
    #expect(counts.sentSessions == 2 && counts.waitingSessions == 0)
    // The data stored earlier are unchanged, and neither gateway deletes anything.
    #expect(try first.bytes(shared) != second.bytes(shared))
    if meeting != .folder {
      let kept = try server.chunks()
      try #require(kept.count == 50)
      #expect(try kept[shared] == first.bytes(shared))
    } else {
      let archive = try FolderReader(folder: stick)
      #expect(try archive.sessions().count == 3)
    }
    await server.stop()
  }
}
