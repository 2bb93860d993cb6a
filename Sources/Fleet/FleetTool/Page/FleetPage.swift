internal import CommandLineTool
internal import Fleet
internal import HTTPServer
internal import LinuxSystem
internal import Values
internal import Web

// Safety: `latest` is used only by `answer` and `prepare`, which only the thread `page` calls.
/// A fleet's web page. It shows the gateways' positions and the walks in the database.
final class FleetPage: StillPage, @unchecked Sendable {
  let gateway = ThisComputer.name
  private let hub: LiveHub?
  private let walks: FleetWalks
  private let look: PageLook
  /// The copy of the most recently opened walk.
  private weak var latest: WalkCopy?

  /// The number of sessions in a list, unless the request specifies another number.
  private static let usualCount = 50
  /// Seconds that a request for a walk waits for the copy. After this time, the response reports
  /// the copy's progress.
  private static let patience = 1.0
  /// Seconds that a request for a download waits for the copy. This is longer, because a download
  /// cannot show progress.
  private static let patienceOfDownload = 20.0

  /// Creates the page. Without a hub, the page's map shows no gateways. `look` answers requests
  /// that do not concern a walk.
  init(_ hub: LiveHub?, _ walks: FleetWalks, look: PageLook) {
    self.hub = hub
    self.walks = walks
    self.look = look
  }

  var kind: PageKind { .fleet }

  var isLive: Bool { hub != nil }
  var hasMap: Bool { look.hasMap }

  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer {
    switch question {
    case .ofGateway(let gateway, let question): try answer(question, of: gateway)
    default: try answer(question, of: nil)
    }
  }

  private func answer(
    _ question: PageQuestion, of gateway: UniqueID?
  ) throws(PageFault) -> PageAnswer {
    switch question {
    case .sessions(let newest): return sessions(newest ?? Self.usualCount)
    case .session(let id):
      return later(question, id, gateway, isNewest: true, seconds: Self.patience)
    case .export(let id, _):
      return later(
        question, id, gateway, isNewest: true, mayBeKept: true, seconds: Self.patienceOfDownload)
    case .envelope(let id, _), .track(let id, _), .tasks(let id):
      // Charts, tracks and tasks are requested only for a walk that is already open, so do not look
      // up the walk again.
      let walk = gateway.map { FleetWalk(session: id, gateway: $0) }
      if let copy = walk.flatMap(walks.kept) { return try answer(question, from: copy) }
      return later(
        question, id, gateway, isNewest: false, mayBeKept: true, seconds: Self.patience)
    case .record, .note, .edit, .delete:
      throw PageFault(
        409, "the fleet page cannot change walks",
        remedy: "edit or delete the walk at the gateway that recorded it")
    case .definitions:
      throw PageFault(
        404, "a fleet has no definitions of its own", remedy: "open a gateway's page")
    case .hazardNames, .formats, .routes, .others, .tiles, .tile, .ofGateway:
      return try PageFault.explaining { try look.answer(question) }
    }
  }

  private func sessions(_ newest: Int) -> PageAnswer {
    .later(
      LateAnswer { [walks] ready in
        walks.sessions(newest: newest) { result in
          ready { () throws(PageFault) in .json(try result.get()) }
        }
      })
  }

  /// Answers a request from a copy of the walk once the copy is complete.
  private func later(
    _ question: PageQuestion, _ session: UniqueID, _ gateway: UniqueID?, isNewest: Bool,
    mayBeKept: Bool = false, seconds: Double
  ) -> PageAnswer {
    .later(
      LateAnswer { [self] ready in
        let deadline = BootClock.now().advanced(bySeconds: seconds)
        walks.copy(
          FleetWalks.Wish(
            session: session, gateway: gateway, isNewest: isNewest, mayBeKept: mayBeKept,
            deadline: deadline
          ) { result in
            ready { () throws(PageFault) in try self.answer(question, from: result.get()) }
          })
      })
  }

  private func answer(
    _ question: PageQuestion, from copy: WalkCopy
  ) throws(PageFault) -> PageAnswer {
    let answer = try PageFault.explaining { try copy.look.answer(question) }
    switch answer {
    case .download(let name, let kind, let write):
      // Keep the copy alive until the file has been sent.
      let owner = copy.gatewayName.map { $0 + "-" } ?? ""
      return .download(name: owner + name, kind: kind) { download in
        try withExtendedLifetime(copy) { try write(download) }
      }
    case .json(let value):
      guard case .session = question else { return answer }
      latest = copy
      return .json(
        value.with("missingFixes", copy.missingFixes).with("gatewayName", copy.gatewayName))
    default: return answer
    }
  }

  func prepare() -> Bool { latest?.look.prepare() ?? false }

  func stop() { walks.stop() }

  func fleetEvents() -> (any ServerStream)? { hub?.stream() }

  func diagnosis() async -> JSONValue { ["summary": "", "findings": []] }
}
