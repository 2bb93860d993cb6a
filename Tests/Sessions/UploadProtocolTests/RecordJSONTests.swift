import Foundation
import UploadProtocol
import Recording
import TestSupport
import Testing
import Values

/// JSON for a session's record and its track.
@Suite(.computation) struct RecordJSONTests {
  private static let minimal = SessionRecord(
    session: Session(
      id: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
      start: BootTime(nanoseconds: 5)))

  /// A record with one item of each kind, as shown in `docs/data-format.md`.
  private static let complete: SessionRecord = {
    var record = minimal
    record.session.end = BootTime(nanoseconds: 9_223_372_036_854_775_807)
    record.session.ending = .closed
    record.session.gateway = "pi"
    let board = BoardIdentity(
      address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
      firmware: "1.7.2")
    record.boards = [board]
    record.placements = [board.address: "left ankle"]
    record.streams = [
      SessionRecord.Stream(
        board: board.address,
        description: StreamDescription(
          signal: "gyroscope", unit: "°/s", countsPerUnit: 16.4, range: 2_000, rate: 100,
          lossAccounting: .counted),
        chunks: [
          SessionRecord.ChunkEntry(
            id: UniqueID(high: 6, low: 7), sequence: 0, sampleCount: 2_000, lostCount: 0,
            first: BootTime(nanoseconds: 8))
        ])
    ]
    record.fixCount = 1
    record.clock = [
      ClockTable.Entry(
        boot: BootTime(nanoseconds: 10), utc: UTCTime(nanoseconds: 11), source: .satellites)
    ]
    record.hazards = [
      Hazard(
        name: "Slope", intensity: 2, time: BootTime(nanoseconds: 12),
        utc: UTCTime(nanoseconds: 13), position: GeoPosition(latitude: 50.5, longitude: 14))
    ]
    record.annotations = [Annotation(time: BootTime(nanoseconds: 14), text: "bridge")]
    record.events = [
      SessionEvent(.battery, board: board.address, at: BootTime(nanoseconds: 15), value: 98)
    ]
    record.statistics = SessionStatistics()
    return record
  }()

  @Test func `hazard names in a record are compared by the same rules as in the store`() throws {
    var record = Self.complete
    record.hazards = ["\u{d6}l", "\u{f6}l", "o\u{308}l"].map { name in
      Hazard(name: name, intensity: 1, time: BootTime(nanoseconds: 12), utc: nil, position: nil)
    }
    #expect(try SessionRecord(decoding: record.encoded) == record)
    record.hazards[1].name = "\u{d6}L"
    #expect(throws: JSONError.self) { try SessionRecord(decoding: record.encoded) }
  }

  @Test func `a record has the documented format`() {
    let text = """
      {"format":1,"session":{"id":"00000000-0000-0001-0000-000000000002",\
      "bootId":"00000000-0000-0003-0000-000000000004","startNs":"5",\
      "endNs":"9223372036854775807","ending":"closed","note":"","gateway":"pi","wearer":""},\
      "boards":[{"address":"C8:4B:AA:97:50:05","name":"left","model":"MetaMotion S",\
      "firmware":"1.7.2"}],"placements":{"C8:4B:AA:97:50:05":"left ankle"},\
      "streams":[{"board":"C8:4B:AA:97:50:05","signal":"gyroscope","unit":"°/s",\
      "axes":["x","y","z"],"rawForm":"integer","countsPerUnit":16.4,"range":2000,"rate":100,\
      "lossAccounting":"counted","boardClock":false,"lastSequence":0,\
      "chunks":[{"id":"00000000-0000-0006-0000-000000000007","sequence":0,"samples":2000,\
      "lost":"0","firstNs":"8"}]}],"fixCount":1,\
      "clock":[{"bootNs":"10","utcNs":"11","source":"gps"}],\
      "hazards":[{"name":"Slope","intensity":2,"timeNs":"12","utcNs":"13","latitude":50.5,\
      "longitude":14}],"annotations":[{"timeNs":"14","text":"bridge"}],\
      "events":[{"kind":"battery","board":"C8:4B:AA:97:50:05","timeNs":"15","value":98,\
      "text":""}],"statistics":{"elapsed":0,"movingSeconds":0,"steps":[],"fixSeconds":0}}
      """
    #expect(String(decoding: Self.complete.encoded, as: UTF8.self) == text)
  }

  @Test func `a track piece has the documented format`() {
    var fix = Fix(
      arrival: BootTime(nanoseconds: -1), utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000),
      latitude: 50.083, longitude: -14)
    fix.satellites = 9
    fix.error = Fix.ErrorEstimate(horizontal: 2.5, basis: .dilution)
    let other = Fix(
      arrival: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 10), latitude: 0, longitude: 0,
      followsLoss: true)
    let piece = TrackPiece(session: UniqueID(high: 1, low: 2), first: 0, fixes: [fix, other])
    let text = """
      {"format":1,"session":"00000000-0000-0001-0000-000000000002","first":0,\
      "fixes":[{"arrivalNs":"-1","utcNs":"1777887000000000000","latitude":50.083,\
      "longitude":-14,"satellites":9,"threeDimensional":false,"quality":1,\
      "error":{"horizontal":2.5,"basis":"dop"}},{"arrivalNs":"0","utcNs":"10","latitude":0,\
      "longitude":0,"threeDimensional":false,"quality":1,"followsLoss":true}]}
      """
    #expect(String(decoding: piece.encoded, as: UTF8.self) == text)
  }

  @Test func `strings in a record are escaped, and empty lists are included`() throws {
    var record = Self.minimal
    record.session.note = "a \"quoted\"\nline \u{1}"
    let text = String(decoding: record.encoded, as: UTF8.self)
    #expect(
      text.contains(#""startNs":"5","note":"a \"quoted\"\nline \u0001","gateway":"""#))
    #expect(
      text.hasSuffix(
        #""boards":[],"placements":{},"streams":[],"fixCount":0,"clock":[],"hazards":[],"#
          + #""annotations":[],"events":[]}"#))
    #expect(try SessionRecord(decoding: record.encoded) == record)
  }

  @Test
  func `any record is decoded to the same record, and equal records have equal bytes`()
    throws
  {
    let seed = UInt64.random(in: 0...999_999)
    var random = RandomRecord(seed: seed)
    for round in 0..<300 {
      let record = random.next()
      let bytes = record.encoded
      let back = try SessionRecord(decoding: bytes)
      #expect(back == record, "seed \(seed), round \(round)")
      #expect(back.encoded == bytes, "seed \(seed), round \(round)")
      // Another JSON reader finds the same values. Its output in another order is the same record
      // to us.
      let foreign = try JSONSerialization.jsonObject(with: Data(bytes))
      let rewritten = try JSONSerialization.data(
        withJSONObject: foreign, options: [.prettyPrinted, .sortedKeys])
      let again = try SessionRecord(decoding: Array(rewritten))
      #expect(again.streams == record.streams, "seed \(seed), round \(round)")
      #expect(again.events.map(\.text) == record.events.map(\.text))
    }
  }

  @Test func `any piece of a track is decoded to the same piece`() throws {
    let seed = UInt64.random(in: 0...999_999)
    var random = RandomRecord(seed: seed)
    for round in 0..<100 {
      let piece = TrackPiece(
        session: UniqueID(high: 1, low: seed), first: round * TrackPiece.capacity,
        fixes: (0..<(round % 20)).map { _ in random.fix() })
      let back = try TrackPiece(decoding: piece.encoded)
      #expect(back == piece, "seed \(seed), round \(round)")
      #expect(back.encoded == piece.encoded, "seed \(seed), round \(round)")
    }
  }

  struct Change: CustomTestStringConvertible, Sendable {
    var old: String
    var new: String
    var error: String
    var testDescription: String { "\(old) → \(new)" }
  }

  @Test(arguments: [
    Change(old: #""format":1"#, new: #""format":2"#, error: "format: only version 1 is supported"),
    Change(old: #""format":1,"#, new: "", error: "format: a count is missing"),
    Change(old: #""format":1"#, new: #""format":"1""#, error: "format: a count is expected"),
    Change(
      old: #""startNs":"5""#, new: #""startNs":5"#,
      error: "session.startNs: nanoseconds as a string is expected"),
    Change(
      old: #""startNs":"5""#, new: #""startNs":"9223372036854775808""#,
      error: "session.startNs: nanoseconds as a string is expected"),
    Change(
      old: #""startNs":"5","#, new: "", error: "session.startNs: nanoseconds as a string is missing"
    ),
    Change(
      old: "closed", new: "open", error: "session.ending: one of closed, recovered is expected"),
    Change(
      old: #""endNs":"9223372036854775807","#, new: #""endNs":null,"#,
      error: "session.ending: an open session has no ending"),
    Change(
      old: #""id":"00000000-0000-0001-0000-000000000002""#, new: #""id":"2""#,
      error: "session.id: an id is expected"),
    Change(
      old: #"[{"address":"C8:4B:AA:97:50:05""#, new: #"[{"address":"C8:4B:AA:97:50""#,
      error: "boards[0].address: a board address is expected"),
    Change(
      old: #"[{"address":"C8:4B:AA:97:50:05""#, new: #"[{"address":"C8:4B:AA:97:50:06""#,
      error: "streams[0].board: it is not one of the boards"),
    Change(
      old: #""C8:4B:AA:97:50:05":"left ankle""#, new: #""left":"ankle""#,
      error: "placements.left: a board address is expected"),
    Change(
      old: #"["x","y","z"]"#, new: #"["x,y","z"]"#,
      error: "streams[0].axes: one to four names without commas is expected"),
    Change(
      old: #"["x","y","z"]"#, new: "[]",
      error: "streams[0].axes: one to four names without commas is expected"),
    Change(
      old: #""range":2000"#, new: #""range":0"#,
      error: "streams[0].range: a number above 0 is expected"),
    Change(
      old: #""sequence":0"#, new: #""sequence":4294967296"#,
      error: "streams[0].chunks[0].sequence: a position is expected"),
    Change(
      old: #""samples":2000"#, new: #""samples":-1"#,
      error: "streams[0].chunks[0].samples: a count up to 65536 is expected"),
    Change(
      old: #""samples":2000"#, new: #""samples":65537"#,
      error: "streams[0].chunks[0].samples: a count up to 65536 is expected"),
    Change(
      old: #""lost":"0""#, new: #""lost":"-1""#,
      error: "streams[0].chunks[0].lost: a count as a string is expected"),
    Change(
      old: #""fixCount":1"#, new: #""fixCount":1.5"#,
      error: "fixCount: a count up to 2000000000 is expected"),
    Change(
      old: #""fixCount":1"#, new: #""fixCount":9007199254740992"#,
      error: "fixCount: a count up to 2000000000 is expected"),
    Change(
      old: #""source":"gps""#, new: #""source":"sun""#,
      error: "clock[0].source: one of system, ntp, gps is expected"),
    Change(
      old: #""intensity":2"#, new: #""intensity":4"#,
      error: "hazards[0].intensity: an intensity from 0 to 3 is expected"),
    Change(
      old: #","longitude":14"#, new: "",
      error: "hazards[0].latitude: latitude and longitude must be given together"),
    Change(
      old: #""latitude":50.5"#, new: #""latitude":-90.1"#,
      error: "hazards[0].latitude: a number from -90 to 90 is expected"),
    Change(
      old: #""annotations":[{"#, new: #""annotations":[7,{"#,
      error: "annotations[0]: an object is expected"),
    Change(
      old: #""annotations":[{"timeNs":"14","text":"bridge"}]"#, new: #""annotations":{}"#,
      error: "annotations: a list is expected"),
    Change(
      old: #""value":98"#, new: #""value":"98""#, error: "events[0].value: a number is expected"),
    Change(
      old: #""elapsed":0"#, new: #""elapsed":null"#,
      error: "statistics.elapsed: a number is missing"),
  ])
  func `an invalid value in a record is rejected, and the error contains the value's path`(
    _ change: Change
  ) {
    let text = String(decoding: Self.complete.encoded, as: UTF8.self)
    #expect(text.contains(change.old))
    let changed = text.replacing(change.old, with: change.new, maxReplacements: 1)
    do throws(JSONError) {
      _ = try SessionRecord(decoding: Array(changed.utf8))
      Issue.record("accepted")
    } catch {
      #expect(error.description == change.error)
    }
  }

  @Test func `names and events that later versions add to a record are skipped`() throws {
    let text = String(decoding: Self.complete.encoded, as: UTF8.self)
      .replacing(#"{"format":1"#, with: #"{"format":1,"later":[{"a":null}]"#)
      .replacing(#"{"kind":"battery""#, with: #"{"kind":"tea","text":3},{"kind":"battery""#)
      .replacing(#""note":"""#, with: #""note":"","mood":"good""#)
    #expect(try SessionRecord(decoding: Array(text.utf8)) == Self.complete)
  }

  @Test func `a record with too many members or values, or with too long a note, is rejected`() {
    let text = String(decoding: Self.complete.encoded, as: UTF8.self)
    let many = String(repeating: "[0],", count: 1_000) + "0"
    let names = (0..<10_001).map { "\"\($0)\":0" }.joined(separator: ",")
    for (old, new, error) in [
      (#""note":"""#, "\"note\":[\(many)]", "more values than expected"),
      (#""note":"""#, "\"note\":\"\(String(repeating: "a", count: 1 << 20))\"", "session.note: "),
      (#"{"format":1"#, "{\(names),\"format\":1", "more than 10000 members"),
    ] {
      let changed = text.replacing(old, with: new, maxReplacements: 1)
      #expect(changed != text)
      let found = #expect(throws: JSONError.self) {
        try SessionRecord(decoding: Array(changed.utf8))
      }
      #expect(found?.description.contains(error) == true, "\(found?.description ?? "-")")
    }
    // Unknown fields are skipped, however long they are.
    let later = text.replacing(#"{"format":1"#, with: "{\"later\":[\(many)],\"format\":1")
    #expect(throws: Never.self) { try SessionRecord(decoding: Array(later.utf8)) }
  }

  @Test func `a record truncated anywhere is rejected`() {
    let bytes = Self.complete.encoded
    for count in 0..<bytes.count {
      #expect(throws: JSONError.self) {
        try SessionRecord(decoding: Array(bytes[..<count]))
      }
    }
  }

  @Test
  func `a track piece starts at a multiple of its capacity and never exceeds that capacity`() {
    var piece = TrackPiece(session: UniqueID(high: 1, low: 2), first: 1, fixes: [])
    #expect(throws: JSONError("first", "a multiple of 2000 is expected")) {
      try TrackPiece(decoding: piece.encoded)
    }
    piece.first = 0
    let fix = Fix(
      arrival: BootTime(nanoseconds: 1), utc: UTCTime(nanoseconds: 2), latitude: 3, longitude: 4)
    piece.fixes = Array(repeating: fix, count: TrackPiece.capacity + 1)
    #expect(throws: JSONError("fixes", "it has more than 2000 elements")) {
      try TrackPiece(decoding: piece.encoded)
    }
    piece.fixes.removeLast()
    #expect(throws: Never.self) { try TrackPiece(decoding: piece.encoded) }
  }
}
