internal import Values
internal import Web

/// The content of a page that shows a store when no gateway is recording into it.
struct StorePage: LookingPage, StillPage {
  let gateway: String
  let look: PageLook

  var kind: PageKind { .store }

  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer {
    try PageFault.explaining {
      switch question {
      case .record, .note(_, nil):
        throw PageFault(
          409, "this page shows a store and cannot record",
          remedy: "open the page of 'footbridge run'")
      default: return try look.answer(question)
      }
    }
  }
}
