import Coding
@testable import Upload
import Foundation
import HTTPClient
import UploadProtocol
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

/// Signing in with a stub, because no emulator exists for the sign-in services.
@Suite(.realTime) struct SignInTests {
  private let folder: TemporaryFolder
  private let client: HTTPClient

  init() throws {
    folder = try TemporaryFolder()
    client = try HTTPClient()
  }

  // MARK: Service account

  @Test func `a service account signs in with its assertion, and its token is reused`()
    async throws
  {
    let stub = try await Stub(["public_key": try await makeKey(), "seconds": 3_599])
    let access = access(to: stub, ServiceAccountSignIn(file: try keyFile(stub), exchange: client))
    for _ in 0..<3 {
      let found = try await access.query(FirestoreQuery(collection: "records"))
      #expect(found.isEmpty)
    }
    let database = "/v1/projects/demo/databases/(default)/documents:runQuery 200"
    #expect(await stub.requests(4) == ["/token 200", database, database, database])
  }

  @Test func `a service account reads definitions from a document's fields`() async throws {
    let fields: [String: Any] = [
      "updated_at": ["timestampValue": "2026-05-04T09:30:00Z"],
      "chunk_size": ["integerValue": "2000"],
      "hazards": ["arrayValue": ["values": [["stringValue": "Low branch"]]]],
      "sensors": [
        "arrayValue": [
          "values": [
            [
              "mapValue": [
                "fields": [
                  "signal": ["stringValue": "acceleration"], "rate": ["doubleValue": 12.5],
                ]
              ]
            ]
          ]
        ]
      ],
      "site": [
        "mapValue": [
          "fields": ["place": ["geoPointValue": ["latitude": 47.5, "longitude": 8.25]]]
        ]
      ],
      "upload": ["mapValue": [String: Any]()],
      // A value of a type from a later version must not look like an omitted member.
      "boards": ["tensorValue": [1, 2]],
    ]
    let stub = try await Stub([
      "public_key": try await makeKey(), "documents": ["gateway_config/G": fields],
    ])
    let access = access(to: stub, ServiceAccountSignIn(file: try keyFile(stub), exchange: client))
    let found = try await FirestoreDefinitions(access, gateway: "G").fetch(unless: nil)
    let text =
      #"{"format":1,"boards":false,"chunk_size":2000,"hazards":["Low branch"],"#
      + #""sensors":[{"rate":12.5,"signal":"acceleration"}],"#
      + #""site":{"place":{"latitude":47.5,"longitude":8.25}},"#
      + #""updated_at":"2026-05-04T09:30:00.000000Z","upload":{}}"#
    #expect(found == .found(Array(text.utf8), tag: nil))
    let none = try await FirestoreDefinitions(access, gateway: "H").fetch(unless: nil)
    guard case .none(let words) = none else {
      Issue.record("\(none)")
      return
    }
    #expect(words.contains("not found"), "\(words)")
    let wrong = try await Stub(["public_key": path("public.pem"), "status": 500])
    let broken = self.access(
      to: wrong, ServiceAccountSignIn(file: try keyFile(wrong), exchange: client))
    await #expect(throws: Setback.self) {
      try await FirestoreDefinitions(broken, gateway: "G").fetch(unless: nil)
    }
  }

  @Test func `concurrent requests share a single sign-in`() async throws {
    let stub = try await Stub(["public_key": try await makeKey()])
    let access = access(to: stub, ServiceAccountSignIn(file: try keyFile(stub), exchange: client))
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (try? await access.query(FirestoreQuery(collection: "records"))) != nil
        }
      }
      for await isAnswered in group { #expect(isAnswered) }
    }
    let requests = await stub.requests(9)
    #expect(requests.count { $0.hasPrefix("/token") } == 1)
  }

  @Test func `the error for a rejected assertion blames the clock, not the key`()
    async throws
  {
    // The server's clock is an hour ahead.
    let stub = try await Stub(["public_key": try await makeKey(), "clock": 3_600])
    let keeper = TokenKeeper(ServiceAccountSignIn(file: try keyFile(stub), exchange: client))
    let setback = await #expect(throws: Setback.self) { try await keeper.token() }
    #expect(setback?.kind == .wrongClock)
    #expect(setback?.remedy.contains("clock") == true)
  }

  @Test func `a token that the database no longer accepts is replaced once`() async throws {
    let stub = try await Stub(["public_key": try await makeKey(), "reject_first": true])
    let access = access(to: stub, ServiceAccountSignIn(file: try keyFile(stub), exchange: client))
    let found = try await access.query(FirestoreQuery(collection: "records"))
    #expect(found.isEmpty)
    let database = "/v1/projects/demo/databases/(default)/documents:runQuery"
    #expect(
      await stub.requests(4) == [
        "/token 200", database + " 401", "/token 200", database + " 200",
      ])
  }

  @Test func `openssl verifies the assertion's signature`() async throws {
    let publicKey = try await makeKey()
    let stub = try await Stub(["public_key": publicKey])
    let key = try ServiceAccountKey(try keyFile(stub).text())
    let assertion = try key.assertion(at: 1_700_000_000)
    let parts = assertion.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    #expect(!assertion.contains("="))
    let claims = try #require(Base64.decode(parts[1]))
    #expect(
      String(decoding: claims, as: UTF8.self)
        == #"{"iss":"gateway@demo.iam.gserviceaccount.com","#
        + #""scope":"https://www.googleapis.com/auth/datastore","#
        + #""aud":"http://127.0.0.1:\#(stub.port)/token","iat":1700000000,"exp":1700003600}"#)
    try Data(try #require(Base64.decode(parts[2]))).write(to: URL(filePath: path("signature")))
    try Data((parts[0] + "." + parts[1]).utf8).write(to: URL(filePath: path("text")))
    let outcome = try await openssl(
      "dgst", "-sha256", "-verify", publicKey, "-signature", path("signature"), path("text"))
    #expect(outcome.output == "Verified OK\n")
  }

  @Test(arguments: [
    ("not JSON", "it is not JSON"), (#"{"type":"authorized_user"}"#, "its 'type' is not"),
    (#"{"type":"service_account"}"#, "it has no 'client_email'"),
    (
      #"{"type":"service_account","client_email":"e","private_key_id":"k","token_uri":"#
        + #""http://example.org/token","private_key":"SECRET"}"#, "does not begin with https://"
    ),
    (
      #"{"type":"service_account","client_email":"e","private_key_id":"k","token_uri":"#
        + #""https://example.org/token","private_key":"SECRET"}"#, "the private key is not in PEM"
    ),
  ])
  func `an invalid key file is rejected, and the error does not quote its private key`(
    _ text: String, _ words: String
  ) throws {
    let setback = #expect(throws: Setback.self) { try ServiceAccountKey(text) }
    #expect(setback?.kind == .rejected)
    #expect(setback?.reason.contains(words) == true)
    #expect(setback?.reason.contains("SECRET") == false)
  }

  @Test(arguments: [(500, Setback.Kind.unavailable), (429, .unavailable), (403, .rejected)])
  func `a sign-in server that fails or refuses a sign-in is reported`(
    _ status: Int, _ kind: Setback.Kind
  ) async throws {
    let stub = try await Stub(["public_key": try await makeKey(), "status": status])
    let account = TokenKeeper(ServiceAccountSignIn(file: try keyFile(stub), exchange: client))
    let login = TokenKeeper(try passwordSignIn(stub))
    for keeper in [account, login] {
      let setback = await #expect(throws: Setback.self) { try await keeper.token() }
      #expect(setback?.kind == kind)
    }
  }

  // MARK: E-mail and password

  @Test func `signing in by e-mail returns the user's id, and the token is reused`() async throws {
    let stub = try await Stub(["email": "ada@example.org", "password": "pässword &", "uid": "Ada1"])
    let keeper = TokenKeeper(try passwordSignIn(stub))
    let token = try await keeper.token()
    #expect(token.account == "Ada1")
    #expect(try await keeper.token() == token)
    #expect(
      await stub.requests(1) == [
        "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword 200"
      ])
  }

  @Test func `the next token is requested with a refresh token instead of the password`()
    async throws
  {
    // The token's lifetime is so short that every request needs a new token.
    let stub = try await Stub([
      "email": "ada@example.org", "password": "pässword &", "seconds": 0.000_001,
    ])
    let keeper = TokenKeeper(try passwordSignIn(stub))
    for _ in 0..<3 { #expect(try await keeper.token().account == "uid") }
    #expect(
      await stub.requests(3) == [
        "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword 200",
        "/securetoken.googleapis.com/v1/token 200", "/securetoken.googleapis.com/v1/token 200",
      ])
  }

  @Test func `after the refresh token has expired, the user's password is used again`() async throws
  {
    let stub = try await Stub([
      "email": "ada@example.org", "password": "pässword &", "seconds": 0.000_001,
      "refresh_expired": true,
    ])
    let keeper = TokenKeeper(try passwordSignIn(stub))
    for _ in 0..<2 { #expect(try await keeper.token().account == "uid") }
    #expect(
      await stub.requests(3) == [
        "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword 200",
        "/securetoken.googleapis.com/v1/token 400",
        "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword 200",
      ])
  }

  @Test(arguments: [
    ("INVALID_PASSWORD", Setback.Kind.rejected), ("INVALID_LOGIN_CREDENTIALS", .rejected),
    ("USER_DISABLED", .rejected), ("TOO_MANY_ATTEMPTS_TRY_LATER : Access disabled", .unavailable),
    ("SOMETHING_NEW", .rejected),
  ])
  func `a rejected password is reported but never shown`(
    _ word: String, _ kind: Setback.Kind
  ) async throws {
    let stub = try await Stub([
      "email": "ada@example.org", "password": "another", "refusal": word,
    ])
    let keeper = TokenKeeper(try passwordSignIn(stub))
    let setback = await #expect(throws: Setback.self) { try await keeper.token() }
    #expect(setback?.kind == kind)
    let words = "\(String(describing: setback))"
    for secret in ["pässword", "api key", "ada@example.org"] { #expect(!words.contains(secret)) }
  }

  @Test func `a login file without a password is rejected`() async throws {
    try write(#"{"email":"e"}"#, to: "login.json")
    let keeper = TokenKeeper(
      PasswordSignIn(
        file: SecretFile(path("login.json")), endpoints: FirestoreEndpoints(), exchange: client))
    let setback = await #expect(throws: Setback.self) { try await keeper.token() }
    #expect(setback?.reason == "the login file contains no 'password'")
  }

  @Test func `without credentials, only an emulator can be used`() async throws {
    let place = FirestorePlace(project: "demo", layout: .compact, gateway: "G")
    let account = FirestoreAccount(place, .none, over: client, environment: [:])
    let failure = await #expect(throws: FirestoreFailure.self) { try await account.user() }
    #expect(failure?.setback.kind == .rejected)
    let emulated = FirestoreAccount(
      place, .none, over: client, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
    #expect(try await emulated.user() == "G")
  }

  // MARK: Parts

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: path(name))
  }

  private func openssl(_ arguments: String...) async throws -> Program.Outcome {
    let outcome = try await Program.run(
      try #require(ChildProcess.locate("openssl")), arguments)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome
  }

  /// Creates a private key, and returns the path of its public key.
  private func makeKey() async throws -> String {
    _ = try await openssl(
      "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out",
      path("private.pem"))
    _ = try await openssl("pkey", "-in", path("private.pem"), "-pubout", "-out", path("public.pem"))
    return path("public.pem")
  }

  /// Returns the key file of a service account whose tokens a stub issues.
  private func keyFile(_ stub: Stub) throws -> SecretFile {
    let pem = (try? String(contentsOfFile: path("private.pem"), encoding: .utf8)) ?? ""
    let json: JSONValue = [
      "type": "service_account", "project_id": "demo", "private_key_id": "the-key",
      "private_key": .string(pem), "client_email": "gateway@demo.iam.gserviceaccount.com",
      "token_uri": .string("http://127.0.0.1:\(stub.port)/token"),
    ]
    try write(json.text, to: "key.json")
    return SecretFile(path("key.json"))
  }

  private func passwordSignIn(_ stub: Stub) throws -> PasswordSignIn {
    try write(
      #"{"email":"ada@example.org","password":"pässword &","api_key":"api key"}"#,
      to: "login.json")
    return PasswordSignIn(
      file: SecretFile(path("login.json")),
      endpoints: FirestoreEndpoints(
        environment: ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:\(stub.port)"]), exchange: client)
  }

  private func access(to stub: Stub, _ grants: any TokenGrants) -> FirestoreAccess {
    var endpoints = FirestoreEndpoints()
    endpoints.firestore = "http://127.0.0.1:\(stub.port)/v1/"
    return FirestoreAccess(
      FirestoreDatabase(project: "demo", database: "(default)"), endpoints: endpoints,
      signIn: TokenKeeper(grants), over: client)
  }
}

/// A stub of the sign-in services whose responses follow a plan (`stub.py`).
final class Stub: Sendable {
  let port: UInt16
  private let program: Program

  init(_ plan: [String: Any]) async throws {
    let text = String(decoding: try JSONSerialization.data(withJSONObject: plan), as: UTF8.self)
    program = try Program("/usr/bin/python3", [Emulator.script("stub.py"), text])
    let line = try #require(await program.line(), "the stub did not start")
    port = try #require(UInt16(line))
  }

  /// Waits until the stub has received this many requests. Returns the requests and the responses.
  func requests(_ count: Int) async -> [String] {
    _ = await happens { program.lines.count > count }
    return Array(program.lines.dropFirst())
  }
}
