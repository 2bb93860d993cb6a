internal import Values
internal import WebServer

/// The page of a store, without the gateway that records into it.
struct StorePage: PageContent {
  let gateway: String
  let store: StoreAnswers
  let look: PageLook

  var kind: PageKind { .store }
  var hasMap: Bool { look.hasMap }

  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer {
    try PageFault.explaining {
      switch question {
      case .record, .note(_, nil):
        throw PageFault(
          409, "this page shows a store, and records nothing",
          remedy: "open the page of 'footbridge run'")
      default: return try look.answer(question)
      }
    }
  }

  func prepare() -> Bool { look.prepare() }

  func diagnosis() async -> JSONValue { await look.diagnosis() }

  func watch(_ isWatched: Bool) {}

  func status() -> JSONValue { .null }

  func state() -> JSONValue { PageLook.nothing }

  func newColumns() -> JSONValue? { nil }
}
