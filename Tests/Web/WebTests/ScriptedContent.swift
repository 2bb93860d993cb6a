import LinuxSystem
import Values
import Web

/// The content of a page, as scripted by a test.
final class ScriptedContent: PageContent {
  struct State {
    var questions: [PageQuestion] = []
    var watches: [Bool] = []
    var columns: [JSONValue] = []
    var states = 0
    /// Pending replies. Each has the number of requested points and the closure that creates the
    /// reply.
    var late: [(points: Int, ready: @Sendable (@escaping LateAnswer.Making) -> Void)] = []
    var hasStopped = false
  }

  let script = Guarded(State())
  let kind: PageKind
  let isLive: Bool
  let gateway = "trail-1"
  let hasMap = true
  /// Runs during each diagnosis.
  private let diagnosing: @Sendable () async -> Void

  init(
    _ kind: PageKind = .gateway, isLive: Bool = true,
    diagnosing: @escaping @Sendable () async -> Void = {}
  ) {
    self.kind = kind
    self.isLive = isLive
    self.diagnosing = diagnosing
  }

  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer {
    script.withLock { $0.questions.append(question) }
    switch question {
    case .tile: return .bytes([1, 2, 3], kind: "image/png")
    case .export(_, "broken"):
      return .download(name: "walk.csv", kind: "text/csv") { download in
        try download.write(Array("half".utf8).span)
        throw PageFault(500, "the disk failed")
      }
    case .export(_, "large"):
      return .download(name: "walk.csv", kind: "text/csv") { download in
        let line = [UInt8](repeating: 65, count: 10_000)
        for _ in 0..<3_000 { try download.write(line.span) }
      }
    case .export:
      return .download(name: "walk.csv", kind: "text/csv") { download in
        for number in 0..<1_000 {
          try download.write(Array(String(repeating: "\(number % 10)", count: 1_000).utf8).span)
        }
      }
    case .session: throw PageFault(404, "there is no such session", remedy: "look again")
    case .track(_, let points):
      return .later(
        LateAnswer { [script] ready in
          script.withLock { $0.late.append((points, ready)) }
        })
    default: return .json(["question": .string("\(question)")])
    }
  }

  func stop() { script.withLock { $0.hasStopped = true } }
  func prepare() -> Bool { false }
  func diagnosis() async -> JSONValue {
    await diagnosing()
    return ["findings": []]
  }

  func watch(_ isWatched: Bool) { script.withLock { $0.watches.append(isWatched) } }
  func status() -> JSONValue { ["works": true] }

  func state() -> JSONValue {
    let number = script.withLock { state in
      state.states += 1
      return state.states
    }
    return ["status": ["number": .integer(Int64(number))]]
  }

  func newColumns() -> JSONValue? {
    script.withLock { $0.columns.isEmpty ? nil : $0.columns.removeFirst() }
  }
}
