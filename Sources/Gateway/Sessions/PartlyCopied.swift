internal import Recording
internal import Values

/// A partly copied session that includes every stream in its record, even streams without copied
/// chunks. An export then describes the whole session, just as an export on the gateway does.
struct PartlyCopied: SessionSource {
  let copy: any SessionSource
  let described: [SourceStream]

  var session: Session { copy.session }

  func streams() throws -> [SourceStream] { described }

  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk? {
    try copy.chunk(ofStream: position, after: sequence)
  }

  func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32? {
    try copy.sequence(ofStream: position, before: time)
  }

  func placements() throws -> [BoardAddress: String] { try copy.placements() }

  func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64? {
    try copy.missingSamples(ofStream: position, in: places)
  }

  func fixes(from first: Int, limit: Int) throws -> [Fix] {
    try copy.fixes(from: first, limit: limit)
  }

  func clockEntries() throws -> [ClockTable.Entry] { try copy.clockEntries() }

  func hazards() throws -> [Hazard] { try copy.hazards() }

  func annotations() throws -> [Annotation] { try copy.annotations() }

  func events() throws -> [SessionEvent] { try copy.events() }
}
