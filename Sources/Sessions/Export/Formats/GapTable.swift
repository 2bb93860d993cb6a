internal import Recording
internal import Values

/// Writes a session's gaps as rows of a table or as elements of a JSON array, or discards them.
struct GapTable {
  enum Form {
    case none
    case rows
    /// Each gap is an element of a JSON array.
    case json
    /// The gaps are collected, for a caller that writes them in its own form.
    case list
  }

  struct Item {
    /// Index of the stream in the source; `nil` for a gap in the whole session.
    var position: Int?
    var reason: String
    /// The time of the last sample before the gap; `nil` if unknown.
    var start: BootTime?
    /// The time of the first sample after the gap; `nil` if unknown.
    var end: BootTime?
    /// Number of lost samples; `nil` if unknown.
    var lost: UInt64?
    var isEstimate: Bool
    var detail: String
  }

  static let header =
    "board,signal,reason,start_utc,start_seconds,end_utc,end_seconds,lost,is_estimate,detail,name"

  /// The word that denotes a gap left by chunks that could not be exported.
  static let missingChunks = "chunks"

  var buffer: TextBuffer
  var items: [Item] = []
  private let form: Form
  private let streams: [SourceStream]
  private let moments: Moments
  private var isFirst = true

  /// Discards all gaps.
  init() {
    form = .none
    buffer = TextBuffer(capacity: 0)
    streams = []
    moments = Moments(start: BootTime(nanoseconds: 0), ClockTable([]))
  }

  init(_ form: Form, of source: some SessionSource) throws {
    self.form = form
    buffer = form == .list ? TextBuffer(capacity: 0) : TextBuffer()
    streams = try source.streams()
    moments = Moments(start: source.session.start, ClockTable(try source.clockEntries()))
    if form == .rows { buffer.append(Self.header + "\n") }
    for event in try source.events() where [event].haveUnknownLosses {
      append(Item(reason: Self.missingChunks, isEstimate: true, detail: event.text))
    }
  }

  /// Appends a gap that was recorded in a chunk.
  mutating func append(_ gap: Gap, ofStream position: Int) {
    append(
      Item(
        position: position, reason: gap.reason.name, start: gap.start, end: gap.end,
        lost: gap.lost, isEstimate: gap.isEstimate, detail: ""))
  }

  /// Appends a gap left by chunks that could not be exported.
  mutating func append(
    _ missing: [MissingChunks], lost: UInt64?, from start: BootTime?, to end: BootTime?,
    ofStream position: Int
  ) {
    append(
      Item(
        position: position, reason: Self.missingChunks, start: start, end: end, lost: lost,
        isEstimate: true, detail: missing.map(\.description).joined(separator: "; ")))
  }

  private mutating func append(_ gap: Item) {
    if form == .list { items.append(gap) }
    guard form == .rows || form == .json else { return }
    let stream = gap.position.map { streams[$0] }
    let board = stream?.board.address.description ?? ""
    let name = stream?.board.name ?? ""
    let signal = stream?.description.signal ?? ""
    if form == .rows {
      let fields = [
        board, signal, gap.reason, moments.utc(gap.start), moments.seconds(gap.start),
        moments.utc(gap.end), moments.seconds(gap.end), gap.lost.map(String.init) ?? "",
        gap.isEstimate ? "true" : "false", gap.detail, name,
      ]
      buffer.append(fields.map(CSVText.field).joined(separator: ",") + "\n")
    } else {
      let object: JSONValue = [
        "board": board.json, "name": name.json, "signal": signal.json, "reason": gap.reason.json,
        "start": moments.json(gap.start), "end": moments.json(gap.end), "lost": gap.lost.json,
        "isEstimate": gap.isEstimate.json, "detail": gap.detail.json,
      ]
      buffer.append((isFirst ? "\n" : ",\n") + object.text)
      isFirst = false
    }
  }
}
