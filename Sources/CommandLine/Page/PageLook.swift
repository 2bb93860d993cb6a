internal import Export
internal import LinuxSystem
internal import Terminal
public import Web
internal import Recording
internal import Storage
internal import Values

// Safety: only the thread `page`, which calls `answer` and `prepare`, uses the cache, the map and
// the preparation. Everything else is immutable.
/// Answers the requests that all pages support: sessions, envelopes, maps, and the doctor's
/// findings.
public final class PageLook: @unchecked Sendable {
  private let store: StoreAnswers
  private let doctor: Doctor
  /// Whether a map file is configured. The file may be missing or invalid.
  public let hasMap: Bool
  /// The path of the GeoJSON file with routes; `nil` for none.
  private let routes: String?
  private var cache = EnvelopeCache()
  /// The path of the store that the cached envelopes belong to; `nil` before the first request.
  private var cached: String?
  private var map: MapFile
  private var preparation = EnvelopePreparation()

  /// `tiles` is the path of the MBTiles file with the map, and `routes` the path of the GeoJSON
  /// file with routes.
  init(_ store: StoreAnswers, tiles: String?, routes: String? = nil, doctor: Doctor) {
    self.store = store
    self.doctor = doctor
    hasMap = tiles != nil
    map = MapFile(tiles ?? "")
    self.routes = routes
  }

  /// Returns an object that answers requests about another store, without a map.
  public func look(at store: StoreAnswers) -> PageLook {
    PageLook(store, tiles: nil, doctor: doctor)
  }

  func diagnosis() async -> JSONValue { await doctor.diagnosis().json }

  /// Answers a request that does not need a running gateway.
  public func answer(_ question: PageQuestion) throws -> PageAnswer {
    switch question {
    case .sessions(let newest):
      preparation.list()
      return .json(try store.sessions(newest: newest))
    case .session(let id):
      preparation.open(id)
      return .json(try store.session(id))
    case .envelope(let id, let stretch): return .json(try envelope(of: id, stretch))
    case .tasks(let id): return .json(try store.tasks(id))
    case .track(let id, let points): return .json(try store.track(id, points: points))
    case .hazardNames: return .json(try store.hazardNames())
    case .definitions: return .json(try store.definitions())
    case .formats: return .json(StoreAnswers.formats)
    case .export(let id, let format): return try store.export(id, format: format)
    case .routes:
      let found = try routes.map { path throws(Route.Fault) in try Route.read(path) } ?? []
      return .json(["routes": .array(found.map(\.json))])
    case .tiles: return .json(try withMap { map throws(TileError) in try map.facts().json })
    case .tile(let zoom, let column, let row):
      let tile = try withMap { map throws(TileError) in
        try map.tile(zoom: zoom, x: column, y: row)
      }
      guard let tile else { throw PageFault(404, "the map does not contain this tile") }
      return .bytes(tile.bytes, kind: tile.format.contentType)
    case .note(let remark, let session?): return .json(try store.note(remark, in: session))
    case .edit(let id, let participant, let wearer, let note, let swap):
      return .json(
        try store.edit(id, participant: participant, wearer: wearer, note: note, swap: swap))
    case .delete(let id): return .json(try store.delete(id))
    case .record, .note, .others: throw PageFault(404, "this page is not connected to a gateway")
    // A store contains each session once, so the gateway's id is not needed.
    case .ofGateway(_, let question): return try answer(question)
    }
  }

  // MARK: Envelopes

  private func envelope(
    of id: UniqueID, _ stretch: PageQuestion.Stretch
  ) throws -> JSONValue {
    let path = try store.store.existingPath()
    // The tail is read before the store. If samples move from the tail to the store between the two
    // reads, they are then read twice rather than missed.
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    let question = SessionEnvelope(
      session: id, board: stretch.board, signal: stretch.signal, from: stretch.from,
      to: stretch.to, columns: stretch.columns)
    openCache(path)
    guard let found = try question.read(from: reader, tail: tail, cache: &cache),
      let stream = try reader.streams(of: id).first(where: {
        $0.board.address == stretch.board && $0.description.signal == stretch.signal
      })
    else { throw PageFault(404, "the session has no signal with this name from this board") }
    return Self.json(found, stretch, stream.description)
  }

  private static func json(
    _ envelope: Envelope, _ stretch: PageQuestion.Stretch, _ description: StreamDescription
  ) -> JSONValue {
    let columns = (0..<stretch.columns).map { column -> JSONValue in
      guard envelope.hasValues(inColumn: column) else { return .null }
      return .array(
        (0..<envelope.axisCount).flatMap { axis -> [JSONValue] in
          guard let range = envelope.range(ofAxis: axis, inColumn: column) else {
            return [.null, .null]
          }
          return [range.lowerBound.json, range.upperBound.json]
        })
    }
    return [
      "from": stretch.from.json, "to": stretch.to.json, "unit": description.unit.json,
      "axes": description.axes.json, "columns": .array(columns),
      "gaps": .array(envelope.drawnGaps.map(json)),
    ]
  }

  private static func json(_ gap: EnvelopeGap) -> JSONValue {
    [
      "from": gap.from.json, "to": gap.to.json, "lost": gap.lost.json,
      "isEstimate": gap.isEstimate.json, "reason": gap.reason.name.json,
    ]
  }

  /// Prepares envelopes that may soon be requested, one small step per call. Returns whether more
  /// steps remain.
  public func prepare() -> Bool {
    guard !preparation.isIdle, let path = try? store.store.existingPath(),
      let reader = try? StoreReader(path: path)
    else { return false }
    openCache(path)
    preparation.step(reader, &cache)
    return !preparation.isIdle
  }

  private func openCache(_ path: String) {
    guard cached != path else { return }
    cache = EnvelopeCache(store: path)
    cached = path
  }

  // MARK: The map

  /// Warns if the file is not a map, or if the routes cannot be read. Pages then draw a grid
  /// instead of the map, and omit the routes.
  static func check(map file: String?, routes: String? = nil, _ console: Console) {
    do throws(Route.Fault) {
      if let routes { _ = try Route.read(routes) }
    } catch {
      console.warning(
        "no routes", ["reason": TerminalText.harmless(error.message), "remedy": error.remedy])
    }
    guard let file else { return }
    var map = MapFile(file)
    do throws(TileError) {
      _ = try map.facts()
    } catch {
      console.warning(
        "no map",
        ["file": TerminalText.harmless(file), "reason": error.message, "remedy": error.remedy])
    }
  }

  private func withMap<Result>(
    _ body: (inout MapFile) throws(TileError) -> Result
  ) throws -> Result {
    guard hasMap else {
      throw PageFault(
        404, "no map is configured", remedy: "set 'tiles' in [web] to an MBTiles file")
    }
    do throws(TileError) {
      return try body(&map)
    } catch {
      throw PageFault(404, error.message, remedy: error.remedy)
    }
  }
}

/// A page that shows the sessions in a store.
protocol LookingPage: PageContent {
  var look: PageLook { get }
}

extension LookingPage {
  var hasMap: Bool { look.hasMap }

  func prepare() -> Bool { look.prepare() }

  func diagnosis() async -> JSONValue { await look.diagnosis() }
}

extension PageFault {
  /// Runs `body`, and converts errors from lower layers to faults that a page can show.
  public static func explaining<Result>(
    _ body: () throws -> Result
  ) throws(PageFault) -> Result {
    do {
      return try body()
    } catch let fault as PageFault {
      throw fault
    } catch {
      let complaint = Complaint(explaining: error)
      throw PageFault(500, complaint.message, remedy: complaint.remedy)
    }
  }
}
