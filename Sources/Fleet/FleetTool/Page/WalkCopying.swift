internal import CommandLineTool
internal import Export
internal import Fleet
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Upload
internal import Values
internal import Web

/// Copies a walk from a fleet's database into its own store, step by step.
struct WalkCopying {
  /// The number of chunks copied in one step. Chunks in the same object are read together.
  private static let chunksOfStep = 32
  /// The number of bytes to leave free on the disk, which may also contain the database.
  private static let leastRoom: UInt64 = 256 << 20

  let walk: FleetWalk
  private let gatewayName: String?
  private let revision: SessionRevision
  private let record: SessionRecord
  private let folder: TemporaryFolder
  private let path: String
  private var copy: SessionCopy
  /// The number of chunks copied so far.
  private var done = 0
  /// The total size of the chunks copied so far, in bytes.
  private(set) var bytes = 0

  /// Starts copying the session that a record describes, into a new folder in `parent`.
  init(
    _ record: SessionRecord, of gatewayName: String?, at revision: SessionRevision,
    in parent: String
  ) throws(PageFault) {
    walk = FleetWalk(session: record.session.id, gateway: revision.gateway)
    self.gatewayName = gatewayName
    self.revision = revision
    self.record = record
    do throws(SystemError) {
      folder = try TemporaryFolder(prefix: "walk", in: parent)
    } catch {
      throw PageFault(507, error.description, remedy: Self.remedy)
    }
    path = folder.path + "/session.sqlite"
    try Self.checkRoom(folder.path)
    copy = try Self.storing { [path] () throws(StoreError) in
      try SessionCopy(of: record, ExportSelection(), into: path)
    }
  }

  /// The copy's progress, as a response to a waiting request.
  var progress: PageFault {
    return PageFault(
      503,
      "the walk is being fetched: \(NumberText.grouped(done)) of "
        + "\(NumberText.grouped(copy.needed.count)) chunks",
      remedy: "wait a moment", after: 1)
  }

  /// Runs the copy's next step. Returns whether it was the last step.
  mutating func step(_ fleet: FleetConnection) throws(PageFault) -> Bool {
    try Self.checkRoom(folder.path)
    if done < copy.needed.count {
      try takeChunks(fleet)
    } else if let first = copy.nextFix {
      try takePiece(from: first, fleet)
    } else {
      try Self.storing { () throws(StoreError) in try copy.finish() }
      return true
    }
    return false
  }

  /// Returns the finished copy. `look` creates the object that uses the copy to answer requests.
  func finished(_ look: (StoreAnswers) -> PageLook) -> WalkCopy {
    var place = StoreLocation(environment: [:])
    place.given = path
    let answers = StoreAnswers(store: place, described: record.sourceStreams)
    return WalkCopy(
      revision, of: gatewayName, missing: copy.missing, in: folder, look(answers))
  }

  private mutating func takeChunks(_ fleet: FleetConnection) throws(PageFault) {
    let ids = Array(copy.needed[done...].prefix(Self.chunksOfStep))
    let chunks = try fleet.reading { [walk] intake throws(StoreError) in
      try intake.chunks(ids, of: walk.gateway)
    }
    for (id, chunk) in zip(ids, chunks) {
      let finding: EndpointLibrary.Finding
      switch chunk {
      case .success(let content):
        bytes += content?.count ?? 0
        finding = EndpointLibrary.Finding(content, of: id)
      case .failure(let error) where error.kind == .damaged: finding = .missing(error.message)
      case .failure(let error): throw PageFault(ofFleet: error)
      }
      try Self.storing { () throws(StoreError) in try copy.take(id, finding) }
    }
    done += ids.count
  }

  private mutating func takePiece(
    from first: Int, _ fleet: FleetConnection
  ) throws(PageFault) {
    let finding = try fleet.reading { [walk] intake throws(StoreError) in
      try Self.piece(of: walk, from: first, intake)
    }
    try Self.storing { () throws(StoreError) in try copy.take(finding) }
  }

  private static func piece(
    of walk: FleetWalk, from first: Int, _ intake: DatabaseIntake
  ) throws(StoreError) -> TrackFinding {
    do throws(StoreError) {
      let owner = try intake.reading(of: .gateway(walk.gateway))
      guard let piece = try owner.track(of: walk.session, from: first) else {
        return .missing("missing from the database")
      }
      return .found(piece)
    } catch {
      guard error.kind == .damaged else { throw error }
      return .missing(error.message)
    }
  }

  // MARK: Faults

  private static let remedy =
    "free some space there, or set TMPDIR to a folder with space for walks"

  /// Whether the disk that contains the folder has too little space for another copy.
  static func lacksRoom(_ folder: String) -> Bool {
    guard let room = try? FileSystem.room(at: folder) else { return false }
    return room < leastRoom
  }

  private static func checkRoom(_ folder: String) throws(PageFault) {
    guard lacksRoom(folder) else { return }
    throw PageFault(
      507, "there is not enough space for a copy of the walk in \(Folder.containing(folder))",
      remedy: remedy)
  }

  /// Runs an operation on the copy's own store and converts its errors to faults. Such an error is
  /// not a failure of the database.
  private static func storing<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(PageFault) -> Result {
    do throws(StoreError) {
      return try body()
    } catch {
      let isFull = error.kind == .full
      throw PageFault(
        isFull ? 507 : 500, error.message, remedy: isFull ? remedy : error.remedy)
    }
  }
}
