internal import ChunkFormat
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Upload
internal import Values

/// The data in a store that is waiting to be sent to one destination.
final class UploadBacklog: Backlog {
  struct Choice: Sendable {
    /// The sessions to send, or `nil` for all.
    var sessions: [UniqueID]?
    /// Whether the newest recording is sent first.
    var newestFirst = false
    /// Whether to send only sessions that are dated by a trusted clock.
    var needsDatedSession = false
  }

  private let thread: BacklogThread
  private let destination: StoredDestination
  private let choice: Choice
  private let memory = Guarded(Memory())

  /// The chunks and sessions being sent.
  private struct Memory {
    var chunks: [UniqueID: WaitingChunk] = [:]
    /// The revision that each session had when it was queued for upload. `contents` contains the
    /// hashes of the records being sent.
    var revisions: [UniqueID: String] = [:]
    var contents: [UniqueID: [UInt8]] = [:]
    /// Sessions that already have a date. Once dated, a session stays dated.
    var dated: Set<UniqueID> = []
  }

  init(_ destination: StoredDestination, on thread: BacklogThread, _ choice: Choice) {
    self.destination = destination
    self.thread = thread
    self.choice = choice
  }

  func waiting(limit: Int, excluding: [UniqueID]) async throws -> [UploadQueue.Item] {
    let numbers = memory.withLock { memory in
      Set(excluding.compactMap { memory.chunks[$0]?.number })
    }
    let (found, lastStored) = try await thread.ask { [destination, choice] connections in
      let found = try connections.reader.nextChunks(
        for: destination, sessions: try self.sessions(connections.reader),
        newestFirst: choice.newestFirst, excluding: numbers, limit: limit)
      let hasFailed = found.contains { $0.failed != nil }
      return (found, hasFailed ? try connections.reader.lastStored(for: destination) : nil)
    }
    memory.withLock { memory in
      for chunk in found { memory.chunks[chunk.id] = chunk }
    }
    return found.map { chunk in
      UploadQueue.Item(
        id: chunk.id, session: chunk.session, byteCount: chunk.byteCount, attempts: chunk.attempts,
        past: Self.past(failed: chunk.failed, lastStored))
    }
  }

  /// Returns whether the destination failed to store an item, and whether it has stored another one
  /// since.
  private static func past(failed: UTCTime?, _ lastStored: UTCTime?) -> UploadQueue.Past {
    guard let failed else { return .clean }
    return lastStored.map { failed < $0 } ?? false ? .overtaken : .failed
  }

  /// Returns the sessions to send, or `nil` for all.
  private func sessions(_ reader: borrowing StoreReader) throws -> [UniqueID]? {
    guard choice.needsDatedSession else { return choice.sessions }
    let known = memory.withLock { memory in memory.dated }
    var dated: [UniqueID] = []
    for session in try reader.sessions() where choice.sessions?.contains(session.id) ?? true {
      if try known.contains(session.id)
        || ClockTable(reader.datingEntries(of: session.id)).isTrusted
      {
        dated.append(session.id)
      }
    }
    memory.withLock { [dated] memory in memory.dated = Set(dated) }
    return dated
  }

  func unfinished() async throws -> [UploadQueue.SessionItem] {
    try await thread.ask { [destination, choice, memory] connections in
      let wanted =
        try choice.sessions == nil && !choice.needsDatedSession
        ? nil : self.sessions(connections.reader).map(Set.init)
      var items: [UploadQueue.SessionItem] = []
      let unfinished = try connections.reader.unfinishedSessions(for: destination)
      let hasFailed = unfinished.contains { $0.failed != nil }
      let lastStored = hasFailed ? try connections.reader.lastStored(for: destination) : nil
      for session in unfinished where wanted?.contains(session.id) ?? true {
        if let sent = session.sentContent,
          let record = try connections.reader.record(of: session.id),
          record.contentHash == sent
        {
          // The destination already has the current record: the change was a note that is not part
          // of the record, or the change was reverted.
          try connections.edit { editor in
            try editor.noteUpload(
              ofSession: session.id, to: destination,
              SessionUpload(
                .sent, attempts: session.attempts, content: sent, revision: session.revision),
              at: BootClock.systemTime())
          }
          continue
        }
        memory.withLock { $0.revisions[session.id] = session.revision }
        items.append(
          .init(
            id: session.id, attempts: session.attempts,
            past: Self.past(failed: session.failed, lastStored)))
      }
      return items
    }
  }

  func load(_ chunks: [UniqueID]) async throws -> [LoadedChunk] {
    let waiting = memory.withLock { memory in chunks.map { memory.chunks[$0] } }
    return try await thread.ask { connections in
      var found = try connections.reader.bytes(ofChunks: waiting.compactMap { $0 })[...]
      return try waiting.map { chunk in
        guard let chunk, let found = found.popFirst() else { return .gone }
        let bytes: [UInt8]
        do throws(StoreError) {
          bytes = try found.get()
        } catch {
          switch error.kind {
          case .unknown: return .gone
          case .damaged: return Self.damaged(error.message)
          default: throw error
          }
        }
        let damage = Chunk.damage(
          in: bytes.span, id: chunk.id, session: chunk.session, sequence: chunk.sequence)
        if let damage { return Self.damaged("\(damage)") }
        return .chunk(
          OutgoingChunk(
            id: chunk.id, session: chunk.session, board: chunk.board, signal: chunk.signal,
            sequence: chunk.sequence, sampleCount: chunk.sampleCount, bytes: bytes))
      }
    }
  }

  private static func damaged(_ reason: String) -> LoadedChunk {
    .damaged(
      "the chunk is damaged in the store: \(reason); 'footbridge store repair' sets it aside")
  }

  func session(_ id: UniqueID, toFinish: Bool) async throws -> (any OutgoingSession)? {
    guard toFinish else { return UploadedSession(id, on: thread, record: nil) }
    let found = try await thread.ask { connections in
      try connections.reader.record(of: id).map { ($0, $0.contentHash) }
    }
    guard let (record, content) = found else { return nil }
    memory.withLock { $0.contents[id] = content }
    return UploadedSession(id, on: thread, record: record)
  }

  func note(_ notes: [UploadNote]) async throws {
    try await thread.ask { [destination, memory] connections in
      var chunks: [ChunkUpload] = []
      var sessions: [(UniqueID, SessionUpload)] = []
      for note in notes {
        let (state, words) = Self.state(note.standing)
        switch note.subject {
        case .chunk(let id):
          chunks.append(ChunkUpload(id, state, attempts: note.attempts, error: words))
        case .session(let id):
          let (revision, content) = memory.withLock { memory in
            (memory.revisions[id] ?? "", memory.contents[id])
          }
          sessions.append(
            (
              id,
              SessionUpload(
                state, attempts: note.attempts, error: words,
                content: state == .sent ? content : nil, revision: revision)
            ))
        }
      }
      try connections.edit { [chunks, sessions] editor in
        let now = BootClock.systemTime()
        try editor.noteUploads(chunks, to: destination, at: now, spacing: 1)
        // The chunks get upload times one nanosecond apart, and the sessions get the times after
        // these.
        for (position, (id, upload)) in sessions.enumerated() {
          let time = UTCTime(nanoseconds: now.nanoseconds + Int64(chunks.count + position))
          try editor.noteUpload(ofSession: id, to: destination, upload, at: time)
        }
      }
    }
    memory.withLock { memory in
      for note in notes {
        switch (note.subject, note.standing) {
        case (_, .waiting): break
        case (.chunk(let id), _): memory.chunks[id] = nil
        case (.session(let id), _):
          memory.revisions[id] = nil
          memory.contents[id] = nil
        }
      }
    }
  }

  private static func state(_ standing: UploadNote.Standing) -> (UploadState, String) {
    switch standing {
    case .stored: (.sent, "")
    case .parked(let words): (.refused, words)
    case .waiting(let words): (.waiting, words)
    }
  }

  func noteRest(until: BootTime?, failures: Int, _ setback: Setback?) async throws {
    try await thread.ask { [destination] connections in
      let (boot, utc) = BootClock.pair()
      let time = until.map {
        UTCTime(nanoseconds: utc.nanoseconds + $0.nanoseconds - boot.nanoseconds)
      }
      try connections.edit { editor in
        try editor.rest(destination, until: time, failures: failures, error: setback?.text ?? "")
      }
    }
  }
}

extension Setback {
  /// The reason, and the remedy on the next line.
  var text: String { remedy.isEmpty ? reason : reason + "\n" + remedy }
}

/// A session in the store, in the form that destinations request.
private struct UploadedSession: OutgoingSession {
  private let id: UniqueID
  private let thread: BacklogThread
  private let known: SessionRecord?

  init(_ id: UniqueID, on thread: BacklogThread, record: SessionRecord?) {
    self.id = id
    self.thread = thread
    known = record
  }

  func record() async throws -> SessionRecord {
    if let known { return known }
    return try await thread.ask { [id] connections in
      guard let record = try connections.reader.record(of: id) else {
        throw UploadError("session \(id) was deleted")
      }
      return record
    }
  }

  func fixes(from first: Int, limit: Int) async throws -> [Fix] {
    try await thread.ask { [id] connections in
      try connections.reader.fixes(of: id, from: first, limit: limit)
    }
  }
}
