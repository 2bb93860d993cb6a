public import Interchange
public import Reception
public import Recording
public import Storage
public import Values

/// A store as a receiver keeps in it what came from other gateways.
public final class StoreHoldings: Holdings {
  private let intake: StoreIntake

  /// Opens or makes the store; no other program may record or receive into it meanwhile.
  public init(path: String) throws(StoreError) {
    intake = try StoreIntake(path: path)
  }

  /// Stores chunks in one transaction, which is on the disk when it returns.
  public func store(_ chunks: [ReceivedChunk]) throws(HoldingsError) -> [IntakeVerdict] {
    try explained { () throws(StoreError) in try intake.take(chunks) }
  }

  /// The bytes of a chunk.
  public func chunk(_ id: UniqueID) throws(HoldingsError) -> [UInt8]? {
    try explained { () throws(StoreError) in try intake.bytes(ofChunk: id) }
  }

  /// Stores the record of a session.
  public func store(_ record: SessionRecord) throws(HoldingsError) -> IntakeVerdict {
    try explained { () throws(StoreError) in try intake.take(record) }
  }

  /// The record of a session.
  public func record(of session: UniqueID) throws(HoldingsError) -> SessionRecord? {
    try explained { () throws(StoreError) in try intake.record(of: session) }
  }

  /// Stores a piece of a track.
  public func store(_ piece: TrackPiece) throws(HoldingsError) -> IntakeVerdict {
    try explained { () throws(StoreError) in
      try intake.take(piece.fixes, from: piece.first, of: piece.session)
    }
  }

  /// The fixes that are held of a piece of a track.
  public func track(
    of session: UniqueID, from first: Int
  ) throws(HoldingsError) -> TrackPiece? {
    try explained { () throws(StoreError) in
      let fixes = try intake.reader.fixes(of: session, from: first, limit: TrackPiece.capacity)
      return fixes.isEmpty ? nil : TrackPiece(session: session, first: first, fixes: fixes)
    }
  }

  /// The sessions of the store.
  public func sessions() throws(HoldingsError) -> [HeldSession] {
    try explained { () throws(StoreError) in try intake.holdings() }
  }

  private func explained<Outcome>(
    _ body: () throws(StoreError) -> Outcome
  ) throws(HoldingsError) -> Outcome {
    do {
      return try body()
    } catch {
      throw HoldingsError(HoldingsError.Kind(error.kind), error.message)
    }
  }
}

extension HoldingsError.Kind {
  /// What follows from a store's refusal.
  fileprivate init(_ kind: StoreError.Kind) {
    switch kind {
    case .full: self = .full
    case .busy, .locked, .cannotOpen, .other: self = .passing
    case .damaged, .newerSchema, .notAStore, .unknown, .refused: self = .failed
    }
  }
}
