import HTTPClient
import TestSupport
import Testing
import Upload
import Values

/// The list of sessions' statistics in a Firestore database.
@Suite(.computation) struct HikeTests {
  /// Answers every request with these documents, and checks which collection it names.
  private struct Database: HTTPExchange {
    let documents: [String]

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
      let isQuery =
        request.url.hasSuffix("/documents/Users/Ada:runQuery")
        && String(decoding: request.body, as: UTF8.self).contains(#""collectionId":"Hikes""#)
      let body = "[" + documents.map { #"{"document":\#($0)}"# }.joined(separator: ",") + "]"
      return HTTPResponse(status: isQuery ? 200 : 404, body: Array(body.utf8))
    }
  }

  private static func document(_ number: Int, _ change: (inout [String: String]) -> Void = { _ in })
    -> String
  {
    // The documents are not listed in date order.
    let minute = number * 7 % 50 + 10
    var fields = [
      "date": #"{"timestampValue":"2026-05-04T09:\#(minute):00Z"}"#,
      "time": #"{"doubleValue":75.5}"#, "steps": #"{"integerValue":"\#(number)"}"#,
      "distance": #"{"doubleValue":812.25}"#, "positiveAltitudeChange": #"{"integerValue":"12"}"#,
      "negativeAltitudeChange": #"{"doubleValue":-3.5}"#,
      "netAltitudeChange": #"{"doubleValue":8.5}"#,
    ]
    change(&fields)
    let members = fields.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
    let root = "projects/demo/databases/(default)/documents"
    return #"{"name":"\#(root)/Users/Ada/Hikes/H\#(number)","fields":{\#(members)}}"#
  }

  private func hikes(_ documents: [String]) async throws -> (
    hikes: [Hike], unreadable: [UnreadableDocument]
  ) {
    try await FirestoreLibrary(
      FirestorePlace(project: "demo", layout: .researchers, gateway: "G"), credentials: .none,
      over: Database(documents: documents), user: "Ada",
      environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"]
    ).hikes()
  }

  @Test func `damaged documents are skipped with the reason, and all others are listed by date`()
    async throws
  {
    let documents = (0..<50).map { number in
      Self.document(number) { fields in
        switch number {
        case 3: fields["steps"] = nil
        case 13: fields["steps"] = #"{"stringValue":"many"}"#
        case 23: fields["distance"] = #"{"doubleValue":"NaN"}"#
        case 33: fields["mood"] = #"{"moodValue":"good"}"#
        case 43: fields["date"] = #"{"timestampValue":"yesterday"}"#
        default: break
        }
      }
    }
    let found = try await hikes(documents)
    #expect(found.hikes.count == 45)
    #expect(zip(found.hikes, found.hikes.dropFirst()).allSatisfy { $0.date < $1.date })
    let first = try #require(found.hikes.first)
    #expect(first.name == "H0" && first.date == UTCTime(iso8601: "2026-05-04T09:10:00Z"))
    #expect(first.seconds == 75.5 && first.steps == 0 && first.distance == 812.25)
    #expect(first.gain == 12 && first.loss == -3.5 && first.net == 8.5)
    #expect(
      found.unreadable.map { "\($0.name): \($0.reason)" } == [
        "H13: 'steps' is not a whole number", "H23: 'distance' is not a finite number",
        "H3: 'steps' is missing", "H33: a field has an unknown type",
        "H43: a field has an unknown type",
      ])
  }

  @Test func `a user without hikes has an empty list`() async throws {
    let found = try await hikes([])
    #expect(found.hikes == [] && found.unreadable == [])
  }
}
