internal import Archive
internal import Recording
internal import Values

/// A session as exports see it, wherever it lies.
enum SourceOfSession: ~Copyable, SessionSource {
  /// In a store.
  case store(StoredSession)
  /// In a folder.
  case folder(ArchiveSession)

  var session: Session {
    switch self {
    case .store(let source): source.session
    case .folder(let source): source.session
    }
  }

  func streams() -> [SourceStream] {
    switch self {
    case .store(let source): source.streams()
    case .folder(let source): source.streams()
    }
  }

  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk? {
    switch self {
    case .store(let source): try source.chunk(ofStream: position, after: sequence)
    case .folder(let source): try source.chunk(ofStream: position, after: sequence)
    }
  }

  func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32? {
    switch self {
    case .store(let source): try source.sequence(ofStream: position, before: time)
    case .folder(let source): source.sequence(ofStream: position, before: time)
    }
  }

  func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64? {
    switch self {
    case .store(let source): try source.missingSamples(ofStream: position, in: places)
    case .folder(let source): source.missingSamples(ofStream: position, in: places)
    }
  }

  func placements() throws -> [BoardAddress: String] {
    switch self {
    case .store(let source): try source.placements()
    case .folder(let source): source.placements()
    }
  }

  func fixes(from first: Int, limit: Int) throws -> [Fix] {
    switch self {
    case .store(let source): try source.fixes(from: first, limit: limit)
    case .folder(let source): try source.fixes(from: first, limit: limit)
    }
  }

  func clockEntries() throws -> [ClockTable.Entry] {
    switch self {
    case .store(let source): try source.clockEntries()
    case .folder(let source): source.clockEntries()
    }
  }

  func hazards() throws -> [Hazard] {
    switch self {
    case .store(let source): try source.hazards()
    case .folder(let source): source.hazards()
    }
  }

  func annotations() throws -> [Annotation] {
    switch self {
    case .store(let source): try source.annotations()
    case .folder(let source): source.annotations()
    }
  }

  func events() throws -> [SessionEvent] {
    switch self {
    case .store(let source): try source.events()
    case .folder(let source): source.events()
    }
  }
}
