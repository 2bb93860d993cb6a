internal import Values

/// Interprets a response like a gateway, following docs/upload-protocol.md.
enum FleetVerdict: Equatable {
  /// A receiver's verdict on a chunk.
  enum Word: String {
    case stored, held, conflict
  }

  /// The receiver returned one verdict for each chunk.
  case decided([Word])
  /// The gateway must send the chunks again, after `rest` seconds if the response specifies a
  /// pause.
  case again(rest: Double?)
  /// A gateway would park the chunks, or would need manual intervention.
  case fault(String)

  /// Interprets the response to a delivery of `count` chunks.
  init(_ answer: FleetLink.Answer, chunks count: Int) {
    let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
    let fault = FleetVerdict.fault("a response with status \(answer.status): \(text)")
    // An HTML page comes from the proxy. A gateway does not park chunks in response to a page with
    // a 4xx status, but this bench expects no such page.
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
