internal import FleetStore
internal import HTTPServer
internal import LinuxSystem
internal import LiveServer
internal import Recording
internal import Storage
internal import Values
internal import WebServer

// Safety: the database is used by the thread `page` alone, which calls `answer`.
/// The page of a fleet: where its gateways are, and the list of their sessions.
final class FleetPage: StillPage, @unchecked Sendable {
  let gateway: String
  private let address: String
  private let hub: LiveHub?
  private let look: PageLook
  private var database: DatabaseIntake?

  /// Sessions that are listed unless a page asks for another number.
  private static let usualCount = 50

  /// A page of the fleet in a database. Without a hub, it has no gateways on its map.
  init(_ address: String, _ hub: LiveHub?, look: PageLook) {
    gateway = FleetDatabase.harmless(address)
    self.address = address
    self.hub = hub
    self.look = look
  }

  var kind: PageKind { .fleet }
  var hasMap: Bool { look.hasMap }

  func answer(_ question: PageQuestion) throws(PageFault) -> PageAnswer {
    try PageFault.explaining {
      switch question {
      case .sessions(let newest): return .json(try sessions(newest ?? Self.usualCount))
      case .tiles, .tile, .formats: return try look.answer(question)
      default:
        throw PageFault(
          501, "the page of a fleet has no samples",
          remedy: "'footbridge show' and 'footbridge export' read them with --fleet")
      }
    }
  }

  private func sessions(_ newest: Int) throws -> JSONValue {
    do {
      let intake = try database ?? DatabaseIntake(address)
      database = intake
      let reader = intake.intake(of: .reader)
      let held = try reader.sessions(newest: newest)
        .sorted { ($0.start?.nanoseconds ?? .max) < ($1.start?.nanoseconds ?? .max) }
      return .array(
        try held.map { session in
          let owner = session.gateway.map { intake.intake(of: .gateway($0)) } ?? reader
          guard let record = try owner.record(of: session.id) else {
            return SessionLine.json(arriving: session.id)
          }
          let listed = record.streams.reduce(0) { $0 + $1.chunks.count }
          return SessionLine(
            outline: SessionOutline(of: record), isBeingRecorded: false, gateway: session.gateway,
            missingChunks: max(0, listed - session.chunks)
          ).json
        })
    } catch {
      // Opened again for the next question.
      database = nil
      throw error
    }
  }

  func fleetEvents() -> (any ServerStream)? { hub?.stream() }

  func prepare() -> Bool { false }

  func diagnosis() async -> JSONValue { ["summary": "", "findings": []] }
}
