public import Recording
public import Values

/// Encodes records for uploads and folders. Equal records have equal bytes, so their hash reveals
/// changes. The decoder ignores unknown members.
extension SessionRecord {
  /// Version of the JSON format.
  public static let format = 1

  /// The record as JSON text.
  public var encoded: [UInt8] {
    JSONWriter.object(write)
  }

  func write(to json: inout JSONWriter) {
    json.add("format", count: Self.format)
    json.add("session", object: session.write)
    json.add("boards", objects: boards) { $0.write(to: &$1) }
    json.add("placements") { json in
      for (board, place) in placements.sorted(by: { $0.key < $1.key }) {
        json.add(board.description, text: place)
      }
    }
    json.add("streams", objects: streams) { $0.write(to: &$1) }
    json.add("fixCount", count: fixCount)
    json.add("clock", objects: clock) { $0.write(to: &$1) }
    json.add("hazards", objects: hazards) { $0.write(to: &$1) }
    json.add("annotations", objects: annotations) { $0.write(to: &$1) }
    json.add("events", objects: events) { $0.write(to: &$1) }
    if let statistics { json.add("statistics", object: statistics.write) }
  }

  public init(decoding bytes: [UInt8]) throws(JSONError) {
    try self.init(try JSONFields(parsing: bytes))
  }

  // These limits are far above the numbers in any recording, but low enough that no record delays
  // others for long.
  private static let mostBoards = 1_000
  private static let mostStreams = 2_000
  private static let mostHazards = 1_000
  /// Maximum number of clock entries, and also of annotations and of events. With one clock entry
  /// per minute, this suffices for two months.
  private static let mostNotes = 100_000

  /// Reads a record from its members. Events of an unknown kind, from later versions, are skipped.
  init(_ fields: JSONFields) throws(JSONError) {
    guard try fields.count("format") == Self.format else {
      throw fields.failure("format", "only version \(Self.format) is supported")
    }
    self.init(session: try Session(try fields.object("session")))
    try fields.objects("boards", most: Self.mostBoards) { (board) throws(JSONError) in
      boards.append(try BoardIdentity(board))
    }
    if let places = try fields.optionalObject("placements") {
      for name in places.names {
        guard let address = BoardAddress(name) else {
          throw places.failure(name, "a board address is expected")
        }
        placements[address] = try places.text(name)
      }
    }
    try fields.objects("streams", most: Self.mostStreams) { (stream) throws(JSONError) in
      streams.append(try Stream(stream))
    }
    fixCount = try fields.count("fixCount", upTo: TrackPiece.mostFixes)
    try fields.objects("clock", most: Self.mostNotes) { (entry) throws(JSONError) in
      clock.append(try ClockTable.Entry(entry))
    }
    try fields.objects("hazards", most: Self.mostHazards) { (hazard) throws(JSONError) in
      hazards.append(try Hazard(hazard))
    }
    try fields.objects("annotations", most: Self.mostNotes) {
      (annotation) throws(JSONError) in
      annotations.append(
        Annotation(time: try annotation.boot("timeNs"), text: try annotation.text("text")))
    }
    try fields.objects("events", most: Self.mostNotes) { (event) throws(JSONError) in
      guard let kind = SessionEvent.Kind(rawValue: try event.text("kind")) else { return }
      events.append(try SessionEvent(kind, event))
    }
    statistics = try fields.optionalObject("statistics").map { (fields) throws(JSONError) in
      try SessionStatistics(fields)
    }
    try checkStreams()
  }

  /// Checks that no stream, board or hazard is repeated, and that each stream belongs to a listed
  /// board.
  private func checkStreams() throws(JSONError) {
    let addresses = Set(boards.map(\.address))
    guard addresses.count == boards.count else {
      throw JSONError("boards", "a board is listed twice")
    }
    var seen: Set<String> = []
    for (index, stream) in streams.enumerated() {
      guard addresses.contains(stream.board) else {
        throw JSONError("streams[\(index)].board", "it is not one of the boards")
      }
      guard seen.insert("\(stream.board) \(stream.description.signal)").inserted else {
        throw JSONError("streams[\(index)]", "the board has two streams of this signal")
      }
    }
    // Compare names as stores do, ignoring the case of ASCII letters only.
    let names = hazards.map { $0.name.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 } }
    guard Set(names).count == hazards.count else {
      throw JSONError("hazards", "a hazard is listed twice")
    }
  }
}

extension SessionRecord.Stream {
  fileprivate func write(to json: inout JSONWriter) {
    json.add("board", address: board)
    json.add("signal", text: description.signal)
    json.add("unit", text: description.unit)
    json.add("axes", texts: description.axes)
    json.add("rawForm", text: description.rawForm.word)
    json.add("countsPerUnit", number: description.countsPerUnit)
    json.add("range", number: description.range)
    json.add("rate", number: description.rate)
    json.add("lossAccounting", text: description.lossAccounting.word)
    json.add("boardClock", bool: description.hasBoardTicks)
    json.add("lastSequence", count: lastSequence)
    json.add("chunks", objects: chunks) { $0.write(to: &$1) }
    if !gone.isEmpty { json.add("gone", objects: gone) { $0.write(to: &$1) } }
  }

  fileprivate init(_ fields: JSONFields) throws(JSONError) {
    let axes = try fields.required("axes", "one to four names without commas") {
      value -> [String]? in
      guard let list = value.list else { return nil }
      let names = list.compactMap(\.text)
      let isSound =
        names.count == list.count
        && (1...StreamDescription.maximumAxisCount).contains(names.count)
        && !names.contains { $0.contains(",") }
      return isSound ? names : nil
    }
    var chunks: [SessionRecord.ChunkEntry] = []
    try fields.objects("chunks", most: .max) { (entry) throws(JSONError) in
      let chunk = try SessionRecord.ChunkEntry(entry)
      if let last = chunks.last, last.sequence >= chunk.sequence {
        throw entry.failure("sequence", "it is not greater than the previous one")
      }
      chunks.append(chunk)
    }
    var gone: [SessionRecord.GoneChunk] = []
    if fields.has("gone") {
      try fields.objects("gone", most: .max) { (entry) throws(JSONError) in
        gone.append(try SessionRecord.GoneChunk(entry))
      }
    }
    self.init(
      board: try fields.address("board"),
      description: StreamDescription(
        signal: try fields.text("signal"), unit: try fields.text("unit"), axes: axes,
        rawForm: try fields.word("rawForm", of: StreamDescription.RawForm.allCases, \.word),
        countsPerUnit: try fields.number("countsPerUnit"),
        range: try fields.optional("range", "a number above 0") { value in
          value.number.flatMap { StreamDescription.isRange($0) ? $0 : nil }
        }, rate: try fields.number("rate"),
        lossAccounting: try fields.word("lossAccounting", of: [.counted, .estimated], \.word),
        hasBoardTicks: try fields.bool("boardClock")),
      chunks: chunks, gone: gone, lastSequence: try fields.optionalSequence("lastSequence"))
  }
}

extension SessionRecord.GoneChunk {
  fileprivate func write(to json: inout JSONWriter) {
    json.add("id", id: id)
    json.add("sequence", count: sequence)
    json.add("samples", count: sampleCount)
    json.add("lost", long: lostCount)
  }

  fileprivate init(_ fields: JSONFields) throws(JSONError) {
    self.init(
      id: try fields.id("id"), sequence: try fields.sequence("sequence"),
      sampleCount: try SessionRecord.ChunkEntry.sampleCount(fields),
      lostCount: try fields.required("lost", "a count as a string", JSONFields.long))
  }
}

extension SessionRecord.ChunkEntry {
  /// Maximum number of samples in a chunk that readers accept.
  private static let sampleLimit = 1 << 16

  fileprivate static func sampleCount(_ fields: JSONFields) throws(JSONError) -> Int {
    try fields.required("samples", "a count up to \(sampleLimit)") {
      $0.integer.flatMap { (0...sampleLimit).contains($0) ? $0 : nil }
    }
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.add("id", id: id)
    json.add("sequence", count: sequence)
    json.add("samples", count: sampleCount)
    json.add("lost", long: lostCount)
    json.add("firstNs", boot: first)
  }

  fileprivate init(_ fields: JSONFields) throws(JSONError) {
    self.init(
      id: try fields.id("id"), sequence: try fields.sequence("sequence"),
      sampleCount: try Self.sampleCount(fields),
      lostCount: try fields.required("lost", "a count as a string", JSONFields.long),
      first: try fields.boot("firstNs"))
  }
}

extension StreamDescription.RawForm {
  fileprivate var word: String {
    switch self {
    case .integer: "integer"
    case .float: "float"
    }
  }
}

extension StreamDescription.LossAccounting {
  fileprivate var word: String {
    switch self {
    case .counted: "counted"
    case .estimated: "estimated"
    }
  }
}
