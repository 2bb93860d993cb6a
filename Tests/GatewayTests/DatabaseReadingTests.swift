import HTTPClient
import LinuxSystem
import TestSupport
import Testing
import Upload
import Values

@testable import Gateway

@Suite(.realTime) struct DatabaseReadingTests {
  /// A database with one readable position and one unreadable document. Once `isClosed` is set, the
  /// database denies every read.
  private final class Database: HTTPExchange {
    let requests = Guarded(0)
    let isClosed = Guarded(false)

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
      requests.withLock { $0 += 1 }
      guard !isClosed.withLock({ $0 }) else {
        let error = #"{"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}}"#
        return HTTPResponse(status: 403, body: Array(error.utf8))
      }
      let root = "projects/demo/databases/(default)/documents/locations"
      let time = #""readTime":"2026-05-04T09:10:00Z""#
      let fields = #"""
        {"latitude":{"doubleValue":48},"longitude":{"doubleValue":16},
         "fix_time":{"timestampValue":"2026-05-04T09:09:59Z"},
         "expires_at":{"timestampValue":"2026-05-04T09:10:59Z"}}
        """#
      let body = #"""
        [{"document":{"name":"\#(root)/B","fields":\#(fields)},\#(time)},
         {"document":{"name":"\#(root)/C","fields":{}},\#(time)}]
        """#
      return HTTPResponse(status: 200, body: Array(body.utf8))
    }
  }

  private let database = Database()
  private let log = Guarded<[String]>([])
  private let start = BootClock.now()

  private func reading() -> DatabaseReading {
    let reporter = DaemonReporter(
      agent: "test",
      log: { [log] event in
        let document = event.details.first { $0.name == "document" }?.value
        log.withLock { $0.append(event.event + (document.map { " \($0)" } ?? "")) }
      },
      explain: { ("\($0)", "") })
    return DatabaseReading(reporter) { [database] source in
      guard source.destination == "map" else { return nil }
      return PublishedLocations(
        in: FirestorePlace(project: "demo", layout: .researchers, gateway: "A"),
        credentials: .none, over: database,
        environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
    }
  }

  private func at(_ seconds: Double) -> BootTime { start.advanced(bySeconds: seconds) }

  private var count: Int { database.requests.withLock { $0 } }

  /// Requests the other gateways, with this as the current time, until the database has been read
  /// `count` times.
  private func ask(_ reading: DatabaseReading, at seconds: Double, upTo count: Int) async throws {
    try await wait(for: "reading \(count)") {
      _ = reading.others(at: at(seconds))
      return self.count == count
    }
  }

  @Test func `the database is read when a page asks for it, but at most once per interval`()
    async throws
  {
    let reading = reading()
    #expect(reading.others(at: start).isEmpty)
    #expect(count == 0, "without a destination, nothing is read")
    reading.take(DatabaseReading.Source(store: "store", destination: "map"))
    #expect(reading.others(at: start).isEmpty)
    try await wait(for: "the first reading") { !reading.others(at: start).isEmpty }
    #expect(reading.others(at: at(9.9)).map(\.name) == ["B"])
    #expect(count == 1)
    try await ask(reading, at: 10, upTo: 2)
    try await ask(reading, at: 20, upTo: 3)
    #expect(log.withLock { $0 } == ["place of a gateway skipped C"])
    reading.take(DatabaseReading.Source(store: "store", destination: "removed"))
    #expect(reading.others(at: at(30)).isEmpty)
    reading.take(nil)
    #expect(reading.others(at: at(40)).isEmpty)
    #expect(count == 3)
  }

  @Test func `if the database denies a read, this is logged once, and the positions expire`()
    async throws
  {
    let reading = reading()
    reading.take(DatabaseReading.Source(store: "store", destination: "map"))
    try await wait(for: "the first reading") { !reading.others(at: start).isEmpty }
    database.isClosed.withLock { $0 = true }
    for number in 1...3 { try await ask(reading, at: 10 * Double(number), upTo: number + 1) }
    try await wait(for: "the warning") { log.withLock { $0.count } >= 2 }
    #expect(
      log.withLock { $0 } == [
        "place of a gateway skipped C", "cannot read the positions of the other gateways",
      ])
    #expect(reading.others(at: at(30)).map(\.name) == ["B"])
    #expect(reading.others(at: at(3_600)) == [])
  }
}
