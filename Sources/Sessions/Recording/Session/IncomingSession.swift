public import Values

/// A session received in pieces: its boot, gateway and streams, and the chunk that is stored or
/// expected at each position of a stream.
public struct IncomingSession: Sendable {
  private struct Key: Hashable {
    var board: BoardAddress
    var signal: String
  }

  private struct Stream {
    var description: StreamDescription
    /// Identifiers of the stored chunks, by sequence number.
    var held: [UInt32: UniqueID] = [:]
    /// Identifiers of the chunks that the record lists, by sequence number.
    var expected: [UInt32: UniqueID] = [:]
  }

  private let session: UniqueID
  private var bootID: UniqueID?
  private var gateway: String?
  private var streams: [Key: Stream] = [:]
  /// The chunks that the record lists, by identifier, each with its stream.
  private var listed: [UniqueID: (stream: Key, entry: SessionRecord.ChunkEntry)] = [:]

  public init(_ session: UniqueID) {
    self.session = session
  }

  /// Returns the session's conflict with a chunk that is not yet stored; `nil` if there is none.
  public func conflict(with chunk: ReceivedChunk) -> IntakeConflict? {
    if let bootID, bootID != chunk.bootID {
      return .otherBoot(session: session, held: bootID, sent: chunk.bootID)
    }
    let key = Key(board: chunk.board.address, signal: chunk.stream.signal)
    if let listed = listed[chunk.id], listed.stream != key || !listed.entry.describes(chunk) {
      return .otherThanListed(chunk: chunk.id, session: session)
    }
    guard let stream = streams[key] else { return nil }
    guard stream.description.agrees(with: chunk.stream) else {
      return .otherSettings(
        signal: chunk.stream.signal, board: chunk.board.address, session: session)
    }
    let occupant = stream.held[chunk.sequence] ?? stream.expected[chunk.sequence]
    guard let occupant, occupant != chunk.id else { return nil }
    return .placeTaken(by: occupant, chunk: chunk.id, session: session)
  }

  public func conflict(with record: SessionRecord) -> IntakeConflict? {
    if let bootID, bootID != record.session.bootID {
      return .otherBoot(session: session, held: bootID, sent: record.session.bootID)
    }
    if let gateway, gateway != record.session.gateway {
      return .otherGateway(session: session, held: gateway, sent: record.session.gateway)
    }
    for told in record.streams {
      let signal = told.description.signal
      guard let stream = streams[Key(board: told.board, signal: signal)] else { continue }
      guard stream.description.agrees(with: told.description) else {
        return .otherSettings(signal: signal, board: told.board, session: session)
      }
      for entry in told.chunks {
        guard let occupant = stream.held[entry.sequence], occupant != entry.id else { continue }
        return .placeTaken(by: occupant, chunk: entry.id, session: session)
      }
    }
    return nil
  }

  /// Adds a chunk, which must already be stored.
  public mutating func add(_ chunk: ReceivedChunk) {
    bootID = chunk.bootID
    let key = Key(board: chunk.board.address, signal: chunk.stream.signal)
    streams[key, default: Stream(description: chunk.stream)].held[chunk.sequence] = chunk.id
  }

  /// Adds a record, and determines which of its chunks are stored.
  public mutating func add(_ record: SessionRecord, isHeld: (UniqueID) -> Bool) {
    bootID = record.session.bootID
    gateway = record.session.gateway
    listed = [:]
    for told in record.streams {
      let key = Key(board: told.board, signal: told.description.signal)
      var stream = streams[key] ?? Stream(description: told.description)
      stream.expected = [:]
      for entry in told.chunks {
        stream.expected[entry.sequence] = entry.id
        listed[entry.id] = (key, entry)
        if isHeld(entry.id) { stream.held[entry.sequence] = entry.id }
      }
      streams[key] = stream
    }
  }
}
