@testable import Upload
import HTTPClient
import LinuxSystem
import TestSupport
import Testing
import Values

/// Definitions whose studies and tasks are separate documents.
@Suite(.computation) struct FirestoreStudiesTests {
  private static let database = FirestoreDatabase(project: "demo", database: "(default)")

  /// A database in memory that records the calls it answers.
  private final class Database: HTTPExchange {
    private let documents: [FirestoreDocument]
    private let noted = Guarded<[String]>([])

    init(_ documents: [FirestoreDocument]) {
      self.documents = documents
    }

    var calls: [String] { noted.withLock { $0 } }

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
      let path = request.url.text(after: "/documents")
      noted.withLock { $0.append(path) }
      let body = try? JSON(parsing: request.body)
      if path == ":batchGet" {
        let names = Set((body?["documents"]?.list ?? []).compactMap(\.text))
        // The service sends the documents in any order.
        return Self.answer(
          documents.reversed().filter { names.contains(database.name($0.path)) }, as: "found")
      }
      if path.hasSuffix(":runQuery") {
        let query = body?["structuredQuery"]
        let collection = query?["from"]?.list?.first?["collectionId"]?.text ?? ""
        let parent = path.dropLast(":runQuery".count) + "/" + collection
        let found = documents.filter { "/" + $0.path.dropLast().joined(separator: "/") == parent }
        return Self.answer(Array(found.prefix(query?["limit"]?.integer ?? .max)), as: "document")
      }
      guard let document = documents.first(where: { "/" + $0.path.joined(separator: "/") == path })
      else { return HTTPResponse(status: 404) }
      return HTTPResponse(status: 200, body: Self.json(document))
    }

    private static func answer(_ documents: [FirestoreDocument], as member: String) -> HTTPResponse
    {
      let answers = documents.map {
        #"{"\#(member)":"# + String(decoding: json($0), as: UTF8.self) + "}"
      }
      return HTTPResponse(status: 200, body: Array("[\(answers.joined(separator: ","))]".utf8))
    }

    private static func json(_ document: FirestoreDocument) -> [UInt8] {
      var text = JSONBytes()
      text.append(#"{"name":"#)
      text.append(quoted: database.name(document.path))
      text.append(#","fields":"#)
      text.append(document.fields)
      text.append("}")
      return text.bytes
    }
  }

  private static func document(_ path: String, _ fields: FirestoreField...) -> FirestoreDocument {
    FirestoreDocument(path: path.split(separator: "/").map(String.init), fields: fields)
  }

  private static func named(_ path: String, _ more: FirestoreField...) -> FirestoreDocument {
    let id = path.split(separator: "/").last.map(String.init) ?? ""
    return FirestoreDocument(
      path: path.split(separator: "/").map(String.init),
      fields: [FirestoreField("name", .string("the \(id)"))] + more)
  }

  private static func references(_ name: String, _ paths: String...) -> FirestoreField {
    FirestoreField(name, .array(paths.map { .reference("\(database.root)/\($0)") }))
  }

  private func fetch(_ database: Database) async throws(Setback) -> FetchedDefinitions {
    try await FirestoreDefinitions(
      in: FirestorePlace(project: "demo", layout: .compact, gateway: "G"), credentials: .none,
      over: database, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"]
    ).fetch(unless: nil)
  }

  private func text(_ documents: FirestoreDocument...) async throws -> String? {
    guard case .found(let bytes, tag: nil) = try await fetch(Database(documents)) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `references to studies and tasks are replaced with their documents, in order`()
    async throws
  {
    let text = try await text(
      Self.document(
        "gateway_config/G", Self.references("studies", "studies/gait", "studies/empty")),
      Self.named("studies/gait", FirestoreField("id", .string("gait-2"))),
      Self.named("studies/empty"),
      // Blocks without a number come last, and blocks with the same number are ordered by id.
      Self.named("studies/gait/blocks/a", Self.references("tasks", "tasks/walk")),
      Self.named("studies/gait/blocks/c", FirestoreField("order", .integer(1))),
      Self.named(
        "studies/gait/blocks/b", FirestoreField("order", .double(1)),
        Self.references("tasks", "tasks/tug", "tasks/walk", "tasks/tug")),
      Self.named("studies/gait/blocks/d", FirestoreField("order", .integer(-1))),
      Self.named("tasks/walk", FirestoreField("id", .integer(7))),
      Self.named(
        "tasks/tug", FirestoreField("id", .string("TUG")), FirestoreField("seconds", .integer(30))),
      Self.named("tasks/other"))
    #expect(
      text == #"{"format":1,"studies":[{"blocks":[{"id":"d","name":"the d"},"#
        + #"{"id":"b","name":"the b","tasks":["TUG","walk","TUG"]},{"id":"c","name":"the c"},"#
        + #"{"id":"a","name":"the a","tasks":["walk"]}],"id":"gait-2","name":"the gait"},"#
        + #"{"blocks":[],"id":"empty","name":"the empty"}],"#
        + #""tasks":[{"id":"TUG","name":"the tug","seconds":30},{"id":"walk","name":"the walk"}]}"#)
  }

  @Test func `inline studies and tasks remain, and references inside them are replaced`()
    async throws
  {
    let block = FirestoreValue.map([
      FirestoreField("id", .string("b")),
      FirestoreField(
        "tasks",
        .array([
          .string("sit"), .reference("\(Self.database.root)/tasks/tug"),
          .reference("\(Self.database.root)/tasks/walk"),
        ])),
    ])
    let text = try await text(
      Self.document(
        "gateway_config/G",
        FirestoreField(
          "studies", .array([.map([FirestoreField("blocks", .array([block]))]), .string("?")])),
        FirestoreField(
          "tasks",
          .array([
            .reference("\(Self.database.root)/tasks/walk"),
            .map([FirestoreField("id", .string("sit"))]),
          ]))),
      Self.named("tasks/tug"), Self.named("tasks/walk"))
    #expect(
      text == #"{"format":1,"studies":[{"blocks":[{"id":"b","tasks":["sit","tug","walk"]}]},"?"],"#
        + #""tasks":[{"id":"walk","name":"the walk"},{"id":"sit"},{"id":"tug","name":"the tug"}]}"#)
  }

  @Test func `values that are not arrays are kept, so that they are rejected later`()
    async throws
  {
    let text = try await text(
      Self.document(
        "gateway_config/G", Self.references("studies", "studies/a", "studies/b"),
        FirestoreField("tasks", .string("tug"))),
      Self.named("studies/a", FirestoreField("blocks", .integer(3))),
      Self.named("studies/b"),
      Self.named("studies/b/blocks/b", FirestoreField("tasks", .string("tug"))))
    #expect(
      text == #"{"format":1,"studies":[{"blocks":3,"id":"a","name":"the a"},"#
        + #"{"blocks":[{"id":"b","name":"the b","tasks":"tug"}],"id":"b","name":"the b"}],"#
        + #""tasks":"tug"}"#)
  }

  @Test
  func `definitions without references need one call, and other definitions need a few`()
    async throws
  {
    let plain = Database([
      Self.document("gateway_config/G", FirestoreField("chunk_size", .integer(2_000)))
    ])
    _ = try await fetch(plain)
    #expect(plain.calls == ["/gateway_config/G"])
    let tasks = (0..<200).map { "tasks/\($0)" }
    let full = Database(
      [
        Self.document(
          "gateway_config/G", Self.references("studies", "studies/a", "studies/b", "studies/a")),
        Self.named("studies/a"), Self.named("studies/b"),
        Self.document(
          "studies/b/blocks/b",
          FirestoreField("tasks", .array(tasks.map { .reference("\(Self.database.root)/\($0)") }))),
      ] + tasks.map { Self.named($0) })
    _ = try await fetch(full)
    #expect(
      full.calls == [
        "/gateway_config/G", ":batchGet", "/studies/a:runQuery", "/studies/b:runQuery", ":batchGet",
        ":batchGet",
      ])
  }

  struct Case: Sendable, CustomStringConvertible {
    var reason: String
    var documents: [FirestoreDocument]

    init(_ reason: String, _ documents: FirestoreDocument...) {
      self.reason = reason
      self.documents = documents
    }

    var description: String { reason }
  }

  private static func gateway(_ name: String, _ values: [FirestoreValue]) -> FirestoreDocument {
    document("gateway_config/G", FirestoreField(name, .array(values)))
  }

  private static let foreign = "projects/other/databases/(default)/documents/tasks/tug"

  @Test(arguments: [
    Case(
      "the definitions refer to tasks/tug, which does not exist",
      document("gateway_config/G", references("studies", "studies/gait")), named("studies/gait"),
      named("studies/gait/blocks/b", references("tasks", "tasks/walk", "tasks/tug")),
      named("tasks/walk")),
    Case(
      "the definitions refer to studies/gait, which does not exist",
      document("gateway_config/G", references("studies", "studies/gait")),
      named("studies/gait/blocks/b")),
    Case(
      "the definitions refer to \(foreign), which is not a document in this database",
      gateway("tasks", [.reference(foreign)])),
    Case(
      "the definitions refer to \(database.root)/tasks, which is not a document in this database",
      document("gateway_config/G", references("tasks", "tasks"))),
    Case(
      "the definitions refer to \(database.root)/, which is not a document in this database",
      document("gateway_config/G", references("tasks", ""))),
    Case(
      "'studies' has more than 20 entries",
      gateway("studies", Array(repeating: .map([]), count: 21))),
    Case(
      "'studies[1]' has more than 100 blocks",
      gateway(
        "studies",
        [
          .map([]),
          .map([FirestoreField("blocks", .array(Array(repeating: .map([]), count: 101)))]),
        ])),
    Case(
      "the definitions have more than 200 tasks",
      gateway("tasks", (0...200).map { .reference("\(database.root)/tasks/\($0)") })),
  ])
  func `an invalid reference or too many entries cause the whole pull to fail`(_ one: Case)
    async
    throws
  {
    let database = Database(one.documents)
    let setback = await #expect(throws: Setback.self) { try await fetch(database) }
    #expect(setback?.kind == .rejected)
    #expect(setback?.reason == one.reason)
    #expect(setback?.remedy.isEmpty == false)
  }

  @Test func `a study with more than 100 blocks is rejected`() async throws {
    let database = Database(
      [
        Self.document("gateway_config/G", Self.references("studies", "studies/a")),
        Self.named("studies/a"),
      ]
        + (0..<150).map { Self.named("studies/a/blocks/\($0)") })
    let setback = await #expect(throws: Setback.self) { try await fetch(database) }
    #expect(setback?.reason == "'studies[0]' has more than 100 blocks")
  }

  @Test func `a study that refers to itself as a task is read without a loop`() async throws {
    let text = try await text(
      Self.document("gateway_config/G", Self.references("studies", "studies/a")),
      Self.named("studies/a"),
      Self.named("studies/a/blocks/b", Self.references("tasks", "studies/a")))
    #expect(
      text == #"{"format":1,"studies":[{"blocks":[{"id":"b","name":"the b","tasks":["a"]}],"#
        + #""id":"a","name":"the a"}],"tasks":[{"id":"a","name":"the a"}]}"#)
  }

  @Test func `an unknown type in a study's document is not mistaken for an omitted field`() {
    let fields = [FirestoreField](
      ofDefinitions: [
        "name": .object(["tensorValue": .number(1)]),
        "order": .object(["integerValue": .text("2")]),
      ], id: "a")
    #expect(
      fields == [
        FirestoreField("id", .string("a")), FirestoreField("name", .bool(false)),
        FirestoreField("order", .integer(2)),
      ])
  }
}

extension String {
  /// Returns the text after the first occurrence of `mark`, or an empty string if there is none.
  fileprivate func text(after mark: String) -> String {
    guard let range = firstRange(of: mark) else { return "" }
    return String(self[range.upperBound...])
  }
}
