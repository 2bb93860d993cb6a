public import Archive
public import Interchange
public import Reception
public import Recording

/// A folder as a receiver keeps in it what came from gateways.
public final class ArchiveHoldings: Holdings {
  private var writer: ArchiveWriter
  private let folder: String

  /// Opens the folder, which must be there: a stick that is not shall not be taken for a folder on the disk.
  public init(folder: String) throws(ArchiveError) {
    self.folder = folder
    writer = try ArchiveWriter(folder: folder)
  }

  /// Stores chunks, which are on the disk when it returns.
  public func store(_ chunks: [ReceivedChunk]) throws(HoldingsError) -> [IntakeVerdict] {
    try explained { () throws(ArchiveError) in
      try writer.store(chunks.map { ChunkBatch.Part(id: $0.chunk.id, bytes: $0.bytes) })
    }
  }

  /// The bytes of a chunk.
  public func chunk(_ id: UniqueID) throws(HoldingsError) -> [UInt8]? {
    try explained { () throws(ArchiveError) in try reader?.bytes(ofChunk: id) }
  }

  /// Stores the record of a session.
  public func store(_ record: SessionRecord) throws(HoldingsError) -> IntakeVerdict {
    try explained { () throws(ArchiveError) in try writer.store(record) }
  }

  /// The record of a session.
  public func record(of session: UniqueID) throws(HoldingsError) -> SessionRecord? {
    try explained { () throws(ArchiveError) in try reader?.record(of: session) }
  }

  /// Stores a piece of a track.
  public func store(_ piece: TrackPiece) throws(HoldingsError) -> IntakeVerdict {
    try explained { () throws(ArchiveError) in try writer.store(piece) }
  }

  /// The fixes that are held of a piece of a track.
  public func track(
    of session: UniqueID, from first: Int
  ) throws(HoldingsError) -> TrackPiece? {
    try explained { () throws(ArchiveError) in try reader?.track(of: session, from: first) }
  }

  /// The sessions of which a record or a track is there. Chunks count as soon as a record lists them.
  public func sessions() throws(HoldingsError) -> [HeldSession] {
    try explained { () throws(ArchiveError) in
      guard let reader else { return [] }
      var sessions: [HeldSession] = []
      for id in try reader.sessionIDs() {
        let record = try reader.record(of: id)
        var held = HeldSession(id: id, chunks: 0, fixes: 0, hasRecord: record != nil)
        for stream in record?.streams ?? [] {
          held.chunks += stream.chunks.count { reader.has($0.id) }
        }
        for first in try reader.trackPieces(of: id) {
          held.fixes += try reader.track(of: id, from: first)?.fixes.count ?? 0
        }
        sessions.append(held)
      }
      return sessions
    }
  }

  /// What is there; `nil` as long as nothing was ever put there.
  private var reader: ArchiveReader? { try? ArchiveReader(folder: folder) }

  private func explained<Outcome>(
    _ body: () throws(ArchiveError) -> Outcome
  ) throws(HoldingsError) -> Outcome {
    do {
      return try body()
    } catch {
      throw HoldingsError(error.kind == .full ? .full : .failed, error.message)
    }
  }
}
