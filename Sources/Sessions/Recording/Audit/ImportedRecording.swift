public import Values

/// The session that an import makes from an audited recording.
public struct ImportedRecording: Sendable {
  /// A file that cannot be imported.
  public struct Refusal: Hashable, Sendable {
    public var path: String
    /// A clause without a full stop.
    public var reason: String
  }

  /// A file with at least one stream.
  public struct File: Sendable {
    public let audited: AuditedFile
    public let streams: [ImportedStream]
    public let board: BoardIdentity
    let gaps: GapPlaces
  }

  public let recording: AuditedRecording
  public let session: Session
  /// The date of the session's start; empty if the files do not state it.
  public let clock: [ClockTable.Entry]
  public let files: [File]
  public let refusals: [Refusal]
  /// The session's start in microseconds of the files' clock.
  private let origin: Int64

  /// The address of a board that no name states.
  static let unknownBoard = BoardAddress(value: 0)

  /// Plans the import of one recording.
  ///
  /// `board` replaces the addresses in the names of files. `hashes` contains the hash of each file,
  /// by its path. The same files always make the same session, so a second import adds nothing.
  public init(
    _ recording: AuditedRecording, board: BoardAddress?, hashes: [String: [UInt8]]
  ) {
    self.recording = recording
    var files: [File] = []
    var refusals: [Refusal] = []
    var taken: Set<String> = []
    for (place, audited) in recording.files.enumerated() {
      func refuse(_ reason: String) { refusals.append(Refusal(path: audited.path, reason: reason)) }
      let identity = BoardIdentity(
        address: board ?? audited.name.board ?? Self.unknownBoard, name: "", model: "",
        firmware: audited.name.firmware ?? "")
      guard audited.problem == nil else {
        refuse(audited.findings.first?.text ?? "it is not a table of samples")
        continue
      }
      guard !audited.isOwn else {
        refuse("it is an export of this program, whose store contains more than the table")
        continue
      }
      guard audited.isAbsolute || !recording.files.contains(where: \.isAbsolute) else {
        refuse("its times have no date, unlike those of the recording's other files")
        continue
      }
      guard !audited.times.isReversed else {
        refuse("its rows are in reverse order")
        continue
      }
      guard let gaps = audited.times.gapPlaces else {
        refuse("it contains more than 65,536 gaps")
        continue
      }
      let streams = ImportedStream.all(of: audited)
      if streams.isEmpty {
        refuse("its rows have no rate: it needs two rows with different times")
        continue
      }
      if let fault = streams.lazy.compactMap(\.description.fault).first {
        refuse(fault)
        continue
      }
      let names = streams.map { "\(identity.address) \($0.description.signal)" }
      guard taken.isDisjoint(with: names), Set(names).count == names.count else {
        refuse(
          "another file or column contains the same signal of the same board: "
            + recording.labels[place])
        continue
      }
      taken.formUnion(names)
      files.append(File(audited: audited, streams: streams, board: identity, gaps: gaps))
    }
    self.files = files
    self.refusals = refusals
    let content = files.map { file in
      "\(file.board.address) "
        + Hexadecimal.text(hashes[file.audited.path] ?? [])
    }
    let id = Self.id((["import"] + content.sorted()).joined(separator: " "))
    let times = files.map(\.audited.times)
    origin = times.compactMap(\.first).min() ?? 0
    session = Session(
      id: id, bootID: Self.id("boot \(id)"), start: BootTime(nanoseconds: 0),
      note: PlainText.cleaned(recording.name))
    let isDated = !files.isEmpty && files.allSatisfy(\.audited.isAbsolute)
    clock =
      isDated
      ? [
        ClockTable.Entry(
          boot: session.start, utc: UTCTime(nanoseconds: origin &* 1_000), source: .system)
      ] : []
  }

  /// Derives an identifier from a text.
  static func id(_ text: String) -> UniqueID {
    let hash = BLAKE2b.hash(of: Array(text.utf8).span)
    func word(_ place: Int) -> UInt64 {
      hash[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    return UniqueID(high: word(0), low: word(8))
  }

  /// The streams of all files, in order. Each begins before its first row.
  public var samples: [[ImportedSamples]] {
    var position = -1
    return files.map { file in
      file.streams.map { stream in
        position += 1
        return ImportedSamples(
          stream, of: file.board, at: position, in: session, gaps: file.gaps, origin: origin)
      }
    }
  }

  /// Returns the record of the session, with the chunks and the findings of the audit.
  public func record(_ streams: [SessionRecord.Stream], end: BootTime) -> SessionRecord {
    var session = session
    // The line through measured times may begin a little before the first of them.
    session.start = streams.compactMap(\.chunks.first?.first).reduce(session.start, min)
    (session.end, session.ending) = (end, .closed)
    var boards: [BoardIdentity] = []
    for file in files where !boards.contains(where: { $0.address == file.board.address }) {
      boards.append(file.board)
    }
    return SessionRecord(
      session: session, boards: boards.sorted { $0.address < $1.address }, streams: streams,
      clock: clock,
      annotations: remarks.map {
        Annotation(time: session.start, text: PlainText.cleaned($0))
      })
  }

  /// The facts about the recording that the samples do not show.
  private var remarks: [String] {
    let origins = files.map { file in
      "imported from \(file.audited.path.split(separator: "/").last ?? "")"
        + (file.audited.name.hertz == nil ? ": its set rate is unknown" : "")
    }
    let clocks =
      clock.isEmpty && files.count > 1
      ? ["the files have no common clock: the times between their streams are unknown"] : []
    return origins + clocks
      + recording.findings.map { finding in
        (finding.subject.map { "\($0): " } ?? "") + finding.text
      }
  }
}
