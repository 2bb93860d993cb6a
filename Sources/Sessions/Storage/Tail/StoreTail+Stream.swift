public import Recording
internal import SQLite

extension StoreTail {
  /// Returns the chunks of one stream that exist only in the tail, in order. Their sequence numbers
  /// are higher than the number of the stream's last chunk in the store.
  ///
  /// This method only searches the tail, which suffices during a recording. After an interruption,
  /// use `rest`, which compares all parts of the session with the store, and also counts the
  /// missing samples of absent boards.
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
