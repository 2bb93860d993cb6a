import DiskFaults
import Gateway
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Upload
import Values

/// A source of definitions with scripted replies. The last reply is repeated.
final class ScriptedDefinitions: DefinitionsSource {
  typealias Answer = Result<FetchedDefinitions, Setback>

  private let answers: Guarded<[Answer]>
  /// The tags in the requests, in order.
  let tags = Guarded<[String?]>([])

  init(_ answers: [Answer]) {
    self.answers = Guarded(answers)
  }

  convenience init(_ answers: Answer...) { self.init(answers) }

  static func found(_ text: String, tag: String? = nil) -> Answer {
    .success(.found(Array(text.utf8), tag: tag))
  }

  func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions {
    tags.withLock { $0.append(tag) }
    return try answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }.get()
  }
}

/// Pulls of definitions into a store. After any failure, the store keeps the old set.
@Suite(.computation) struct DefinitionsPullTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path + "/store.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
    try Store.open(path: store).close()
    try add("home")
  }

  private func add(_ name: String) throws {
    let settings = DestinationSettings(.http(url: "https://\(name).example"))
    try StoreEditor(path: store).addDestination(
      named: name, place: settings.placeText, settings: settings.text,
      at: UTCTime(nanoseconds: 1))
  }

  /// Returns a pull from these sources, by destination name. Texts that begin with "good" are
  /// valid.
  private func pull(_ sources: [String: ScriptedDefinitions]) -> DefinitionsPull {
    DefinitionsPull(
      store: store,
      check: { bytes throws(DefinitionsPull.Fault) in
        guard bytes.starts(with: "good".utf8) else { throw DefinitionsPull.Fault("it is bad") }
      },
      source: { settings in
        guard case .http(let url) = settings.place else { return nil }
        return sources.first { url == "https://\($0.key).example" }?.value
      })
  }

  private var present: StoredDefinitions? {
    get throws { try StoreReader(path: store).definitions() }
  }

  @Test
  func
    `definitions are stored with their tag, which the next request repeats and the server confirms`()
    async throws
  {
    let source = ScriptedDefinitions(
      ScriptedDefinitions.found("good 1", tag: "\"a\""), .success(.unchanged),
      ScriptedDefinitions.found("good 2"))
    let first = try await pull(["home": source]).run(from: [])
    guard case .pulled(let set, isNew: true) = first else {
      Issue.record("\(first)")
      return
    }
    #expect(set.content == "good 1" && set.source == "home" && set.tag == "\"a\"")
    #expect(try present == set)
    guard case .pulled(let same, isNew: false) = try await pull(["home": source]).run(from: [])
    else {
      Issue.record("it is unchanged")
      return
    }
    #expect(same.content == "good 1" && same.pulled >= set.pulled)
    #expect(try present == same)
    guard case .pulled(let next, isNew: true) = try await pull(["home": source]).run(from: [])
    else {
      Issue.record("it is new")
      return
    }
    #expect(next.content == "good 2" && next.tag == nil)
    #expect(source.tags.withLock { $0 } == [nil, "\"a\"", "\"a\""])
  }

  @Test func `a definition set that is older than the stored one is used, but causes a warning`()
    async throws
  {
    func dated(_ day: Int?) -> String {
      day.map { #"{"updated_at": "2026-05-\#($0)T09:30:00Z"}"# } ?? "{}"
    }
    let days = [10, 11, 10, nil, nil, 12, 12]
    let source = ScriptedDefinitions(days.map { ScriptedDefinitions.found(dated($0)) })
    let doubts = Guarded<[String]>([])
    for day in days {
      let pull = DefinitionsPull(
        store: store, check: { _ in }, doubted: { why in doubts.withLock { $0.append(why) } },
        source: { _ in source })
      _ = try await pull.run(from: [])
      #expect(try present?.content == dated(day))
    }
    #expect(
      doubts.withLock { $0 } == [
        "the new set is dated 2026-05-10T09:30:00Z, and the previous set is dated "
          + "2026-05-11T09:30:00Z",
        "the new set has no 'updated_at', and the previous set is dated 2026-05-10T09:30:00Z",
      ])
  }

  @Test
  func
    `after any failure, the old definitions are kept byte for byte, and the failure is recorded`()
    async throws
  {
    _ = try await pull(["home": ScriptedDefinitions(ScriptedDefinitions.found("good 1"))])
      .run(from: [])
    let old = try #require(try present)
    let setback = Setback(.unavailable, "nothing came", remedy: "wait")
    for (answer, reason) in [
      (
        ScriptedDefinitions.Answer.failure(setback),
        "cannot get the definitions from home: nothing came"
      ),
      (ScriptedDefinitions.found("bad"), "the definitions from home are invalid: it is bad"),
      (ScriptedDefinitions.found(""), "the definitions from home are invalid: it is bad"),
      (
        ScriptedDefinitions.found("good" + String(repeating: " ", count: 65_536)),
        "the definitions from home are larger than 64 KiB"
      ),
    ] {
      let failure = await #expect(throws: DefinitionsPull.Failure.self) {
        try await pull(["home": ScriptedDefinitions(answer)]).run(from: [])
      }
      #expect(failure?.message == reason)
      #expect(try present == old)
      #expect(try StoreReader(path: store).failedPull()?.reason == reason)
    }
    let none = try await pull(["home": ScriptedDefinitions(.success(.none("no")))]).run(from: [])
    #expect(none == .none(asked: ["home"]))
    #expect(try present == old)
    let unknown = await #expect(throws: DefinitionsPull.Failure.self) {
      try await pull([:]).run(from: ["away"])
    }
    #expect(unknown?.message == "there is no destination 'away'")
    #expect(try present == old)
  }

  @Test
  func
    `the first destination with definitions is used, and a destination that fails ends the pull`()
    async throws
  {
    try add("clinic")
    let some = ScriptedDefinitions(ScriptedDefinitions.found("good clinic"))
    let outcome = try await pull([
      "home": ScriptedDefinitions(.success(.none("no"))), "clinic": some,
    ])
    .run(from: ["home", "clinic"])
    guard case .pulled(let set, isNew: true) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(set.source == "clinic")
    let away = ScriptedDefinitions(.failure(Setback(.unavailable, "away")))
    await #expect(throws: DefinitionsPull.Failure.self) {
      try await pull(["home": away, "clinic": some]).run(from: ["home", "clinic"])
    }
    #expect(some.tags.withLock { $0.count } == 1)
    // A tag from one destination is not sent to another. The destinations are queried in
    // alphabetical order.
    let home = ScriptedDefinitions(ScriptedDefinitions.found("good home", tag: "\"h\""))
    _ = try await pull(["home": home, "clinic": some]).run(from: ["HOME", "clinic"])
    #expect(home.tags.withLock { $0 } == [nil])
    #expect(try present?.source == "home")
  }

  @Test func `a cancelled pull changes and records nothing`() async throws {
    struct Endless: DefinitionsSource {
      let begun: @Sendable () -> Void
      func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions {
        begun()
        for await _ in AsyncStream<Never>.makeStream().stream {}
        throw Setback(.unavailable, "given up")
      }
    }
    let begun = Guarded(false)
    let pull = DefinitionsPull(
      store: store, check: { _ in },
      source: { _ in Endless { begun.withLock { $0 = true } } })
    let task = Task { try await pull.run(from: []) }
    try await wait(for: "the question") { begun.withLock { $0 } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try present == nil)
    #expect(try StoreReader(path: store).failedPull() == nil)
  }
}
