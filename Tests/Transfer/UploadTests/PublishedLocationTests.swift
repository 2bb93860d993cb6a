import HTTPClient
import LinuxSystem
import TestSupport
import Testing
import Upload
import Values

/// The positions of other gateways in a Firestore database.
@Suite(.computation) struct PublishedLocationTests {
  /// Answers every query with these documents, read at ten past nine.
  private final class Database: HTTPExchange {
    private let documents: [String]
    let queries = Guarded<[String]>([])

    init(_ documents: [String]) {
      self.documents = documents
    }

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
      guard request.url.hasSuffix("/documents:runQuery") else { return HTTPResponse(status: 404) }
      queries.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
      let time = #""readTime":"2026-05-04T09:10:00.250000Z""#
      let answers = documents.map { #"{"document":\#($0),\#(time)}"# }
      let body = answers.isEmpty ? "{\(time)}" : answers.joined(separator: ",")
      return HTTPResponse(status: 200, body: Array("[\(body)]".utf8))
    }
  }

  private static func document(
    _ id: String, _ change: (inout [String: String]) -> Void = { _ in }
  ) -> String {
    var fields = [
      "user_id": #"{"stringValue":"Bea"}"#, "gateway": #"{"stringValue":"trolley"}"#,
      "latitude": #"{"doubleValue":48.25}"#, "longitude": #"{"integerValue":"-16"}"#,
      "fix_time": #"{"timestampValue":"2026-05-04T09:09:58Z"}"#,
      "updated_at": #"{"timestampValue":"2026-05-04T09:09:59Z"}"#,
      "expires_at": #"{"timestampValue":"2026-05-04T09:10:59.250Z"}"#,
    ]
    change(&fields)
    let members = fields.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
    let root = "projects/demo/databases/(default)/documents"
    return #"{"name":"\#(root)/locations/\#(id)","fields":{\#(members)}}"#
  }

  private func locations(_ database: Database) -> PublishedLocations {
    PublishedLocations(
      in: FirestorePlace(project: "demo", layout: .researchers, gateway: "OWN"),
      credentials: .none, over: database,
      environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
  }

  @Test func `a position's age is the age of its fix when the database read it`() async throws {
    let database = Database([Self.document("OWN"), Self.document("A")])
    let found = try await locations(database).read().found
    let place = try #require(found.first)
    #expect(found.count == 1 && place.name == "trolley" && place.validity == 59)
    #expect(place.latitude == 48.25 && place.longitude == -16)
    #expect(abs(place.age - 2.25) < 1e-6)
    let query = try #require(database.queries.withLock { $0.first })
    for part in [
      #""collectionId":"locations""#, #""direction":"DESCENDING""#, #""fieldPath":"updated_at""#,
      #""limit":100"#,
    ] {
      #expect(query.contains(part), "\(query)")
    }
  }

  @Test func `expired positions are left out, and unreadable documents are named`() async throws {
    let database = Database([
      Self.document("A") { $0["gateway"] = nil },
      Self.document("B") { $0["gateway"] = #"{"stringValue":"\u001b[2J"}"# },
      Self.document("C") { $0["expires_at"] = #"{"timestampValue":"2026-05-04T09:10:00Z"}"# },
      Self.document("D") { $0["fix_time"] = nil },
      Self.document("E") { $0["fix_time"] = #"{"timestampValue":"2026-05-04T09:10:06Z"}"# },
      Self.document("F") { $0["latitude"] = #"{"doubleValue":90.1}"# },
      Self.document("G") { $0["longitude"] = #"{"doubleValue":"NaN"}"# },
      Self.document("H") { $0["expires_at"] = #"{"doubleValue":1}"# },
      Self.document("I") { $0["mood"] = #"{"moodValue":"good"}"# },
    ])
    let read = try await locations(database).read()
    #expect(read.found.map(\.name) == ["A", "B"])
    #expect(
      read.unreadable.map { "\($0.name): \($0.reason)" } == [
        "D: 'fix_time' is missing", "E: 'fix_time' is in the future",
        "F: 'latitude' is out of range", "G: 'longitude' is not a finite number",
        "H: 'expires_at' is not a time", "I: a field has an unknown type",
      ])
  }

  @Test func `a database without positions is read without an error`() async throws {
    let read = try await locations(Database([])).read()
    #expect(read.found == [] && read.unreadable == [])
  }
}
