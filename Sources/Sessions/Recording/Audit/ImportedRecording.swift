public import Values

/// The session that an import creates from an audited recording.
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
  /// The clock entry that dates the session's start; empty if the files do not state the date.
  public let clock: [ClockTable.Entry]
  public let files: [File]
  public let refusals: [Refusal]
  /// The session's start in microseconds on the files' clock.
  private let origin: Int64

  /// The address used for a board if no file name states one.
  static let unknownBoard = BoardAddress(value: 0)

  /// `board` replaces the addresses in file names. `hashes` contains each file's hash by path.
  /// `unsound` contains the reason to refuse a file, if its samples show one, also by path. The
  /// same files in any order produce the same session, so a second import adds nothing.
  public init(
    _ recording: AuditedRecording, board: BoardAddress?, hashes: [String: [UInt8]],
    unsound: [String: String] = [:]
  ) {
    self.recording = recording
    var files: [(file: File, key: String)] = []
    var refusals: [Refusal] = []
    for audited in recording.files {
      let streams = ImportedStream.all(of: audited)
      let reason =
        unsound[audited.path] ?? Self.fault(of: audited, in: recording)
        ?? streams.lazy.compactMap(\.description.fault).first
      guard reason == nil, let gaps = audited.times.gapPlaces, !streams.isEmpty else {
        refusals.append(
          Refusal(
            path: audited.path,
            reason: reason
              ?? (streams.isEmpty
                ? "its rows have no rate: it needs two rows with different times"
                : "it contains more than 65,536 gaps")))
        continue
      }
      let identity = BoardIdentity(
        address: board ?? audited.name.board ?? Self.unknownBoard, name: "", model: "",
        firmware: audited.name.firmware ?? "")
      let signals = streams.map { "\($0.description.signal) \($0.description.rate)" }
      let key =
        "\(identity.address) \(identity.firmware) \(signals.joined(separator: " ")) "
        + Hexadecimal.text(hashes[audited.path] ?? [])
      files.append(
        (File(audited: audited, streams: streams, board: identity, gaps: gaps), key))
    }
    files.sort { $0.key < $1.key }
    var taken: Set<String> = []
    for (place, file) in files.enumerated().reversed() {
      let names = file.file.streams.map { "\(file.file.board.address) \($0.description.signal)" }
      guard taken.isDisjoint(with: names), Set(names).count == names.count else {
        refusals.append(
          Refusal(
            path: file.file.audited.path,
            reason: "another file or column contains the same signal of the same board"))
        files.remove(at: place)
        continue
      }
      taken.formUnion(names)
    }
    self.files = files.map(\.file)
    self.refusals = refusals
    let id = Self.id((["import"] + files.map(\.key)).joined(separator: " "))
    let times = self.files.map(\.audited.times)
    origin = times.compactMap(\.first).min() ?? 0
    session = Session(
      id: id, bootID: Self.id("boot \(id)"), start: BootTime(nanoseconds: 0),
      note: PlainText.cleaned(recording.name))
    let isDated = !files.isEmpty && files.allSatisfy(\.file.audited.isAbsolute)
    clock =
      isDated
      ? [
        ClockTable.Entry(
          boot: session.start, utc: UTCTime(nanoseconds: origin &* 1_000), source: .system)
      ] : []
  }

  /// Returns the reason why a file cannot be imported, or `nil` if it can.
  private static func fault(of file: AuditedFile, in recording: AuditedRecording) -> String? {
    let times = file.times
    guard file.problem == nil else { return file.findings.first?.text }
    if file.isOwn {
      return "it is an export of this program, whose store contains more than the table"
    }
    if !file.isAbsolute, recording.files.contains(where: \.isAbsolute) {
      return "its times have no date, unlike those of the recording's other files"
    }
    let ends = [times.first, times.last].compactMap { $0?.magnitude }
    if ends.contains(where: { $0 > UInt64(Int64.max / 1_000) }) {
      return "its times are outside the years 1677 to 2262"
    }
    if times.isReversed { return "its rows are in reverse order" }
    if let jump = times.jumps.first {
      return "its time jumps at row \(jump.row): correct this row, or split the file there"
    }
    if times.origin == .arrival {
      guard let set = file.name.hertz, let hertz = times.importedHertz,
        abs(hertz / set - 1) > 0.01
      else { return nil }
      return "its times are those of packets, not at the set rate: losses are unknown"
    }
    return file.name.hertz != nil || times.gapCount > 0 ? file.unexplained : nil
  }

  static func id(_ text: String) -> UniqueID {
    let hash = BLAKE2b.hash(of: Array(text.utf8).span)
    func word(_ place: Int) -> UInt64 {
      hash[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    return UniqueID(high: word(0), low: word(8))
  }

  /// The streams of all files, in the files' order, still without rows.
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

  /// Returns the session's record, with the audit's findings as annotations.
  public func record(_ streams: [SessionRecord.Stream], end: BootTime) -> SessionRecord {
    var session = session
    // The line through measured times may begin slightly before the first of these times.
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
      },
      events: files.map { file in
        SessionEvent(
          .imported, board: file.board.address, at: session.start,
          text: PlainText.cleaned(Self.name(of: file.audited)))
      })
  }

  private static func name(of file: AuditedFile) -> String {
    file.path.split(separator: "/").last.map(String.init) ?? file.path
  }

  /// The facts about the recording that the samples do not show.
  private var remarks: [String] {
    let origins = files.map(\.audited).filter { $0.name.hertz == nil }
      .map { "\(Self.name(of: $0)): the set rate is unknown" }
    let clocks =
      clock.isEmpty && files.count > 1
      ? ["the files have no common clock: the times between their streams are unknown"] : []
    return origins + clocks
      + recording.findings.map { finding in
        (finding.subject.map { "\($0): " } ?? "") + finding.text
      }
  }
}
