@testable import Fleet
import ChunkFormat
import LinuxSystem
import Recording
import TestSupport
import Testing
import UploadProtocol
import Values

/// A database with one gateway, and an S3 service behind a server that injects scripted faults.
struct ColdWorld {
  let database: String
  let gateway = UniqueID(high: 7, low: 1)
  let service: S3Server
  let front: FaultServer
  let place = S3Server.newPlace()
  let remarks = Remarks()

  init(_ plan: [FaultServer.Rule] = []) async throws {
    database = try await PostgresServer.running().database()
    service = try await S3Server.running()
    var options = FaultServer.Options()
    options.upstream = service.url
    front = try await FaultServer.start(plan, options)
    let fleet = try FleetDatabase(database)
    _ = try fleet.migrate()
    _ = try fleet.add("walker", gateway: gateway)
  }

  /// Returns the bucket, which is reached through the faulty server unless another address is
  /// given.
  func objects(_ url: String? = nil, secret: String? = nil) throws -> ObjectStore {
    try ObjectStore(
      ObjectStoreAddress((url ?? front.url()) + place), region: "us-east-1",
      key: ObjectStoreKey(id: service.key, secret: secret ?? service.secret))
  }

  /// Returns the gateway's view of a receiver's intake.
  func intake(_ url: String? = nil) throws -> any SessionIntake {
    try DatabaseIntake(database, objects: objects(url ?? service.url))
      .intake(of: .gateway(gateway))
  }

  func sealer(_ objects: ObjectStore? = nil, quietSeconds: Double = 0.05) throws -> Sealer {
    try Sealer(database, objects ?? self.objects(), quietSeconds: quietSeconds) {
      [remarks] in remarks.add($0)
    }
  }

  /// Sends a session with its record and one piece of its track.
  func send(_ chunks: [Chunk], to intake: any SessionIntake) throws -> SessionRecord {
    for start in stride(from: 0, to: chunks.count, by: 100) {
      let part = chunks[start..<min(start + 100, chunks.count)]
      let verdicts = try intake.store(
        part.map { ReceivedChunk(bytes: $0.encoded(), chunk: $0) })
      #expect(verdicts.allSatisfy { $0 == .stored })
    }
    #expect(try intake.store(Self.piece(of: chunks[0].session)) == .stored)
    let record = Self.record(of: chunks)
    #expect(try intake.store(record) == .stored)
    return record
  }

  static func chunks(_ count: UInt32, session: UInt64 = 1) -> [Chunk] {
    (0..<count).map { SampleChunk.make($0, session: UniqueID(high: 1, low: session)) }
  }

  /// Returns the track of a session with five fixes.
  static func piece(of session: UniqueID) -> TrackPiece {
    TrackPiece(
      session: session, first: 0,
      fixes: (0..<5).map {
        Fix(
          arrival: BootTime(nanoseconds: Int64($0) * 1_000_000_000),
          utc: UTCTime(nanoseconds: Int64($0) * 1_000_000_000), latitude: 50, longitude: 14)
      })
  }

  static func record(of chunks: [Chunk]) -> SessionRecord {
    var session = SampleChunk.session
    session.id = chunks[0].session
    var record = SessionRecord(session: session)
    record.boards = [chunks[0].board]
    record.streams = [
      SessionRecord.Stream(
        board: chunks[0].board.address, description: chunks[0].stream,
        chunks: chunks.map {
          SessionRecord.ChunkEntry(
            id: $0.id, sequence: $0.sequence, sampleCount: $0.count, lostCount: 0,
            first: $0.clock.first)
        })
    ]
    return record
  }

  /// Returns the database's response to a query, without the final newline.
  func ask(_ sql: String) async throws -> String {
    let outcome = try await PostgresServer.query(database, sql)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").joined(separator: " ")
  }

  /// Waits until this number of sessions are sealed.
  func wait(untilSealed count: Int) async throws {
    try await TestSupport.wait(for: "\(count) sessions are sealed") {
      try await ask("SELECT count(*) FROM session WHERE NOT open") == "\(count)"
    }
  }

  /// Renames today's table of chunk bodies, as if the day were already over.
  func passDay(_ day: Int = 20_200_101) async throws {
    let today = try await ask(
      "SELECT max(table_name) FROM information_schema.tables WHERE table_name LIKE 'body!_%' ESCAPE '!'"
    )
    _ = try await ask(
      "UPDATE chunk SET day = \(day) WHERE 'body_' || day = '\(today)'; "
        + "ALTER TABLE \(today) RENAME TO body_\(day)")
  }

  func tables() async throws -> String {
    try await ask(
      "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'body!_%' ESCAPE '!' "
        + "ORDER BY 1")
  }

  /// Returns the requests to the S3 service that use one HTTP method.
  func requests(_ method: String) async -> [FaultServer.Request] {
    await front.requests.filter { $0.method == method }
  }
}

/// Collects the log events of a sealer.
final class Remarks: Sendable {
  private let events = Guarded<[LogEvent]>([])

  func add(_ event: LogEvent) { events.withLock { $0.append(event) } }

  /// Returns the events with a name, each as one line of its values.
  func of(_ name: String) -> [String] {
    events.withLock { events in
      events.filter { $0.event == name }.map { event in
        event.details.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
      }
    }
  }
}
