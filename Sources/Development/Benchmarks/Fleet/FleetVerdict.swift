internal import Values

/// The meaning of an answer for a gateway, as defined in docs/upload-protocol.md.
enum FleetVerdict: Equatable {
  /// A receiver's verdict on a chunk.
  enum Word: String {
    case stored, held, conflict
  }

  /// A verdict on each chunk.
  case decided([Word])
  /// To be sent again, after this many seconds if the answer asks for it.
  case again(rest: Double?)
  /// A gateway would park the chunks, or wait for a person's help.
  case fault(String)

  /// The meaning of an answer to a delivery of this many chunks.
  init(_ answer: FleetLink.Answer, chunks count: Int) {
    let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
    let fault = FleetVerdict.fault("an answer with status \(answer.status): \(text)")
    // A page comes from the proxy. Other pages with 4xx park nothing, but none is expected here.
    if answer.status == 429 || answer.status >= 500 {
      self = .again(rest: answer.rest)
      return
    }
    guard !answer.isPage, let json = try? JSON(parsing: answer.body) else {
      self = fault
      return
    }
    let words: [JSON?] =
      switch (answer.status, json["chunks"]) {
      case (409, _): [json["error"]?["code"]]
      case (200, .list(let chunks)?): chunks.map { $0["status"] }
      case (200, _), (201, _): [json["status"]]
      default: []
      }
    let known = words.compactMap { $0?.text.flatMap { Word(rawValue: $0) } }
    self = known.count == count ? .decided(known) : fault
  }
}
