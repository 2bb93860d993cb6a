import ChunkFormat
import LinuxSystem
import Recording
@testable import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct MigrationTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A store as the first version made it, with one stream of three axes and one of one.
  private func makeFirstVersion() throws {
    let database = try Database.open(path: path, mode: .recording)
    try database.execute(
      """
      PRAGMA journal_mode = WAL;
      \(Schema.migrations[0])
      PRAGMA application_id = \(Schema.applicationID);
      PRAGMA user_version = 1;
      INSERT INTO session VALUES
        (x'00000000000000010000000000000002', x'00000000000000030000000000000004', 5000000000,
          NULL, 'Fahrt über die Brücke');
      INSERT INTO board
        SELECT id, \(SampleRecording.board.address.value), 'left', 'MetaMotion S', '1.7.2'
        FROM session;
      INSERT INTO stream
          (session, board, signal, unit, axes, counts_per_unit, rate, loss_accounting)
        SELECT session, address, 'acceleration', 'g', 3, 16384, 100, 0 FROM board
        UNION ALL SELECT session, address, 'temperature', '°C', 1, 8, 1, 1 FROM board;
      """, doing: "prepare")
  }

  /// A store as the third version made it: sessions of two boots, of which the second was cut off.
  private func makeThirdVersion() throws {
    try makeFirstVersion()
    let database = try Database.open(path: path, mode: .recording)
    try database.execute(
      """
      \(Schema.migrations[1])
      \(Schema.migrations[2])
      PRAGMA user_version = 3;
      UPDATE session SET end_ns = 9000000000;
      INSERT INTO session VALUES
        (x'00000000000000000000000000000009', x'00000000000000000000000000000001', 3000000000,
          NULL, 'second');
      INSERT INTO board
        SELECT id, \(SampleRecording.board.address.value), 'left', 'MetaMotion S', '1.7.2'
        FROM session WHERE note = 'second';
      INSERT INTO stream
          (session, board, signal, unit, axes, counts_per_unit, rate, loss_accounting)
        SELECT session, address, 'acceleration', 'g', 3, 16384, 100, 0 FROM board
        WHERE session = x'00000000000000000000000000000009';
      INSERT INTO fix SELECT id, 0, 4000000000, 0, 50, 14, NULL, NULL, NULL, NULL, NULL, NULL, 0, 1
        FROM session WHERE note = 'second';
      """, doing: "prepare")
  }

  @Test func `sessions of the third version get an order, an ending and room for notes`() throws {
    try makeThirdVersion()
    var first = SampleRecording.session
    first.end = BootTime(nanoseconds: 9_000_000_000)
    first.ending = .closed
    var second = Session(
      id: UniqueID(high: 0, low: 9), bootID: UniqueID(high: 0, low: 1),
      start: BootTime(nanoseconds: 3_000_000_000), note: "second")
    let reader = try StoreReader(path: path)
    // By boot and time, for want of anything better, and nothing else is known of them.
    #expect(try reader.sessions() == [second, first])
    #expect(try reader.hazards(of: first.id) == [])
    #expect(try reader.events(of: first.id) == [])
    #expect(try reader.annotations(of: first.id) == [])
    #expect(try reader.placements(of: first.id) == [:])

    var third = SampleRecording.session
    third.id = UniqueID(high: 9, low: 9)
    third.gateway = "pi"
    third.wearer = "Anna"
    var store = try Store(path: path)
    #expect(try store.openSessions().isEmpty)
    try store.begin(third)
    try store.close()
    second.end = BootTime(nanoseconds: 4_000_000_000)
    second.ending = .recovered
    #expect(try reader.sessions() == [first, second, third])
    #expect(try reader.events(of: second.id).map(\.kind) == [.recovered])
  }

  /// A store as the fourth version made it: with what tests of its time noted of uploads.
  private func makeFourthVersion() throws -> [Chunk] {
    try makeThirdVersion()
    let database = try Database.open(path: path, mode: .recording)
    try database.execute(
      """
      \(Schema.migrations[3])
      PRAGMA user_version = 4;
      INSERT INTO setting VALUES ('when_full', 'drop-oldest');
      """, doing: "prepare")
    let chunks = (0..<3).map { SampleRecording.chunk($0) }
    for (chunk, states) in zip(chunks, [["lab": 1, "usb": 1], ["lab": 2], [:]]) {
      var insert = try database.prepare(
        """
        INSERT INTO chunk (id, stream, sequence, samples, lost, first_ns, bytes)
        VALUES (?, (SELECT min(number) FROM stream WHERE session = ?), ?, 100, 5, ?, ?)
        """, doing: "prepare")
      try insert.bind(chunk.id.bytes)
      try insert.bind(chunk.session.bytes)
      try insert.bind(Int64(chunk.sequence))
      try insert.bind(chunk.clock.first.nanoseconds)
      try insert.bind(chunk.encoded())
      try insert.run()
      for (destination, state) in states {
        try database.execute(
          """
          INSERT INTO upload SELECT max(number), '\(destination)', \(state), 3, 'no', 17 FROM chunk
          """, doing: "prepare")
      }
    }
    return chunks
  }

  @Test func `a store of the fourth version keeps what was sent, of destinations nobody has named`()
    throws
  {
    let chunks = try makeFourthVersion()
    let reader = try StoreReader(path: path)
    // Before it is brought up to date it has no destinations, and reads as before.
    #expect(try reader.destinations() == [])
    #expect(try reader.destination(named: "lab") == nil)
    let streams = try reader.streams(of: SampleRecording.session.id)
    try #require(streams.map(\.chunkCount) == [3, 0])
    #expect(try reader.lastSequence(of: streams[0]) == 2)
    #expect(
      try reader.record(of: SampleRecording.session.id)?.streams[0].chunks.map(\.id)
        == chunks.map(\.id))

    let editor = try StoreEditor(path: path)
    #expect(try reader.destinations() == [])
    #expect(try reader.spacePolicy() == SpacePolicy(whenFull: .dropOldest))
    // The place of a former destination was its word.
    let lab = try editor.addDestination(
      named: "Lab", place: "lab", settings: "{}", at: UTCTime(nanoseconds: 1))
    #expect(try reader.waitingChunks(for: lab, limit: 9).map(\.id) == [chunks[2].id])
    let parked = try reader.parked(for: lab)
    #expect(parked.map(\.chunk) == [chunks[1].id])
    #expect(parked.map(\.error) == ["no"])
    #expect(parked.map(\.attempts) == [3])
    #expect(parked.map(\.time) == [UTCTime(nanoseconds: 17)])
    let new = try editor.addDestination(
      named: "new", place: "folder /new", settings: "{}", at: UTCTime(nanoseconds: 1))
    #expect(try reader.waitingChunks(for: new, limit: 9).count == 3)
    #expect(try reader.streams(of: SampleRecording.session.id).map(\.chunkCount) == [3, 0])
  }

  @Test func `a torn store of the fourth version is salvaged into one of the present`() throws {
    let chunks = try makeFourthVersion()
    let salvage = try #require(try StoreSalvage.run(path))
    #expect(salvage.chunks == 3)
    let reader = try StoreReader(path: path)
    let editor = try StoreEditor(path: path)
    let lab = try editor.addDestination(
      named: "lab", place: "lab", settings: "{}", at: UTCTime(nanoseconds: 1))
    #expect(try reader.waitingChunks(for: lab, limit: 9).map(\.id) == [chunks[2].id])
  }

  @Test func `streams of the sixth version have no range, and those recorded since have one`()
    throws
  {
    _ = try makeFourthVersion()
    do {
      let database = try Database.open(path: path, mode: .recording)
      try database.execute(
        "\(Schema.migrations[4]) \(Schema.migrations[5]) PRAGMA user_version = 6", doing: "prepare")
    }
    #expect(try descriptions() == Self.recorded)
    var session = SampleRecording.session
    session.id = UniqueID(high: 7, low: 8)
    var described = SampleRecording.acceleration
    described.range = 2
    var store = try Store(path: path)
    try store.begin(session)
    try store.addBoard(SampleRecording.board, session: session.id)
    try store.addStream(described, board: SampleRecording.board.address, session: session.id)
    try store.close()
    let reader = try StoreReader(path: path)
    #expect(try reader.streams(of: session.id).map(\.description) == [described])
    #expect(try descriptions() == Self.recorded)
    #expect(try reader.record(of: session.id)?.streams.map(\.description.range) == [2])
  }

  @Test func `a damaged chunk of the seventh version lost its samples, and none besides`() throws {
    _ = try makeFourthVersion()
    do {
      let database = try Database.open(path: path, mode: .recording)
      try database.execute(
        Schema.migrations[4...6].joined() + "PRAGMA user_version = 7; "
          + "INSERT INTO damaged (id, stream, sequence, samples, why) "
          + "SELECT id, stream, sequence + 100, samples, 'test' FROM chunk LIMIT 1",
        doing: "prepare")
    }
    let chunk = try #require(try lostWithChunks())
    #expect(chunk > 0)
    try Store(path: path).close()
    #expect(try lostWithChunks() == chunk)
    let database = try Database.open(path: path, mode: .recording)
    #expect(try database.integer("SELECT sum(lost) FROM damaged") == 0)
    try database.execute("UPDATE damaged SET lost = 7", doing: "prepare")
    #expect(try lostWithChunks() == chunk + 7)
  }

  private func lostWithChunks() throws -> UInt64? {
    let reader = try StoreReader(path: path)
    let stream = try reader.streams(of: SampleRecording.session.id).first
    return try stream.map { try reader.samplesLostWithChunks(of: $0) }
  }

  private func descriptions() throws -> [StreamDescription] {
    let reader = try StoreReader(path: path)
    return try reader.streams(of: SampleRecording.session.id).map(\.description)
  }

  private static let recorded = [SampleRecording.acceleration, SampleRecording.temperature]

  @Test func `a store of the first version is read without being changed`() throws {
    try makeFirstVersion()
    #expect(try descriptions() == Self.recorded)
    let database = try Database.open(path: path, mode: .reading)
    #expect(try database.integer("PRAGMA user_version") == 1)
  }

  @Test func `a store of the first version is brought up to date and keeps what it has`() throws {
    try makeFirstVersion()
    try Store(path: path, takesInTail: false).close()
    #expect(try descriptions() == Self.recorded)
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions() == [SampleRecording.session])
    let database = try Database.open(path: path, mode: .reading)
    #expect(try database.integer("PRAGMA user_version") == Schema.version)
  }

  @Test func `a store without boards is read as one that knows none, until one is added`() throws {
    try makeFirstVersion()
    let reader = try StoreReader(path: path)
    #expect(try reader.boards() == [])
    let register = try BoardRegister(path: path)
    #expect(try register.boards() == [])
    let board = StoredBoard(
      address: SampleRecording.board.address, name: "left", model: "MetaMotion S",
      firmware: "1.7.2", added: UTCTime(nanoseconds: 7))
    try register.remember(board)
    #expect(try reader.boards() == [board])
    #expect(try descriptions() == Self.recorded)
  }

  @Test func `a store of the second version gets a place for boards`() throws {
    let database = try Database.open(path: path, mode: .recording)
    try database.execute(
      """
      \(Schema.migrations[0])
      \(Schema.migrations[1])
      PRAGMA application_id = \(Schema.applicationID);
      PRAGMA user_version = 2;
      """, doing: "prepare")
    let reader = try StoreReader(path: path)
    #expect(try reader.boards() == [])
    // Whoever waited for the lock while another brought it up to date does nothing more.
    try database.migrate(from: 2)
    try database.migrate(from: 2)
    #expect(try database.integer("PRAGMA user_version") == Schema.version)
    #expect(try reader.boards() == [])
  }

  @Test func `a reader that was there before sees the streams of a store brought up to date`()
    throws
  {
    try makeFirstVersion()
    let reader = try StoreReader(path: path)
    #expect(try reader.streams(of: SampleRecording.session.id).count == 2)
    var session = SampleRecording.session
    session.id = UniqueID(high: 7, low: 8)
    var store = try Store(path: path)
    try store.begin(session)
    try store.addBoard(SampleRecording.board, session: session.id)
    try store.addStream(
      SampleRecording.heading, board: SampleRecording.board.address, session: session.id)
    #expect(try reader.streams(of: session.id).map(\.description) == [SampleRecording.heading])
    try store.close()
  }
}
