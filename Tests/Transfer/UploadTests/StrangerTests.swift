@testable import Upload
import Foundation
import HTTPClient
import LinuxSystem
import TestSupport
import Testing

/// Responses that do not come from Firestore, or that reveal secrets.
@Suite(.computation) struct StrangerTests {
  /// Answers each request with the next response in a list, and then repeats the last one.
  private final class Script: HTTPExchange {
    private let answers: [HTTPResponse]
    private let asked = Guarded(0)

    init(_ answers: HTTPResponse...) {
      self.answers = answers
    }

    var count: Int { asked.withLock { $0 } }

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      return answers[min(number, answers.count) - 1]
    }
  }

  /// A sign-in that always returns the same user token.
  private struct Known: SignIn {
    func token() async throws(Setback) -> BearerToken {
      BearerToken(text: "hidden-token", account: "Ada")
    }
    func reject(_ token: BearerToken) {}
  }

  private static func answer(_ status: Int, _ body: String) -> HTTPResponse {
    HTTPResponse(status: status, body: Array(body.utf8))
  }

  private func access(_ exchange: any HTTPExchange) -> FirestoreAccess {
    FirestoreAccess(
      FirestoreDatabase(project: "demo", database: "(default)"), endpoints: FirestoreEndpoints(),
      signIn: Known(), over: exchange)
  }

  private func destination(_ exchange: any HTTPExchange) -> FirestoreDestination {
    FirestoreDestination(
      FirestorePlace(project: "demo", layout: .compact, gateway: "G"), credentials: .none,
      over: exchange, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
  }

  private let write = FirestoreWrite(
    .create(FirestoreDocument(path: ["chunks", "A"], fields: [])))

  private static func committed(_ count: Int, at time: String) -> String {
    let results = Array(repeating: "{}", count: count).joined(separator: ",")
    return #"{"writeResults":[\#(results)],"commitTime":"\#(time)"}"#
  }

  @Test(arguments: [
    "{}", "[]", "<html>Please log in</html>", "", #"{"writeResults":[]}"#,
    #"{"writeResults":[{}]}"#, #"{"error":{"code":7,"message":"no"}}"#,
    committed(1, at: "2026-11-21T07:12:31Z"), committed(3, at: "2026-11-21T07:12:31Z"),
  ])
  func `a Firestore commit is considered successful only if each of its changes has a result`(
    _ body: String
  ) async throws {
    let failure = await #expect(throws: FirestoreFailure.self) {
      try await access(Script(Self.answer(200, body))).commit([write, write])
    }
    #expect(failure?.setback.kind == .unavailable)
  }

  @Test
  func `a late response to the previous Firestore commit is not attributed to the current one`()
    async throws
  {
    let first = Self.answer(200, Self.committed(1, at: "2026-11-21T07:12:31.1Z"))
    let second = Self.answer(200, Self.committed(1, at: "2026-11-21T07:12:31.2Z"))
    let access = access(Script(first, first, second))
    try await access.commit([write])
    let failure = await #expect(throws: FirestoreFailure.self) { try await access.commit([write]) }
    #expect(failure?.setback.kind == .unavailable)
    try await access.commit([write])
    #expect(access.commitCount == 2)
  }

  @Test func `a response with a document that was not requested is an error`() async throws {
    let name = "projects/demo/databases/(default)/documents/chunks/B"
    let access = access(Script(Self.answer(200, #"{"name":"\#(name)","fields":{}}"#)))
    _ = try await access.read(["chunks", "B"], fields: [])
    await #expect(throws: FirestoreFailure.self) {
      try await access.read(["chunks", "A"], fields: [])
    }
  }

  @Test func `a query that fails midway is an error, although its status is 200`() async throws {
    let found = #"{"document":{"name":"projects/demo/databases/(default)/documents/chunks/B"}}"#
    let end = #"{"readTime":"2026-11-21T07:12:31Z"}"#
    let error = #"{"error":{"code":503,"status":"UNAVAILABLE","message":"try later"}}"#
    let query = FirestoreQuery(collection: "chunks")
    #expect(try await access(Script(Self.answer(200, "[\(end)]"))).found(query).isEmpty)
    #expect(try await access(Script(Self.answer(200, "[\(found),\(end)]"))).found(query).count == 1)
    for body in ["[\(error)]", "[\(found),\(error)]"] {
      let failure = await #expect(throws: FirestoreFailure.self) {
        try await access(Script(Self.answer(200, body))).found(query)
      }
      #expect(failure?.setback.reason == "the server answered UNAVAILABLE: try later")
      await #expect(throws: FirestoreFailure.self) {
        try await access(Script(Self.answer(200, body))).read([["chunks", "B"]])
      }
    }
  }

  @Test(arguments: [
    (400, "INVALID_ARGUMENT"), (403, "PERMISSION_DENIED"), (401, "UNAUTHENTICATED"),
    (500, "INTERNAL"),
  ])
  func `a token that the server repeats in its response is not shown`(
    _ status: Int, _ word: String
  ) async throws {
    let body =
      #"{"error":{"code":\#(status),"status":"\#(word)","message":"Bearer hidden-token is bad"}}"#
    let failure = await #expect(throws: FirestoreFailure.self) {
      try await access(Script(Self.answer(status, body))).commit([write])
    }
    let words = "\(String(describing: failure))\(String(describing: failure?.verdict))"
    #expect(words.contains("Bearer ************ is bad"))
    #expect(!words.contains("hidden"))
  }

  @Test func `a password that a sign-in server repeats in its response is not shown`() async throws
  {
    let folder = try TemporaryFolder()
    let file = try folder.secret(
      #"{"email":"ada@example.org","password":"hidden_password","api_key":"hidden_key"}"#)
    let exchange = Script(Self.answer(400, #"{"error":{"message":"hidden_password"}}"#))
    let signIn = PasswordSignIn(file: file, endpoints: FirestoreEndpoints(), exchange: exchange)
    let setback = await #expect(throws: Setback.self) { try await signIn.signIn() }
    #expect(setback?.reason.contains("status 400") == true)
    #expect(setback?.reason.contains("hidden") == false)
  }

  @Test func `a certificate that is not yet valid is reported as a clock problem`() {
    var error = TransferError(.untrusted, "the certificate is not valid yet")
    #expect(FirestoreFailure(error).setback.kind == .rejected)
    error.isAboutTheClock = true
    #expect(FirestoreFailure(error).setback.kind == .wrongClock)
  }

  @Test func `a Firestore commit that failed is not repeated for each of its chunks`() async throws
  {
    let body = #"{"error":{"code":500,"status":"INTERNAL","message":"sorry"}}"#
    let exchange = Script(Self.answer(500, body))
    let session = MadeSession(sizes: [20, 20])
    let chunks = Array(session.chunks.prefix(5))
    let verdicts = await destination(exchange).store(chunks, of: session)
    #expect(
      verdicts
        == chunks.map { _ in .failed(Setback(.faulty, "the server answered INTERNAL: sorry")) })
    #expect(exchange.count == 1)
  }

  @Test func `a destination does not use another user's login`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.secret(#"{"email":"Bob@example.org","password":"p","api_key":"k"}"#)
    #expect(try FirestorePlace.account(ofLogin: file) == "bob@example.org")
    #expect(
      try FirestorePlace.account(ofLogin: file, expecting: "bob@example.org") == "bob@example.org")
    let exchange = Script(Self.answer(200, "{}"))
    let signIn = PasswordSignIn(
      file: file, account: "alice@example.org", endpoints: FirestoreEndpoints(),
      exchange: exchange)
    let setback = await #expect(throws: Setback.self) { try await signIn.signIn() }
    #expect(setback?.kind == .rejected)
    #expect(setback?.reason.contains("does not belong to alice@example.org") == true)
    #expect(exchange.count == 0)
  }
}

extension TemporaryFolder {
  /// Returns a file that only its owner may read.
  fileprivate func secret(_ text: String) throws -> SecretFile {
    let file = path + "/login.json"
    try Data(text.utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    return SecretFile(file)
  }
}
