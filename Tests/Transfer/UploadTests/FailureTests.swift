@testable import Upload
import HTTPClient
import TestSupport
import Testing
import Values

@Suite(.computation) struct FailureTests {
  struct Case: Sendable, CustomStringConvertible {
    var http: Int
    var status: String?
    var verdict: String
    var fields: [HTTPRequest.Field] = []
    var rest: Double?

    var description: String { "\(http) \(status ?? "without JSON")" }
  }

  @Test(arguments: [
    Case(http: 409, status: "ABORTED", verdict: "unavailable"),
    Case(http: 409, status: "ALREADY_EXISTS", verdict: "exists"),
    Case(http: 409, verdict: "unavailable"),
    Case(http: 503, status: "UNAVAILABLE", verdict: "unavailable"),
    Case(
      http: 503, status: "UNAVAILABLE", verdict: "unavailable",
      fields: [HTTPRequest.Field("retry-after", "7")], rest: 7),
    Case(
      http: 503, verdict: "unavailable",
      fields: [HTTPRequest.Field("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], rest: 37),
    Case(http: 504, status: "DEADLINE_EXCEEDED", verdict: "unavailable"),
    Case(http: 429, status: "RESOURCE_EXHAUSTED", verdict: "unavailable", rest: 60),
    Case(
      http: 429, status: "RESOURCE_EXHAUSTED", verdict: "unavailable",
      fields: [HTTPRequest.Field("retry-after", "900")], rest: 900),
    Case(http: 429, verdict: "unavailable", rest: 60),
    Case(http: 500, status: "INTERNAL", verdict: "faulty"),
    Case(http: 500, status: "UNKNOWN", verdict: "faulty"),
    Case(http: 499, status: "CANCELLED", verdict: "unavailable"),
    Case(http: 401, status: "UNAUTHENTICATED", verdict: "unauthenticated"),
    Case(http: 403, status: "PERMISSION_DENIED", verdict: "forbidden"),
    Case(http: 404, status: "NOT_FOUND", verdict: "absent"),
    Case(http: 400, status: "FAILED_PRECONDITION", verdict: "refused"),
    Case(http: 400, status: "INVALID_ARGUMENT", verdict: "refused"),
    Case(http: 400, status: "OUT_OF_RANGE", verdict: "refused"),
    Case(http: 501, status: "UNIMPLEMENTED", verdict: "rejected"),
    Case(http: 502, verdict: "unavailable"), Case(http: 500, verdict: "unavailable"),
    Case(http: 507, verdict: "unavailable"), Case(http: 408, verdict: "unavailable"),
    Case(http: 413, verdict: "refused"), Case(http: 302, verdict: "rejected"),
    Case(http: 418, verdict: "rejected"),
  ])
  func `a response's status determines its meaning`(_ one: Case) throws {
    let body = one.status.map {
      #"{"error":{"code":\#(one.http),"message":"words","status":"\#($0)"}}"#
    }
    let now = try #require(UTCTime(iso8601: "1994-11-06T08:49:00Z"))
    // In a streaming call, the error is wrapped in an array.
    for body in [body ?? "<html>", body.map { "[\($0)]" } ?? ""] {
      let response = HTTPResponse(status: one.http, fields: one.fields, body: Array(body.utf8))
      let failure = try #require(FirestoreFailure(response, now: now))
      #expect(Self.word(failure) == one.verdict)
      if case .setback(let setback) = failure { #expect(setback.rest == one.rest) }
    }
  }

  @Test func `a success response is not treated as a failure`() {
    #expect(FirestoreFailure(HTTPResponse(status: 200), now: UTCTime(nanoseconds: 0)) == nil)
  }

  private static func word(_ failure: FirestoreFailure) -> String {
    switch failure {
    case .setback(let setback): "\(setback.kind)"
    case .exists: "exists"
    case .absent: "absent"
    case .forbidden: "forbidden"
    case .refused(let words): words.isEmpty ? "nothing" : "refused"
    case .unauthenticated: "unauthenticated"
    }
  }
}
