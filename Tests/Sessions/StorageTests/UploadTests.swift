import ChunkFormat
import LinuxSystem
import Recording
@testable import Storage
import TestSupport
import Testing
import Values

/// The chunks and records still to be sent to each destination.
@Suite(.realTime) struct UploadTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let now = UTCTime(nanoseconds: 1_777_887_000_000_000_000)

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records sessions of this many chunks in each of two streams, and optionally ends them. Returns
  /// the chunks in the order in which they were stored.
  private func record(_ counts: [Int], ended: Bool = true) throws -> [Chunk] {
    var store = try Store.open(path: path)
    var all: [Chunk] = []
    for (index, count) in counts.enumerated() {
      let session = SampleRecording.session(UInt64(index))
      try store.begin(session)
      try store.addBoard(SampleRecording.board, session: session.id)
      let streams = [SampleRecording.acceleration, SampleRecording.temperature]
      for stream in streams {
        try store.addStream(stream, board: SampleRecording.board.address, session: session.id)
      }
      let chunks = (0..<count).flatMap { sequence in
        streams.map { stream in
          var chunk = SampleRecording.chunk(UInt32(sequence), of: stream, count: 10)
          chunk.session = session.id
          return chunk
        }
      }
      try store.commit(chunks: chunks, fixes: [], clock: [])
      if ended { try store.end(session: session.id, at: session.start.advanced(bySeconds: 100)) }
      all += chunks
    }
    try store.close()
    return all
  }

  private func add(_ name: String, _ place: String? = nil) throws -> StoredDestination {
    try StoreEditor(path: path).addDestination(
      named: name, place: place ?? "folder /\(name)", settings: "{\"a\":1}", at: now)
  }

  private func note(
    _ chunks: some Sequence<Chunk>, _ state: UploadState, to destination: StoredDestination,
    error: String = ""
  ) throws {
    try StoreEditor(path: path).noteUploads(
      chunks.map { ChunkUpload($0.id, state, attempts: 2, error: error) }, to: destination, at: now)
  }

  @Test func `invalid characters are removed from text in a gateway's record`()
    throws
  {
    _ = try record([1])
    let session = SampleRecording.session(0)
    var board = SampleRecording.board
    board.firmware = "1.7\u{202e}"
    let texts = ["a\nb", "\u{1b}[2Ja\rb"]
    let store = try Store.open(path: path)
    try store.addBoard(board, session: session.id)
    for text in texts {
      try store.note(SessionEvent(.givenUp, at: session.start, text: text), session: session.id)
    }
    try store.close()
    let record = try #require(try StoreReader(path: path).record(of: session.id))
    #expect(record.boards.map(\.firmware) == ["1.7\u{fffd}"])
    #expect(record.events.suffix(2).map(\.text) == ["a\nb", "\u{fffd}[2Ja\u{fffd}b"])
  }

  private func waiting(
    _ destination: StoredDestination, newestFirst: Bool = false, sessions: [UniqueID]? = nil
  ) throws -> [UniqueID] {
    try StoreReader(path: path).waitingChunks(
      for: destination, sessions: sessions, newestFirst: newestFirst, limit: .max
    ).map(\.id)
  }

  // MARK: Destinations

  @Test
  func `a re-added destination gets new settings, and no other may share its name or location`()
    throws
  {
    _ = try record([1])
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let lab = try add("lab")
    #expect(lab.name == "lab")
    #expect(lab.place == "folder /lab")
    #expect(lab.added == now)
    #expect(try reader.destination(named: "LAB") == lab)
    #expect(try reader.destination(named: "la") == nil)
    // The settings differ, and the name differs only in case.
    let changed = try editor.addDestination(
      named: "Lab", place: "folder /lab", settings: "{}", at: now)
    #expect(changed.number == lab.number)
    #expect(changed.settings == "{}")
    #expect(try reader.destinations() == [changed])
    do throws(StoreError) {
      try editor.addDestination(named: "lab", place: "folder /b", settings: "", at: now)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .refused)
      #expect(error.message == "the destination 'Lab' already exists: folder /lab")
      #expect(
        error.remedy
          == "choose another name, or remove that destination first: 'footbridge destination remove Lab'"
      )
    }
    do throws(StoreError) {
      try editor.addDestination(named: "b", place: "folder /lab", settings: "", at: now)
      Issue.record("accepted")
    } catch {
      #expect(
        error.message == "the destination 'Lab' already points to the same place: folder /lab")
    }
    #expect(try reader.destinations() == [changed])
  }

  @Test func `a destination that is removed and added again receives only the chunks it lacks`()
    throws
  {
    let chunks = try record([4])
    let editor = try StoreEditor(path: path)
    let lab = try add("lab")
    try note(chunks[..<3], .sent, to: lab)
    try note(chunks[3...3], .refused, to: lab, error: "too blue")
    #expect(try editor.removeDestination(named: "lab"))
    // The result of an upload that was in progress when its destination was removed.
    try note(chunks[4...4], .sent, to: lab)
    let other = try add("lab", "folder /other")
    #expect(other.number != lab.number)
    #expect(try waiting(other) == chunks.map(\.id))
    let again = try add("home", "folder /lab")
    #expect(again.number == lab.number)
    #expect(try waiting(again) == chunks[5...].map(\.id))
    #expect(try StoreReader(path: path).parked(for: again).map(\.error) == ["too blue"])
  }

  @Test func `a paused destination shows the pause's reason and end`()
    throws
  {
    _ = try record([1])
    let editor = try StoreEditor(path: path)
    let lab = try add("lab")
    let until = UTCTime(nanoseconds: now.nanoseconds + 1)
    try editor.rest(lab, until: until, failures: 3, error: "no route")
    let resting = try #require(try StoreReader(path: path).destination(named: "lab"))
    #expect(resting.restingUntil == until)
    #expect(resting.failures == 3)
    #expect(resting.error == "no route")
    try editor.rest(lab, until: nil, failures: 0, error: "")
    #expect(try StoreReader(path: path).destination(named: "lab") == lab)
    try editor.rest(lab, until: until, failures: 3, error: "no route")
    #expect(try add("lab") == lab)
  }

  // MARK: Chunks

  @Test
  func `several waiting chunks are read together, and a missing chunk yields an error`() throws {
    let chunks = try record([3])
    let lab = try add("lab")
    let reader = try StoreReader(path: path)
    var waiting = try reader.waitingChunks(for: lab, limit: 10)
    try #require(waiting.count == chunks.count)
    // The row number now belongs to another chunk.
    let gone = waiting[1]
    waiting[1] = WaitingChunk(
      number: gone.number, id: .random(), session: gone.session, board: gone.board,
      signal: gone.signal, sequence: gone.sequence, sampleCount: gone.sampleCount,
      byteCount: gone.byteCount, attempts: gone.attempts)
    let read = try reader.bytes(ofChunks: waiting)
    for (place, result) in read.enumerated() where place != 1 {
      #expect(try result.get() == chunks[place].encoded())
    }
    #expect(throws: StoreError.self) { try read[1].get() }
    if case .failure(let error) = read[1] { #expect(error.kind == .unknown) }
    // The reader also sees later changes made by other programs.
    #expect(try reader.bytes(ofChunks: []).isEmpty)
    try note(chunks[...0], .sent, to: lab)
    #expect(try reader.waitingChunks(for: lab, limit: 10).map(\.id) == chunks[1...].map(\.id))
  }

  @Test
  func `waiting chunks are listed in pages, oldest or newest first, from some or all sessions`()
    throws
  {
    let chunks = try record([3, 2, 4])
    let (lab, usb) = (try add("lab"), try add("usb"))
    try note(chunks[0...2] + chunks[8...9] + chunks[17...17], .sent, to: lab)
    try note(chunks[4...4], .refused, to: lab)
    try note(chunks[5...5], .waiting, to: lab, error: "no route")
    let left = [3, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16].map { chunks[$0].id }
    #expect(try waiting(lab) == left)
    #expect(try waiting(lab, newestFirst: true) == left.reversed())
    try #require(try waiting(usb) == chunks.map(\.id))
    let ids = [
      SampleRecording.session(0).id, SampleRecording.session(2).id, SampleRecording.session(77).id,
    ]
    let ofSessions = left[...1] + left[4...]
    #expect(try waiting(lab, sessions: ids) == Array(ofSessions))
    #expect(try waiting(lab, newestFirst: true, sessions: ids) == ofSessions.reversed())
    #expect(try waiting(lab, sessions: []) == [])
    #expect(try waiting(lab, sessions: [SampleRecording.session(77).id]) == [])

    let reader = try StoreReader(path: path)
    let first = try #require(try reader.waitingChunks(for: lab, limit: 1).first)
    #expect(first.id == chunks[3].id)
    #expect(first.session == SampleRecording.session(0).id)
    #expect(first.board == SampleRecording.board.address)
    #expect(first.signal == "temperature")
    #expect(first.sequence == 1)
    #expect(first.sampleCount == 10)
    #expect(first.byteCount == (try reader.bytes(ofChunk: first.id).count))
    #expect(first.attempts == 0)
    for newestFirst in [false, true] {
      var pages: [UniqueID] = []
      var after: Int64?
      while true {
        let page = try reader.waitingChunks(
          for: lab, newestFirst: newestFirst, after: after, limit: 3)
        pages += page.map(\.id)
        guard let last = page.last else { break }
        after = last.number
      }
      #expect(pages == (newestFirst ? left.reversed() : left))
    }
    let rest = try reader.waitingChunks(
      for: lab, excluding: [first.number, first.number + 2], limit: 2)
    #expect(rest.map(\.id) == [chunks[6].id, chunks[7].id])
    #expect(rest.map(\.attempts) == [0, 0])
    #expect(try reader.waitingChunks(for: lab, limit: 2)[1].attempts == 2)
  }

  @Test func `failed chunks are sent last, and their session is sent after the other sessions`()
    throws
  {
    let chunks = try record([2, 1, 2])
    let lab = try add("lab")
    let reader = try StoreReader(path: path)
    func next(
      limit: Int = .max, newestFirst: Bool = false, sessions: [UniqueID]? = nil
    ) throws -> [Int] {
      try reader.nextChunks(
        for: lab, sessions: sessions, newestFirst: newestFirst, limit: limit
      ).map { found in try #require(chunks.firstIndex { $0.id == found.id }) }
    }
    #expect(try next() == Array(0..<10))
    // The second chunk's upload was attempted after the first chunk's.
    for (seconds, index) in [0, 1].enumerated() {
      try StoreEditor(path: path).noteUploads(
        [ChunkUpload(chunks[index].id, .waiting, attempts: 1, error: "403")], to: lab,
        at: UTCTime(nanoseconds: now.nanoseconds + Int64(seconds)))
    }
    try note(chunks[4...4], .sent, to: lab)
    #expect(try next() == [5, 6, 7, 8, 9, 2, 3, 0, 1])
    #expect(try next(newestFirst: true) == [9, 8, 7, 6, 5, 3, 2, 0, 1])
    #expect(try next(limit: 6) == [5, 6, 7, 8, 9, 2])
    let ids = (UInt64(0)...1).map { SampleRecording.session($0).id }
    #expect(try next(sessions: ids) == [5, 2, 3, 0, 1])
    #expect(try next(sessions: [ids[1]]) == [5])
    // For each chunk of that session, the time of the destination's failure is listed.
    let failed = UTCTime(nanoseconds: now.nanoseconds + 1)
    #expect(
      try reader.nextChunks(for: lab, limit: .max).map(\.failed)
        == Array(repeating: nil, count: 5) + Array(repeating: failed, count: 4))
    // No upload to the other destination has failed.
    let usb = try add("usb")
    #expect(try reader.nextChunks(for: usb, limit: .max).map(\.id) == chunks.map(\.id))
  }

  @Test func `rejected chunks are listed with their errors, and can be sent again`()
    throws
  {
    let chunks = try record([2, 2])
    let (lab, usb) = (try add("lab"), try add("usb"))
    try note(chunks[1...2], .refused, to: lab, error: "too blue")
    try note(chunks[4...5], .refused, to: lab, error: "too red")
    try note(chunks[4...4], .refused, to: usb, error: "no")
    let editor = try StoreEditor(path: path)
    try editor.noteUpload(
      ofSession: SampleRecording.session(1).id, to: lab,
      SessionUpload(.refused, attempts: 1, error: "too long", revision: "x"), at: now)
    let reader = try StoreReader(path: path)
    let parked = try reader.parked(for: lab)
    #expect(parked.map(\.chunk) == [chunks[1].id, chunks[2].id, chunks[4].id, chunks[5].id, nil])
    #expect(parked.map(\.error) == ["too blue", "too blue", "too red", "too red", "too long"])
    #expect(
      parked.map(\.place?.signal) == [
        "temperature", "acceleration", "acceleration", "temperature", nil,
      ])
    #expect(parked.map(\.session) == [0, 0, 1, 1, 1].map { SampleRecording.session($0).id })
    #expect(parked.allSatisfy { $0.time == now })
    #expect(try waiting(lab).count == 4)
    #expect(try editor.retryParked(lab, chunk: chunks[1].id) == 1)
    #expect(try waiting(lab) == [0, 1, 3, 6, 7].map { chunks[$0].id })
    #expect(try editor.retryParked(lab, session: SampleRecording.session(1).id) == 3)
    #expect(try editor.retryParked(lab) == 1)
    #expect(try editor.retryParked(lab) == 0)
    #expect(try waiting(lab) == chunks.map(\.id))
    #expect(try reader.parked(for: lab) == [])
    #expect(try reader.parked(for: usb).count == 1)
  }

  @Test func `marking a session for resending queues all of its data and no other data`() throws {
    let chunks = try record([2, 1])
    let (lab, usb) = (try add("lab"), try add("usb"))
    let session = SampleRecording.session(0).id
    for destination in [lab, usb] { try note(chunks, .sent, to: destination) }
    try note(chunks[1...1], .refused, to: lab, error: "too blue")
    try note(chunks[2...2], .waiting, to: lab, error: "no route")
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    // The record was sent before, but failed when it was sent again with a remark.
    for state in [UploadState.sent, .waiting] {
      try editor.noteUpload(
        ofSession: session, to: lab,
        SessionUpload(state, attempts: 3, content: state == .sent ? [7] : nil, revision: "x"),
        at: now)
    }
    try editor.sendAgain(session, to: lab)
    let waiting = try reader.waitingChunks(for: lab, limit: .max)
    #expect(waiting.map(\.id) == chunks[..<4].map(\.id))
    #expect(waiting.map(\.attempts) == [0, 0, 2, 0])
    let whole = try reader.waitingAmount(for: nil, sessions: [session])
    #expect(try reader.waitingAmount(for: lab) == whole)
    #expect(try reader.parked(for: lab).isEmpty && self.waiting(usb).isEmpty)
    let record = try #require(try reader.uploadState(ofSession: session, for: lab))
    #expect(record.attempts == 3 && record.content == nil)
    try editor.noteUpload(
      ofSession: session, to: lab, SessionUpload(.sent, attempts: 3, content: [7], revision: "x"),
      at: now)
    try editor.sendAgain(session, to: lab)
    #expect(try reader.uploadState(ofSession: session, for: lab) == nil)
  }

  @Test func `a destination's chunks, bytes and sessions are counted by state`() throws {
    let chunks = try record([2, 1])
    let (lab, usb) = (try add("lab"), try add("usb"))
    try note(chunks[..<4], .sent, to: lab)
    try note(chunks[4...4], .refused, to: lab)
    let reader = try StoreReader(path: path)
    func bytes(_ chunks: ArraySlice<Chunk>) throws -> UInt64 {
      try chunks.reduce(0) { $0 + UInt64(try reader.bytes(ofChunk: $1.id).count) }
    }
    let editor = try StoreEditor(path: path)
    let unfinished = try reader.unfinishedSessions(for: lab)
    try editor.noteUpload(
      ofSession: unfinished[0].id, to: lab,
      SessionUpload(.sent, attempts: 1, content: [1], revision: unfinished[0].revision), at: now)
    let counts = try reader.uploadCounts(for: lab)
    #expect(counts.sentChunks == UploadCounts.Amount(count: 4, bytes: try bytes(chunks[..<4])))
    #expect(counts.parkedChunks == UploadCounts.Amount(count: 1, bytes: try bytes(chunks[4...4])))
    #expect(counts.waitingChunks == UploadCounts.Amount(count: 1, bytes: try bytes(chunks[5...])))
    #expect([counts.sentSessions, counts.waitingSessions, counts.parkedSessions] == [1, 1, 0])
    let none = try reader.uploadCounts(for: usb)
    #expect(none.waitingChunks.count == 6)
    #expect(none.sentChunks == UploadCounts.Amount())
    #expect(none.waitingSessions == 2)
  }

  // MARK: Sessions

  @Test
  func `a session's record becomes due when its chunks are sent, and again after each addition`()
    throws
  {
    let chunks = try record([1, 1])
    let (lab, usb) = (try add("lab"), try add("usb"))
    let reader = try StoreReader(path: path)
    let editor = try StoreEditor(path: path)
    let id = SampleRecording.session(0).id
    #expect(try reader.unfinishedSessions(for: lab) == [])
    try note(chunks[..<1], .sent, to: lab)
    #expect(try reader.unfinishedSessions(for: lab) == [])
    try note(chunks[1...1], .waiting, to: lab, error: "no route")
    #expect(try reader.unfinishedSessions(for: lab) == [])
    // A chunk rejected by the destination no longer delays the record.
    try note(chunks[1...1], .refused, to: lab)
    #expect(try reader.unfinishedSessions(for: lab).map(\.id) == [id])
    try note(chunks[1...1], .sent, to: lab)
    #expect(try reader.unfinishedSessions(for: usb) == [])
    let first = try #require(try reader.unfinishedSessions(for: lab).first)
    #expect(first.id == id)
    #expect(first.sentContent == nil)
    #expect(first.attempts == 0)
    #expect(try reader.uploadState(ofSession: id, for: lab) == nil)

    try editor.noteUpload(
      ofSession: id, to: lab,
      SessionUpload(.waiting, attempts: 1, error: "no route", revision: first.revision), at: now)
    #expect(try reader.unfinishedSessions(for: lab).map(\.attempts) == [1])
    let sent = SessionUpload(.sent, attempts: 2, content: [7, 7], revision: first.revision)
    try editor.noteUpload(ofSession: id, to: lab, sent, at: now)
    #expect(try reader.unfinishedSessions(for: lab) == [])
    #expect(try reader.uploadState(ofSession: id, for: lab) == sent)

    // The record includes each of these changes.
    var revisions: Set<String> = [first.revision]
    func expectUnfinished(_ line: Int = #line) throws {
      let session = try #require(try reader.unfinishedSessions(for: lab).first, "line \(line)")
      #expect(session.id == id)
      #expect(session.sentContent == [7, 7])
      #expect(revisions.insert(session.revision).inserted, "line \(line)")
      // The content turns out to be the same as before, so the stored hash does not change.
      try editor.noteUpload(
        ofSession: id, to: lab, SessionUpload(.sent, attempts: 0, revision: session.revision),
        at: now)
      #expect(try reader.unfinishedSessions(for: lab) == [])
    }
    let start = SampleRecording.session(0).start
    try editor.report(Hazard(name: "Slope", intensity: 1, time: start), session: id)
    try expectUnfinished()
    try editor.report(Hazard(name: "slope", intensity: 2, time: start), session: id)
    try expectUnfinished()
    try editor.annotate(Annotation(time: start, text: "bridge"), session: id)
    try expectUnfinished()
    // Another session of the same boot gets a clock entry, which also dates this session.
    var store = try Store.open(path: path)
    var third = SampleRecording.session(2)
    try store.begin(third)
    try store.commit(
      chunks: [], fixes: [],
      clock: [ClockTable.Entry(boot: start, utc: now, source: .system)])
    #expect(try reader.unfinishedSessions(for: lab) == [])
    try store.commit(chunks: [], fixes: [], clock: SampleRecording.clock)
    try expectUnfinished()
    // A rejected record is not sent again until something is added to the session.
    try editor.annotate(Annotation(time: start, text: "tree"), session: id)
    let refused = try #require(try reader.unfinishedSessions(for: lab).first)
    try editor.noteUpload(
      ofSession: id, to: lab,
      SessionUpload(.refused, attempts: 1, error: "no", revision: refused.revision), at: now)
    #expect(try reader.unfinishedSessions(for: lab) == [])
    #expect(try reader.uploadState(ofSession: id, for: lab)?.content == [7, 7])
    try editor.annotate(Annotation(time: start, text: "lamp"), session: id)
    try expectUnfinished()
    // A session without chunks is finished as soon as it has ended.
    third.end = start.advanced(bySeconds: 5)
    try store.end(session: third.id, at: start.advanced(bySeconds: 5))
    #expect(try reader.unfinishedSessions(for: lab).map(\.id) == [third.id])
    try store.close()
  }

  @Test func `a session's record is still complete if its chunks were deleted after the upload`()
    throws
  {
    let chunks = try record([3])
    let lab = try add("lab")
    try note(chunks, .sent, to: lab)
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let before = try #require(try reader.record(of: SampleRecording.session(0).id))
    #expect(
      try editor.dropSent(before: now, at: now)
        == Store.Dropped(chunks: 6, samples: 60, bytes: 0)
        .withBytes(of: chunks))
    let after = try #require(try reader.record(of: SampleRecording.session(0).id))
    #expect(after.streams == before.streams)
    #expect(after.events.map(\.kind) == [.dropped])
    #expect(try reader.unfinishedSessions(for: lab).map(\.id) == [SampleRecording.session(0).id])
    #expect(try waiting(lab) == [])
  }

  @Test func `a repair preserves destinations, lists of received chunks, and records of deletions`()
    throws
  {
    let chunks = try record([3, 2])
    let (lab, usb) = (try add("lab"), try add("usb"))
    try note(chunks[..<6], .sent, to: lab)
    try note(chunks[..<2], .sent, to: usb)
    try note(chunks[2...2], .refused, to: usb, error: "no")
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let unfinished = try #require(try reader.unfinishedSessions(for: lab).first)
    try editor.noteUpload(
      ofSession: unfinished.id, to: lab,
      SessionUpload(.sent, attempts: 1, content: [7], revision: unfinished.revision), at: now)
    #expect(try editor.dropSent(before: now, at: now).chunks == 2)
    let before = try #require(try reader.record(of: SampleRecording.session(0).id))
    _ = try #require(try StoreSalvage.run(path))
    let after = try StoreReader(path: path)
    #expect(try after.destinations() == [lab, usb])
    #expect(try after.record(of: SampleRecording.session(0).id) == before)
    #expect(try waiting(usb) == chunks[3...].map(\.id))
    #expect(try after.parked(for: usb).map(\.chunk) == [chunks[2].id])
    #expect(try after.uploadState(ofSession: unfinished.id, for: lab)?.content == [7])
    // The repaired record may contain less than before, so it must be checked again.
    #expect(try after.unfinishedSessions(for: lab).map(\.id) == [unfinished.id])
  }

  // MARK: Size

  @Test
  func `queries about 10,000 chunks and three destinations return the correct counts`() throws {
    let chunks = try record([2_500, 2_500])
    let destinations = try [add("a"), add("b"), add("c")]
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    func measure(_ what: String, _ body: () throws -> Void) rethrows {
      let start = ContinuousClock.now
      try body()
      print("10,000 chunks, 3 destinations: \(what): \(ContinuousClock.now - start)")
    }
    try measure("note 8,192 chunks as sent, 256 in a transaction") { () throws in
      for start in stride(from: 0, to: 8_192, by: 256) {
        try editor.noteUploads(
          chunks[start..<(start + 256)].map { ChunkUpload($0.id, .sent, attempts: 1) },
          to: destinations[0], at: now)
      }
    }
    try note(chunks, .sent, to: destinations[1])
    let page = try reader.waitingChunks(for: destinations[0], limit: 64)
    try measure("first page of 64 after 8,192 that were sent") { () throws in
      #expect(try reader.waitingChunks(for: destinations[0], limit: 64).count == 64)
    }
    try measure("the page after it") { () throws in
      #expect(
        try reader.waitingChunks(for: destinations[0], after: page.last?.number, limit: 64).count
          == 64)
    }
    try measure("newest first") { () throws in
      #expect(
        try reader.waitingChunks(for: destinations[0], newestFirst: true, limit: 64).count == 64)
    }
    try measure("of one session") { () throws in
      #expect(
        try reader.waitingChunks(
          for: destinations[0], sessions: [SampleRecording.session(1).id], limit: 64
        )
        .count == 64)
    }
    try measure("nothing waits") { () throws in
      #expect(try reader.waitingChunks(for: destinations[1], limit: 64) == [])
    }
    try measure("counts") { () throws in
      #expect(try reader.uploadCounts(for: destinations[0]).waitingChunks.count == 1_808)
    }
    try measure("unfinished sessions") { () throws in
      #expect(try reader.unfinishedSessions(for: destinations[1]).count == 2)
    }
    try measure("the record of 5,000 chunks") { () throws in
      #expect(try reader.record(of: SampleRecording.session(0).id)?.streams.count == 2)
    }
    try measure("nothing may be deleted") { () throws in
      #expect(try editor.dropSent(before: now, at: now).chunks == 0)
    }
  }
}

extension Store.Dropped {
  fileprivate func withBytes(of chunks: [Chunk]) -> Store.Dropped {
    var dropped = self
    dropped.bytes = chunks.reduce(0) { $0 + UInt64($1.encoded().count) }
    return dropped
  }
}
