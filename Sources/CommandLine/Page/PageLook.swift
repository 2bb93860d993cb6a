internal import Export
internal import LinuxSystem
internal import Terminal
public import Web
internal import Recording
internal import Storage
internal import Values

// Safety: the cache, the map and the preparation are used by the thread `page` alone, which calls
// `answer` and `prepare`. The rest does not change.
/// The answers to pages of all kinds: sessions, envelopes, maps, and the doctor's findings.
public final class PageLook: @unchecked Sendable {
  private let store: StoreAnswers
  private let doctor: Doctor
  /// Whether a map was named. Its file may be missing, or not be a map.
  public let hasMap: Bool
  private var cache = EnvelopeCache()
  /// The store that the cache belongs to; `nil` before the first question.
  private var cached: String?
  private var map: MapFile
  private var preparation = EnvelopePreparation()

  /// A look at a store, with the map in an MBTiles file.
  init(_ store: StoreAnswers, tiles: String?, doctor: Doctor) {
    self.store = store
    self.doctor = doctor
    hasMap = tiles != nil
    map = MapFile(tiles ?? "")
  }

  /// A look at another store, without a map.
  public func look(at store: StoreAnswers) -> PageLook {
    PageLook(store, tiles: nil, doctor: doctor)
  }

  /// The doctor's findings.
  func diagnosis() async -> JSONValue { await doctor.diagnosis().json }

  /// The answer to a question that needs no gateway.
  public func answer(_ question: PageQuestion) throws -> PageAnswer {
    switch question {
    case .sessions(let newest):
      preparation.list()
      return .json(try store.sessions(newest: newest))
    case .session(let id):
      preparation.open(id)
      return .json(try store.session(id))
    case .envelope(let id, let stretch): return .json(try envelope(of: id, stretch))
    case .track(let id, let points): return .json(try store.track(id, points: points))
    case .hazardNames: return .json(try store.hazardNames())
    case .definitions: return .json(try store.definitions())
    case .formats: return .json(StoreAnswers.formats)
    case .export(let id, let format): return try store.export(id, format: format)
    case .tiles: return .json(try withMap { map throws(TileError) in try map.facts().json })
    case .tile(let zoom, let column, let row):
      let tile = try withMap { map throws(TileError) in
        try map.tile(zoom: zoom, x: column, y: row)
      }
      guard let tile else { throw PageFault(404, "the map has no such tile") }
      return .bytes(tile.bytes, kind: tile.format.contentType)
    case .note(let remark, let session?): return .json(try store.note(remark, in: session))
    case .edit(let id, let wearer, let note):
      return .json(try store.edit(id, wearer: wearer, note: note))
    case .delete(let id): return .json(try store.delete(id))
    case .record, .note: throw PageFault(404, "there is no gateway behind this page")
    // A store has each session once.
    case .ofGateway(_, let question): return try answer(question)
    }
  }

  // MARK: Envelopes

  private func envelope(
    of id: UniqueID, _ stretch: PageQuestion.Stretch
  ) throws -> JSONValue {
    let path = try store.store.existingPath()
    // Read before the store, so that samples moved meanwhile are in both and not in neither.
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
    else { throw PageFault(404, "the session has no such signal of this board") }
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

  /// Prepares envelopes that may soon be requested, a little at a time. Returns whether there is
  /// more to do.
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

  /// Warns of a file that is not a map; pages then draw a grid.
  static func check(map file: String?, _ console: Console) {
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
      throw PageFault(404, "there is no map", remedy: "name an MBTiles file in 'tiles' of [web]")
    }
    do throws(TileError) {
      return try body(&map)
    } catch {
      throw PageFault(404, error.message, remedy: error.remedy)
    }
  }
}

/// A page with sessions of a store.
protocol LookingPage: PageContent {
  var look: PageLook { get }
}

extension LookingPage {
  var hasMap: Bool { look.hasMap }

  func prepare() -> Bool { look.prepare() }

  func diagnosis() async -> JSONValue { await look.diagnosis() }
}

extension PageFault {
  /// Explains errors of the layers below to a person with a page.
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
