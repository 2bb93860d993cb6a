internal import ChunkFormat
internal import Recording

/// Telling whether what is stored is as it was written, and setting aside what is not.
extension Database {
  /// What is wrong with the file's structure, a line each, at most `limit`; empty if nothing is.
  /// Whether indexes and tables say the same is looked at where there is time for it.
  func structureDamage(limit: Int, withIndexes: Bool) throws(StoreError) -> [String] {
    var findings: [String] = []
    do throws(StoreError) {
      var query = try prepare(
        "PRAGMA \(withIndexes ? "integrity" : "quick")_check(\(limit))", doing: "read")
      while try query.step() {
        // A finding may have several lines, of which the first names the place.
        let text = query.text(0)
        if text != "ok" { findings.append(text.split(separator: "\n").joined(separator: ": ")) }
      }
    } catch {
      guard error.kind == .damaged else { throw error }
      findings.append("the database disk image is malformed")
    }
    return findings
  }

  /// Why a chunk cannot be what was written; `nil` if nothing speaks against it.
  func chunkDamage(_ number: Int64) throws(StoreError) -> String? {
    do throws(StoreError) {
      var query = try prepare(
        """
        SELECT chunk.id, sequence, samples, bytes, stream.session, stream.board, stream.signal
        FROM chunk JOIN stream ON stream.number = chunk.stream WHERE chunk.number = ?
        """, doing: "read")
      try query.bind(number)
      guard try query.step() else { return "its stream is missing" }
      let bytes = query.bytes(3)
      let chunk: Chunk
      do throws(ChunkError) {
        chunk = try Chunk(decoding: bytes.span)
      } catch {
        return "\(error)"
      }
      let isItself =
        chunk.id.bytes == query.bytes(0) && Int64(chunk.sequence) == query.integer(1)
        && Int64(chunk.count) == query.integer(2) && chunk.session.bytes == query.bytes(4)
        && Int64(bitPattern: chunk.board.address.value) == query.integer(5)
        && chunk.stream.signal == query.text(6)
      return isItself ? nil : "its row speaks of another chunk"
    } catch {
      guard error.kind == .damaged else { throw error }
      return "its pages cannot be read"
    }
  }

  /// Moves a chunk among the damaged ones, with as much of it as can be read, and notes so among
  /// its session's events; how many samples it had.
  func setAside(_ number: Int64, why: String) throws(StoreError) -> Int {
    var samples = 0
    try transaction(doing: "set a chunk aside in") { () throws(StoreError) in
      var query = try prepare(
        """
        SELECT \(Schema.samples), stream.session, stream.board, signal, sequence, first_ns
        FROM chunk JOIN stream ON stream.number = chunk.stream WHERE chunk.number = ?
        """, doing: "set a chunk aside in")
      try query.bind(number)
      guard try query.step() else { return }
      samples = Int(query.integer(0))
      let event = SessionEvent(
        .damaged, board: BoardAddress(value: UInt64(bitPattern: query.integer(2))),
        at: BootTime(nanoseconds: query.integer(5)), value: Double(samples),
        text: "chunk \(query.integer(4)) of \(query.text(3)): \(why)")
      let session = try id(query.bytes(1))
      var insert = try prepare(
        """
        INSERT INTO damaged (id, stream, sequence, samples, lost, bytes, why)
        SELECT id, stream, sequence, samples, lost, \(try canRead(number) ? "bytes" : "NULL"), ?
        FROM chunk WHERE number = ?
        """, doing: "set a chunk aside in")
      try insert.bind(why)
      try insert.bind(number)
      try insert.run()
      var delete = try prepare(
        "DELETE FROM chunk WHERE number = ?", doing: "set a chunk aside in")
      try delete.bind(number)
      try delete.run()
      try self.insert([event], session: session)
    }
    return samples
  }

  /// Whether the disk gives the bytes of a chunk back, right or wrong.
  private func canRead(_ number: Int64) throws(StoreError) -> Bool {
    do throws(StoreError) {
      var query = try prepare(
        "SELECT length(bytes), bytes FROM chunk WHERE number = ?", doing: "read")
      try query.bind(number)
      return try query.step() && query.integer(0) == Int64(query.bytes(1).count)
    } catch {
      guard error.kind == .damaged else { throw error }
      return false
    }
  }
}
