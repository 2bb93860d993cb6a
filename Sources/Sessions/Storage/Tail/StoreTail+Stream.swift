public import Recording
internal import SQLite

extension StoreTail {
  /// The chunks of one stream that are only in the tail, in order: those with a higher sequence
  /// than the last one in the store.
  ///
  /// During a recording it only searches the tail. `rest`, which compares all parts of the session,
  /// is used after an interruption, since then the missing samples of absent boards are counted
  /// too.
  public func chunks(
    of stream: StoredStream, in session: Session, after last: UInt32?,
    behind reader: borrowing StoreReader
  ) throws(StoreError) -> [Chunk] {
    if session.end == nil, !StoreLock.isHeld(store: reader.database.path) {
      let rest = try rest(of: session.id, behind: reader)
      guard let position = rest.streams.firstIndex(where: { $0.number == stream.number }) else {
        return []
      }
      return rest.chunks[position].filter { chunk in last.map { chunk.sequence > $0 } ?? true }
    }
    return chunks(of: session.id).filter { chunk in
      chunk.board.address == stream.board.address
        && chunk.stream.signal == stream.description.signal
        && last.map { chunk.sequence > $0 } ?? true
    }
  }
}
