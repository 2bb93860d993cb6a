import ChunkFormat
import UploadProtocol
import LinuxSystem
import UploadServer
import Recording
import Values

/// An in-memory intake. A test can inspect its content and make its operations fail.
final class MemoryIntake: Sendable {
  struct Content {
    var chunks: [UniqueID: [UInt8]] = [:]
    var records: [UniqueID: SessionRecord] = [:]
    /// Additional sessions that the intake lists.
    var held: [HeldSession] = []
    var pieces: [String: TrackPiece] = [:]
    /// The number of chunks in each transaction.
    var transactions: [Int] = []
    var failure: StoreError?
    /// A session for which the intake reports a conflict on every request.
    var foreign: UniqueID?
  }

  let content = Guarded(Content())

  /// Opens the intake for an upload server.
  func open() -> any SharedIntake { MemoryAccess(content) }

  var chunks: [UniqueID: [UInt8]] { content.withLock { $0.chunks.mapValues { Array($0) } } }
}

private final class MemoryAccess: SessionIntake, SharedIntake {
  private let content: Guarded<MemoryIntake.Content>

  init(_ content: Guarded<MemoryIntake.Content>) {
    self.content = content
  }

  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    try content.withLock { (content) throws(StoreError) in
      if let failure = content.failure { throw failure }
      content.transactions.append(chunks.count)
      return chunks.map { chunk -> IntakeVerdict in
        if chunk.session == content.foreign { return .refused("it is another's session") }
        let held = content.chunks[chunk.id]
        if let held, (try? Chunk(decoding: held.span)) != nil {
          return held == chunk.bytes ? .held : .otherContent
        }
        content.chunks[chunk.id] = chunk.bytes
        return held == nil ? .stored : .replaced
      }
    }
  }

  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? {
    content.withLock { $0.chunks[id] }
  }

  func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    try content.withLock { (content) throws(StoreError) in
      if let failure = content.failure { throw failure }
      let id = record.session.id
      if id == content.foreign { return .refused("it is another's session") }
      let former = content.records.updateValue(record, forKey: id)
      return former == nil ? .stored : former == record ? .held : .replaced
    }
  }

  func record(of session: UniqueID) throws(StoreError) -> SessionRecord? {
    content.withLock { $0.records[session] }
  }

  func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict {
    try content.withLock { (content) throws(StoreError) in
      if let failure = content.failure { throw failure }
      let former = content.pieces.updateValue(piece, forKey: "\(piece.session)/\(piece.first)")
      return former == nil ? .stored : former == piece ? .held : .replaced
    }
  }

  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? {
    content.withLock { $0.pieces["\(session)/\(first)"] }
  }

  func sessions(newest: Int) throws(StoreError) -> [HeldSession] {
    content.withLock { content in
      content.held
        + content.records.keys.sorted { "\($0)" < "\($1)" }.map {
          HeldSession(id: $0, chunks: content.chunks.count, fixes: 0, hasRecord: true)
        }
    }
  }
}
