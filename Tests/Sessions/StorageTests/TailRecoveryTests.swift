import ChunkFormat
import Glibc
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

@testable import Storage

@Suite(.computation) struct TailRecoveryTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/recording.store"
  }

  /// Returns all chunks of a stream from the store, in order.
  private func chunks(
    of stream: StreamDescription = SampleRecording.acceleration
  ) throws -> [Chunk] {
    let reader = try StoreReader(path: path)
    let streams = try reader.streams(of: SampleRecording.session.id)
    let stored = try #require(streams.first { $0.description.signal == stream.signal })
    return try reader.chunks(of: stored).map { listed in
      let bytes = try reader.bytes(ofChunk: listed.id)
      return try Chunk(decoding: bytes.span)
    }
  }

  /// Creates a recorder that has begun its session.
  private func recorder() throws -> Store {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.addBoard(SampleRecording.board, session: SampleRecording.session.id)
    try store.addStream(
      SampleRecording.acceleration, board: SampleRecording.board.address,
      session: SampleRecording.session.id)
    return store
  }

  private static var outline: Chunk {
    var chunk = SampleRecording.chunk(0, count: 0)
    chunk.gaps = []
    return chunk
  }

  private static func pieces(of chunk: Chunk, every count: Int) -> [TailRecord] {
    stride(from: 0, to: chunk.count, by: count).compactMap { start in
      var part = chunk
      let end = min(start + count, chunk.count)
      part.counters = Array(chunk.counters[..<end])
      part.arrivals = Array(chunk.arrivals[..<end])
      part.columns = chunk.columns.map { Array($0[..<end]) }
      let gaps = start == 0 ? 0 : chunk.gaps.count
      return part.piece(from: ChunkPosition(samples: start, gaps: gaps)).map { .samples(0, $0) }
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let count = try OwnedDescriptor.create(path).write(bytes)
    try #require(count == bytes.count)
  }

  /// Ends a recorder as a crash would: the recorder commits nothing more, and its lock is released.
  private func abandon(_ store: consuming Store, _ tail: consuming Tail) {}

  @Test
  func `the error for a recovered tail that cannot be deleted contains its path and a remedy`()
    throws
  {
    // Not even root can delete this file.
    let path = "/proc/version"
    let error = #expect(throws: StoreError.self) { try TailFiles.removeTaken(path) }
    #expect(error?.kind == .cannotOpen)
    let messages = [EPERM, EACCES].map { SystemError("remove \(path)", number: $0).message }
    #expect(messages.contains(error?.message ?? ""))
    #expect(
      error?.remedy
        == "its data is in the store now: delete the file, or allow this user to delete it")
  }

  @Test func `samples that exist only in the tail are stored when the store is next opened`() throws
  {
    let open = SampleRecording.chunk(1, count: 250)
    var store = try recorder()
    var tail = Tail(store: path)
    try tail.append([.stream(0, Self.outline)], beginsGroup: false)
    let sealed = SampleRecording.chunk(0)
    for record in Self.pieces(of: sealed, every: 20) {
      try tail.append([record], beginsGroup: false)
    }
    try store.commit(chunks: [sealed], fixes: [SampleRecording.fixes[0]], clock: [])
    for record in Self.pieces(of: open, every: 20) { try tail.append([record], beginsGroup: false) }
    for fix in SampleRecording.fixes { try tail.append([.fix(fix)], beginsGroup: false) }
    for entry in SampleRecording.clock { try tail.append([.clock(entry)], beginsGroup: false) }
    abandon(store, tail)

    let again = try Store.open(path: path)
    #expect(
      again.tailRecovery == TailRecovery(samples: 250, chunks: 1, fixes: 1, missing: 0))
    try again.close()
    let found = try chunks()
    try #require(found.map(\.sequence) == [0, 1])
    #expect(found[0].id == sealed.id)
    #expect(found[1].counters == open.counters)
    #expect(found[1].columns == open.columns)
    #expect(found[1].gaps == open.gaps)
    let reader = try StoreReader(path: path)
    #expect(try reader.fixes(of: SampleRecording.session.id) == SampleRecording.fixes)
    #expect(try reader.clockEntries(of: SampleRecording.session.id) == SampleRecording.clock)
    #expect(TailFiles.existing(store: path).isEmpty)
    let third = try Store.open(path: path)
    #expect(third.tailRecovery == nil)
    try third.close()
    #expect(try chunks().count == 2)
  }

  @Test func `the tail frames of one sync rarely touch more disk blocks than necessary`() throws {
    let store = try recorder()
    var tail = Tail(store: path)
    let chunk = SampleRecording.chunk(0, count: 2_000)
    try tail.append([.stream(0, Self.outline)], beginsGroup: true)
    tail.noteSync()
    var (begun, straddling, start) = (0, 0, 0)
    for (number, piece) in Self.pieces(of: chunk, every: 10).enumerated() {
      let begins = tail.beginsBlock
      let end = tail.segment?.length ?? 0
      if begins { begun += 1 }
      if number % 4 == 0 { start = begins ? TailBlock.beginning(from: end) : end }
      try tail.append([piece], beginsGroup: begins || number % 5 == 0)
      if begins {
        let segment = tail.segment
        let bytes = try #require(try segment.flatMap { try WholeFile.read($0.path) })
        #expect(bytes[TailBlock.beginning(from: end)] != 0)
        #expect(bytes[end..<TailBlock.beginning(from: end)].allSatisfy { $0 == 0 })
      }
      guard number % 4 == 3, let end = tail.segment?.length else { continue }
      if TailBlock.isStraddled(by: end - start, at: start) { straddling += 1 }
      tail.noteSync()
    }
    #expect(begun > 2 && straddling < begun, "\(begun) begun, \(straddling) straddling")
    abandon(store, tail)
    let again = try Store.open(path: path)
    #expect(again.tailRecovery == TailRecovery(samples: chunk.count, chunks: 1, missing: 0))
    try again.close()
    #expect(try chunks().map(\.counters) == [chunk.counters])
  }

  @Test func `damage to the first frame loses only the samples in it, not the stream`() throws {
    let store = try recorder()
    var tail = Tail(store: path)
    let pieces = Self.pieces(of: SampleRecording.chunk(0, count: 200), every: 50)
    try tail.append([.stream(0, Self.outline), pieces[0]], beginsGroup: true)
    try tail.append([pieces[1]], beginsGroup: true)
    try tail.append([.stream(0, Self.outline), pieces[2]], beginsGroup: true)
    try tail.append([pieces[3]], beginsGroup: false)
    let current = tail.segment
    let segment = try #require(current)
    var bytes = try #require(try WholeFile.read(segment.path))
    abandon(store, tail)
    bytes[TailSegment.headerSize + 12] ^= 1
    try write(bytes, to: segment.path)
    let again = try Store.open(path: path)
    #expect(again.tailRecovery?.samples == 150)
    try again.close()
    let found = try chunks()
    #expect(found.map(\.count) == [150])
    #expect(try StoreReader(path: path).check()?.isWhole == true)
  }

  @Test(arguments: [true, false])
  func `an outage before a kill is inferred from arrival times only if packets are unnumbered`(
    isTallied: Bool
  ) throws {
    let store = try recorder()
    var tail = Tail(store: path)
    var outline = Self.outline
    outline.stream.isTallied = isTallied
    var chunk = SampleRecording.chunk(0, count: 200)
    chunk.counters = Array(0..<200)
    chunk.arrivals = (0..<200).map { row in
      chunk.arrivals[0].advanced(
        bySeconds: Double(row) / chunk.stream.rate + (row < 150 ? 0 : 2))
    }
    chunk.gaps = []
    try tail.append([.stream(0, outline)], beginsGroup: true)
    for piece in Self.pieces(of: chunk, every: 50) { try tail.append([piece], beginsGroup: false) }
    abandon(store, tail)
    let again = try Store.open(path: path)
    #expect(again.tailRecovery?.samples == 200)
    try again.close()
    let lost = UInt64((2 * chunk.stream.rate).rounded())
    let found = try #require(try chunks().first)
    #expect(found.gaps.map(\.lost) == (isTallied ? [lost] : []))
    #expect(found.counters.last == 199 + (isTallied ? UInt32(lost) : 0))
  }

  @Test func `samples are counted as missing if no frame identifies their stream`() throws {
    let store = try recorder()
    var tail = Tail(store: path)
    let pieces = Self.pieces(of: SampleRecording.chunk(0, count: 100), every: 50)
    try tail.append([.stream(0, Self.outline), pieces[0]], beginsGroup: true)
    guard case .samples(_, let piece) = pieces[1] else {
      Issue.record("the second piece has no samples")
      return
    }
    try tail.append([.samples(3, piece)], beginsGroup: true)
    abandon(store, tail)
    let again = try Store.open(path: path)
    #expect(again.tailRecovery?.samples == 50 && again.tailRecovery?.missing == 50)
    try again.close()
  }

  @Test func `a folder named like a tail is ignored`() throws {
    let store = try recorder()
    try store.close()
    let made = unsafe mkdir(path + "-tail-4", 0o700)
    try #require(made == 0)
    try Store.open(path: path).close()
    _ = try StoreTail(store: path)
  }

  @Test func `an interrupted recovery is repeated without duplicating data`() throws {
    let store = try recorder()
    var tail = Tail(store: path)
    try tail.append(
      [.stream(0, Self.outline)] + Self.pieces(of: SampleRecording.chunk(0), every: 30),
      beginsGroup: true)
    let current = tail.segment
    let segment = try #require(current)
    let bytes = try #require(try WholeFile.read(segment.path))
    abandon(store, tail)
    try Store.open(path: path).close()
    // The power was cut after the samples were stored but before the tail was removed.
    try write(bytes, to: segment.path)
    let again = try Store.open(path: path)
    #expect(again.tailRecovery == TailRecovery())
    try again.close()
    #expect(try chunks().count == 1)
  }

  @Test(arguments: [false, true])
  func `a new tail file and the previous one form a single recording`(
    wasFormerRemoved: Bool
  ) throws {
    let open = SampleRecording.chunk(0, count: 300)
    let pieces = Self.pieces(of: open, every: 25)
    let store = try recorder()
    var tail = Tail(store: path)
    try tail.append([.stream(0, Self.outline)] + pieces[..<6], beginsGroup: false)
    var half = open
    half.counters = Array(open.counters[..<150])
    half.arrivals = Array(open.arrivals[..<150])
    half.columns = open.columns.map { Array($0[..<150]) }
    let snapshot = try #require(half.piece(from: ChunkPosition()))
    let former = try tail.restart(with: [.stream(7, Self.outline), .samples(7, snapshot)])
    if wasFormerRemoved { former?.remove() }
    for case .samples(_, let piece) in pieces[6...] {
      try tail.append([.samples(7, piece)], beginsGroup: false)
    }
    abandon(store, tail)
    let again = try Store.open(path: path)
    #expect(again.tailRecovery == TailRecovery(samples: 300, chunks: 1))
    try again.close()
    #expect(try chunks().map(\.counters) == [open.counters])
  }

  @Test
  func `a zeroed frame and the frame after it become a gap with a sample count`()
    throws
  {
    let open = SampleRecording.chunk(0, count: 200)
    let store = try recorder()
    var tail = Tail(store: path)
    try tail.append([.stream(0, Self.outline)], beginsGroup: false)
    var starts: [Int] = []
    let current = tail.segment
    let segment = try #require(current)
    for (place, record) in Self.pieces(of: open, every: 20).enumerated() {
      starts.append(segment.length)
      try tail.append([record], beginsGroup: place % 3 == 0)
    }
    var bytes = try #require(try WholeFile.read(segment.path))
    abandon(store, tail)
    for index in starts[4]..<starts[5] { bytes[index] = 0 }
    try write(bytes, to: segment.path)
    let again = try Store.open(path: path)
    #expect(
      again.tailRecovery
        == TailRecovery(
          samples: 160, chunks: 1, missing: 40, damagedBytes: starts[6] - starts[4]))
    try again.close()
    let chunk = try #require(try chunks().first)
    #expect(chunk.counters == Array(open.counters[..<80] + open.counters[120...]))
    let gap = try #require(chunk.gaps.first { $0.reason == .store })
    #expect(gap.lost == 40)
    #expect(gap.start == open.arrivals[79] && gap.end == open.arrivals[120])
  }

  @Test func `a file that is not a tail is reported and renamed`() throws {
    try Store.open(path: path).close()
    try write([1, 2, 3], to: TailFiles.path(store: path, number: 4))
    let again = try Store.open(path: path)
    let kept = TailFiles.path(store: path, number: 4) + "-unread"
    #expect(again.tailRecovery == TailRecovery(damagedBytes: 3, kept: [kept]))
    try again.close()
    #expect(TailFiles.existing(store: path).isEmpty)
    #expect(try WholeFile.read(kept) == [1, 2, 3])
  }

  @Test func `a second file that is not a tail does not replace the first one`() throws {
    try Store.open(path: path).close()
    let file = TailFiles.path(store: path, number: 1)
    for bytes in [[1, 2, 3], [4, 5], [6]] as [[UInt8]] {
      try write(bytes, to: file)
      try Store.open(path: path).close()
    }
    #expect(try WholeFile.read(file + "-unread") == [1, 2, 3])
    #expect(try WholeFile.read(file + "-unread-2") == [4, 5])
    #expect(try WholeFile.read(file + "-unread-3") == [6])
  }

  @Test func `a disconnected board's losses are counted during the recording`() throws {
    var store = try recorder()
    try store.commit(chunks: [], fixes: [], clock: SampleRecording.clock)
    let open = SampleRecording.chunk(0, count: 100)
    let last = try #require(open.arrivals.last)
    let lost = SessionEvent(
      .linkLost, board: SampleRecording.board.address, at: last.advanced(bySeconds: 2))
    var tail = Tail(store: path)
    try tail.append(
      [.stream(0, Self.outline)] + Self.pieces(of: open, every: 50)
        + [.event(lost), .alive(last.advanced(bySeconds: 18))], beginsGroup: true)
    #expect(StoreReader.isBeingRecordedInto(path))
    let reader = try StoreReader(path: path)
    let outline = try #require(
      try reader.outlines(of: reader.sessions(), StoreTail(store: path)).first)
    #expect(outline.samples == 100)
    let missing = outline.lost - open.lostCount
    #expect(1_799...1_801 ~= missing, "\(missing)")
    abandon(store, tail)
  }

  @Test func `a hazard gets its position from a fix that exists only in the tail`() throws {
    var store = try recorder()
    let (older, newest) = (SampleRecording.fixes[0], SampleRecording.fixes[1])
    // Around a pause, for example, the next fixes may exist only in the tail for up to a minute.
    try store.commit(chunks: [], fixes: [older], clock: SampleRecording.clock)
    var tail = Tail(store: path)
    try tail.append([.stream(0, Self.outline), .fix(newest)], beginsGroup: true)
    let session = SampleRecording.session.id
    let time = newest.arrival.advanced(bySeconds: 1)
    try StoreEditor(path: path).report(
      Hazard(name: "Slope", intensity: 1, time: time), session: session)
    let reader = try StoreReader(path: path)
    let place = GeoPosition(latitude: newest.latitude, longitude: newest.longitude)
    let hazards = try reader.hazards(of: session)
    #expect(hazards.map(\.position) == [place], "\(hazards)")
    #expect(try reader.place(in: session, at: time) == place)
    let former = GeoPosition(latitude: older.latitude, longitude: older.longitude)
    #expect(try reader.place(in: session, at: older.arrival) == former)
    // The wearer's position during a longer pause is unknown.
    #expect(try reader.place(in: session, at: newest.arrival.advanced(bySeconds: 11)) == nil)
    abandon(store, tail)
  }

  @Test func `opening a store recovers tails that were left by two sessions`() throws {
    // The second recorder could not remove the tail of the first one.
    for number in [UInt64(1), 2] {
      let session = SampleRecording.session(number)
      var outline = Self.outline
      outline.session = session.id
      var store = try Store(forChanging: path)
      try store.begin(session)
      try store.addBoard(SampleRecording.board, session: session.id)
      try store.addStream(
        SampleRecording.acceleration, board: SampleRecording.board.address, session: session.id)
      var tail = Tail(store: path)
      let chunk = SampleRecording.chunk(0, count: 100 * Int(number))
      try tail.append(
        [.stream(0, outline)] + Self.pieces(of: chunk, every: 50), beginsGroup: true)
      abandon(store, tail)
    }
    try #require(TailFiles.existing(store: path).count == 2)
    // A reader sees each tail even before a recorder recovers it.
    let reader = try StoreReader(path: path)
    let left = try StoreTail(store: path)
    for number in [UInt64(1), 2] {
      let rest = try left.rest(of: SampleRecording.session(number).id, behind: reader)
      #expect(rest.chunks.map { $0.map(\.count) } == [[100 * Int(number)]])
    }
    let again = try Store.open(path: path)
    #expect(again.tailRecovery == TailRecovery(samples: 300, chunks: 2))
    try again.close()
    #expect(TailFiles.existing(store: path).isEmpty)
    for number in [UInt64(1), 2] {
      let streams = try reader.streams(of: SampleRecording.session(number).id)
      #expect(streams.map(\.sampleCount) == [100 * Int(number)])
    }
  }

  @Test func `fixes are recovered from a session that was interrupted before its first stream`()
    throws
  {
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    var tail = Tail(store: path)
    try tail.append(SampleRecording.fixes.map { .fix($0) }, beginsGroup: true)
    abandon(store, tail)
    let again = try Store.open(path: path)
    #expect(again.tailRecovery == TailRecovery(fixes: 2))
    try again.close()
    let reader = try StoreReader(path: path)
    #expect(try reader.fixes(of: SampleRecording.session.id) == SampleRecording.fixes)
    #expect(TailFiles.existing(store: path).isEmpty)
  }

  @Test func `an unknown session's fixes are kept in a renamed file`() throws {
    try Store.open(path: path).close()
    var tail = Tail(store: path)
    try tail.append(SampleRecording.fixes.map { .fix($0) }, beginsGroup: true)
    let current = tail.segment
    let segment = try #require(current)
    let bytes = try #require(try WholeFile.read(segment.path))
    try Store.open(path: path).close()
    #expect(TailFiles.existing(store: path).isEmpty)
    #expect(try WholeFile.read(segment.path + "-unread") == bytes)
  }

  @Test(.realTime)
  func `a tail that cannot be removed is reported with a remedy, and its data are not duplicated`()
    async throws
  {
    guard getuid() == 0 else {
      try Test.cancel("only root can make a file that others may not remove")
    }
    let store = try recorder()
    var tail = Tail(store: path)
    try tail.append(
      [.stream(0, Self.outline)] + Self.pieces(of: SampleRecording.chunk(0), every: 30),
      beginsGroup: true)
    let current = tail.segment
    let segment = try #require(current)
    abandon(store, tail)
    let other: uid_t = 65_534
    unsafe chmod(folder.path, 0o1777)
    unsafe chmod(segment.path, 0o644)
    unsafe chown(path, other, other)
    await #expect(processExitsWith: .success) {
      [path = path as String, file = segment.path as String] in
      try #require(setuid(65_534) == 0)
      for _ in 0..<2 {
        do throws(StoreError) {
          try Store.open(path: path).close()
          Issue.record("the tail is gone")
        } catch {
          #expect(
            error.words == """
              cannot remove \(file): Operation not permitted
                     its data is in the store now: delete the file, or allow this user to delete it
              """)
        }
      }
    }
    #expect(try chunks().map(\.counters) == [SampleRecording.chunk(0).counters])
  }

  @Test func `a second recorder leaves a running recorder's tail alone`() throws {
    let store = try recorder()
    var tail = Tail(store: path)
    try tail.append([.stream(0, Self.outline)], beginsGroup: false)
    do throws(StoreError) {
      try Store.open(path: path).close()
      Issue.record("a second recorder was admitted")
    } catch {
      #expect(error.kind == .locked)
    }
    #expect(TailFiles.existing(store: path).count == 1)
    try store.close()
  }
}
