internal import ChunkFormat
internal import Recording
internal import Values

/// What no place takes from a gateway, so that all of them take the same.
enum IntakeBounds {
  /// Samples that a chunk may count as lost: those of 35 years at 8 kHz. Places add these counts up
  /// in 64 bits.
  private static let mostLost: UInt64 = 1 << 43

  /// Why a chunk is taken by no place; `nil` if it is.
  static func fault(of chunk: Chunk) -> String? {
    if let fault = chunk.stream.fault ?? fault(ofBoard: chunk.board) { return fault }
    // Stores have the names of axes in one text.
    if chunk.stream.axes.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) {
      return "the name of an axis has a comma"
    }
    return fault(ofLost: chunk.lostCount)
  }

  /// Why no place takes a record; `nil` if they do.
  static func fault(of record: SessionRecord) -> String? {
    record.streams.lazy.compactMap { stream in
      stream.description.fault
        ?? stream.chunks.lazy.compactMap { fault(ofLost: $0.lostCount) }.first
    }.first ?? fault(ofTexts: record)
  }

  /// Texts of people and boards are shown on terminals and pages of others. Notes may have lines.
  private static func fault(ofTexts record: SessionRecord) -> String? {
    let session = record.session
    let lines =
      [("wearer", session.wearer), ("gateway's name", session.gateway)]
      + record.placements.values.map { ("placement of a board", $0) }
      + record.hazards.map { ("name of a hazard", $0.name) }
    let notes = [("note", session.note)] + record.annotations.map { ("remark", $0.text) }
    return record.boards.lazy.compactMap(fault(ofBoard:)).first
      ?? lines.lazy.compactMap { name, text in
        PlainText.fault(in: text).map { "the \(name) \($0)" }
      }.first
      ?? notes.lazy.compactMap { name, text in
        PlainText.fault(in: text, mayHaveLines: true).map { "the \(name) \($0)" }
      }.first
  }

  private static func fault(ofBoard board: BoardIdentity) -> String? {
    PlainText.fault(in: board.name).map { "the name of a board \($0)" }
  }

  private static func fault(ofLost count: UInt64) -> String? {
    count > mostLost ? "\(count) samples are counted as lost, and \(mostLost) may be" : nil
  }
}
