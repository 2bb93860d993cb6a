import LinuxSystem
import Recording
@testable import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct SessionNotesTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let session = SampleRecording.session

  init() throws {
    folder = try TemporaryFolder()
  }

  private static func hazard(
    _ name: String, _ intensity: Int, at seconds: Int64, position: GeoPosition? = nil
  ) -> Hazard {
    Hazard(
      name: name, intensity: intensity, time: BootTime(nanoseconds: seconds * 1_000_000_000),
      utc: UTCTime(nanoseconds: seconds), position: position)
  }

  @Test func `a session starts with its known details and its boards' placements`() throws {
    try BoardRegister(path: path).remember(
      StoredBoard(
        address: SampleRecording.board.address, name: "left", placement: "left wrist",
        model: "MetaMotion S", firmware: "1.7.2", added: UTCTime(nanoseconds: 7)))
    var begun = session
    begun.gateway = "pi"
    begun.wearer = "Anna"
    let hazards = [Self.hazard("Slippery", 2, at: 5), Self.hazard("Low branch", 1, at: 5)]
    var store = try Store.open(path: path)
    try store.begin(begun, hazards: hazards)
    try store.addBoard(SampleRecording.board, session: begun.id)
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions() == [begun])
    #expect(try Set(reader.hazards(of: begun.id)) == Set(hazards))
    #expect(
      try reader.placements(of: begun.id) == [SampleRecording.board.address: "left wrist"])
    // A later change of a board's placement does not affect an earlier recording.
    _ = try BoardRegister(path: path).change(
      SampleRecording.board.address, name: nil, placement: "ankle")
    #expect(
      try reader.placements(of: begun.id) == [SampleRecording.board.address: "left wrist"])
    try store.close()
  }

  @Test func `notes added while a session is being closed are dated no later than its end`() throws
  {
    var store = try Store.open(path: path)
    try store.begin(session)
    let editor = try StoreEditor(path: path)
    let end = BootTime(nanoseconds: 20_000_000_000)
    try editor.report(Self.hazard("Slope", 1, at: 15), session: session.id)
    // The recorder has determined the session's end but has not stored it yet.
    try editor.report(Self.hazard("Slippery", 2, at: 22), session: session.id)
    let remark = Annotation(time: end.advanced(bySeconds: 2), text: "home")
    try editor.annotate(remark, session: session.id)
    try store.note(SessionEvent(.battery, at: remark.time), session: session.id)
    let report = WalkReport(hazards: .none, utc: UTCTime(nanoseconds: 77))
    try editor.submit(report, session: session.id, at: remark.time)
    try store.end(session: session.id, at: end)
    // The command read the clock before the recorder stored the session's end.
    try editor.report(Self.hazard("Kerb", 1, at: 23), session: session.id)
    let reader = try StoreReader(path: path)
    let hazards = try reader.hazards(of: session.id)
    #expect(hazards.map(\.name) == ["Slope", "Kerb", "Slippery"])
    #expect(hazards.map(\.time.nanoseconds) == [15, 20, 20].map { $0 * 1_000_000_000 })
    #expect(hazards.map(\.utc?.nanoseconds) == [15, 23 - 3_000_000_000, 22 - 2_000_000_000])
    #expect(try reader.annotations(of: session.id) == [Annotation(time: end, text: "home")])
    let events = try reader.events(of: session.id)
    #expect(events.filter { $0.kind == .hazard }.allSatisfy { $0.time <= end })
    #expect(events.filter { $0.kind == .battery }.map(\.time) == [remark.time])
    // A report keeps its submission time, even if this is after the end of the session.
    #expect(WalkReport.all(in: events) == [report])
    #expect(events.first { $0.kind == .submitted }?.time == end)
    try store.close()
  }

  @Test func `a remark is corrected once, and only if its old text matches`() throws {
    var store = try Store.open(path: path)
    try store.begin(session)
    let editor = try StoreEditor(path: path)
    let times = [1_000_400_000, 1_002_000_000].map { BootTime(nanoseconds: $0) }
    for time in times {
      try editor.annotate(Annotation(time: time, text: "gat"), session: session.id)
    }
    func correct(
      _ nanoseconds: Int64, _ former: String, _ text: String, id: UniqueID? = nil
    ) throws -> ReportState {
      try editor.correct(
        Annotation(time: BootTime(nanoseconds: nanoseconds), text: former), to: text,
        session: session.id, id: id, at: BootTime(nanoseconds: 9), utc: UTCTime(nanoseconds: 7))
    }
    // Times are compared to the millisecond, as they are shown in reports.
    let id = UniqueID(high: 3, low: 4)
    for _ in 0..<2 {
      #expect(try correct(1_000_000_000, "gat", "gate", id: id) == .stored)
    }
    #expect(try correct(1_000_000_000, "gat", "door", id: UniqueID(high: 5, low: 6)) == .absent)
    #expect(try correct(1_002_000_000, "gat", "gat") == .stored)
    // An id identifies one report, even if different content is later sent with the same id.
    #expect(try correct(1_002_000_000, "gat", "door", id: id) == .other)
    let hazard = Self.hazard("Slope", 1, at: 2)
    #expect(try editor.report(hazard, session: session.id, id: id) == .other)
    let note = Annotation(time: times[0], text: "one")
    #expect(try editor.annotate(note, session: session.id, id: id) == .other)
    let reader = try StoreReader(path: path)
    #expect(try reader.annotations(of: session.id).map(\.text) == ["gate", "gat"])
    #expect(
      try reader.events(of: session.id) == [
        SessionEvent(
          .edited, at: BootTime(nanoseconds: 9), utc: UTCTime(nanoseconds: 7),
          text: "annotation changed from 'gat' to 'gate'")
      ])
    #expect(try correct(1_002_000_000, "gat", "") == .stored)
    #expect(try reader.annotations(of: session.id).map(\.text) == ["gate"])
    #expect(throws: StoreError.self) {
      try editor.correct(
        Annotation(time: times[0], text: "gate"), to: "", session: UniqueID(high: 9, low: 9),
        at: times[0], utc: UTCTime(nanoseconds: 7))
    }
    try store.close()
  }

  @Test func `events are stored with a commit or immediately, and are read back in order`() throws {
    let address = SampleRecording.board.address
    let events = SessionEvent.Kind.allCases.enumerated().map { index, kind in
      SessionEvent(
        kind, board: index % 2 == 0 ? address : nil, at: BootTime(nanoseconds: Int64(index)),
        utc: index % 3 == 0 ? UTCTime(nanoseconds: -1) : nil,
        value: index % 4 == 0 ? 0.5 : nil, text: index % 5 == 0 ? "Fahrt" : "")
    }
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.commit(chunks: [], fixes: [], clock: [], events: Array(events.dropLast()))
    if let last = events.last { try store.note(last, session: session.id) }
    try store.close()
    let reader = try StoreReader(path: path)
    #expect(try reader.events(of: session.id) == events)
    #expect(try reader.events(of: .random()) == [])
  }

  @Test func `hazards and annotations can be added while a recorder has the store open`() throws {
    var store = try Store.open(path: path)
    try store.begin(session)
    let editor = try StoreEditor(path: path)
    let place = GeoPosition(latitude: 50.08, longitude: -14.41)
    try editor.report(Self.hazard("Slope", 3, at: 7, position: place), session: session.id)
    let annotations = [
      Annotation(time: BootTime(nanoseconds: 8_000_000_000), text: "stopped"),
      Annotation(time: BootTime(nanoseconds: 6_000_000_000), text: "über die Brücke"),
    ]
    for annotation in annotations { try editor.annotate(annotation, session: session.id) }
    try store.commit(chunks: [], fixes: SampleRecording.fixes, clock: SampleRecording.clock)
    let reader = try StoreReader(path: path)
    #expect(
      try reader.hazards(of: session.id) == [Self.hazard("Slope", 3, at: 7, position: place)])
    #expect(try reader.annotations(of: session.id) == annotations.reversed())
    try store.close()
  }

  @Test func `a hazard that is reported again is updated, and each report is kept as an event`()
    throws
  {
    var store = try Store.open(path: path)
    try store.begin(session, hazards: [Self.hazard("Slippery", 2, at: 5)])
    let editor = try StoreEditor(path: path)
    try editor.report(Self.hazard("slippery", 0, at: 9), session: session.id)
    let reader = try StoreReader(path: path)
    #expect(try reader.hazards(of: session.id) == [Self.hazard("slippery", 0, at: 9)])
    let events = try reader.events(of: session.id)
    #expect(events.map(\.kind) == [.hazard, .hazard])
    #expect(events.map(\.text) == ["Slippery", "slippery"])
    #expect(events.map(\.value) == [2, 0])
    try store.close()
  }

  @Test func `a report with an id is stored once, even if it is sent many times`() throws {
    var store = try Store.open(path: path)
    try store.begin(session)
    let editor = try StoreEditor(path: path)
    let first = UniqueID(high: 1, low: 0)
    for _ in 0..<3 {
      try editor.report(Self.hazard("Slope", 3, at: 7), session: session.id, id: first)
      try editor.annotate(
        Annotation(time: BootTime(nanoseconds: 8_000_000_000), text: "stopped"),
        session: session.id, id: UniqueID(high: 2, low: 0))
    }
    // An id is used up only when its report is stored, not when storing it fails.
    let late = UniqueID(high: 3, low: 0)
    #expect(throws: StoreError.self) {
      try editor.report(Self.hazard("Slope", 1, at: 7), session: .random(), id: late)
    }
    try editor.report(Self.hazard("Slope", 1, at: 9), session: session.id, id: late)
    for number in 0..<2_100 {
      try editor.annotate(
        Annotation(time: BootTime(nanoseconds: 9_000_000_000), text: "\(number)"),
        session: session.id, id: UniqueID(high: 4, low: UInt64(number)))
    }
    // Only the newest ids are remembered.
    try editor.annotate(
      Annotation(time: BootTime(nanoseconds: 9_000_000_000), text: "again"), session: session.id,
      id: UniqueID(high: 4, low: 200))
    let reader = try StoreReader(path: path)
    #expect(try reader.events(of: session.id).map(\.value) == [3, 1])
    #expect(try reader.annotations(of: session.id).count == 2_101)
    try store.close()
  }

  @Test func `a hazard gets its position and time from data that are stored after the report`()
    throws
  {
    var store = try Store.open(path: path)
    try store.begin(session)
    let editor = try StoreEditor(path: path)
    let reports = [4.9, 5.15, 15.3].map { seconds in
      Hazard(
        name: "at \(seconds)", intensity: 1,
        time: BootTime(nanoseconds: 0).advanced(bySeconds: seconds))
    }
    for report in reports { try editor.report(report, session: session.id) }
    let reader = try StoreReader(path: path)
    #expect(try reader.hazards(of: session.id) == reports)
    try store.commit(chunks: [], fixes: SampleRecording.fixes, clock: SampleRecording.clock)
    let hazards = try reader.hazards(of: session.id)
    // The hazards were reported before the first fix, after it, and more than ten seconds after the
    // last.
    let first = SampleRecording.fixes[0]
    #expect(
      hazards.map(\.position) == [
        nil, GeoPosition(latitude: first.latitude, longitude: first.longitude), nil,
      ])
    let table = ClockTable(SampleRecording.clock)
    #expect(hazards.map(\.utc) == reports.map { table.utc(at: $0.time) })
    try store.close()
  }

  @Test
  func `a hazard known before the start gets the first fix's position if the fix arrives soon`()
    throws
  {
    let first = SampleRecording.fixes[0]
    for (seconds, isPlaced) in [(30.0, true), (119, true), (121, false)] {
      var begun = session
      begun.id = .random()
      begun.start = first.arrival.advanced(bySeconds: -seconds)
      let known = Hazard(name: "Slippery", intensity: 2, time: begun.start)
      let met = Hazard(name: "Slope", intensity: 1, time: begun.start.advanced(bySeconds: 1))
      var store = try Store.open(path: path)
      try store.begin(begun, hazards: [known, met])
      let reader = try StoreReader(path: path)
      #expect(try reader.hazards(of: begun.id).map(\.position) == [nil, nil])
      try store.commit(chunks: [], fixes: SampleRecording.fixes, clock: SampleRecording.clock)
      let place = GeoPosition(latitude: first.latitude, longitude: first.longitude)
      #expect(try reader.hazards(of: begun.id).map(\.position) == [isPlaced ? place : nil, nil])
      try store.close()
    }
  }

  @Test func `notes for a missing session are rejected`() throws {
    try Store.open(path: path).close()
    let editor = try StoreEditor(path: path)
    do throws(StoreError) {
      try editor.report(Self.hazard("Slope", 1, at: 1), session: session.id)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .unknown)
      #expect(error.message == "there is no session \(session.id) in \(path)")
    }
    do throws(StoreError) {
      try editor.annotate(
        Annotation(time: BootTime(nanoseconds: 1), text: "x"), session: session.id)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .unknown)
    }
  }

  @Test func `opening a missing store to add notes does not create the store`() throws {
    do throws(StoreError) {
      _ = try StoreEditor(path: path)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .cannotOpen)
    }
    #expect(!StoreReader.exists(at: path))
  }

  @Test func `a search for the last fix up to an instant finds none before the first fix`() throws {
    var store = try Store.open(path: path)
    try store.begin(session)
    try store.commit(chunks: [], fixes: SampleRecording.fixes, clock: [])
    try store.close()
    let reader = try StoreReader(path: path)
    let fixes = SampleRecording.fixes
    let between = BootTime(nanoseconds: 5_150_000_000)
    #expect(try reader.fix(of: session.id, at: between) == fixes[0])
    #expect(try reader.fix(of: session.id, at: fixes[1].arrival) == fixes[1])
    #expect(try reader.fix(of: session.id, at: BootTime(nanoseconds: 5)) == nil)
    #expect(try reader.lastTime(of: session.id) == fixes[1].arrival)
  }
}
