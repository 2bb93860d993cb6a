@testable import CommandLineTool
@testable import Terminal
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// The commands for sessions, run on their own store, with the exact output.
@Suite(.computation) struct SessionCommandTests {
  private let walk: RecordedWalk

  init() throws {
    walk = try RecordedWalk()
  }

  @Test func `sessions are listed in chronological order`() async {
    #expect(
      await walk.run("sessions")
        == Outcome(
          status: 0,
          output: """
            session   started               time      length  boards  samples  lost  ended      wearer  note
            11112222  –                     unsynced    0:00       0        0     0  recovered  –       –
            11112233  2026-05-04T09:30:05Z  gps         1:15       1    3,000    15  closed     Anna    Fahrt über die Brücke

            """))
    #expect(
      await walk.run("sessions", "--json").output
        == [
          #"[{"session":"11112222-0000-4000-8000-000000000001","start":null,"timeSource":"unsynced","seconds":0,"#,
          #""boards":0,"samples":0,"lost":0,"ended":"recovered","gateway":"","participant":null,"wearer":"","note":"","#,
          #""distanceMetres":null,"steps":null,"gainMetres":null,"lossMetres":null,"tasks":0,"submitted":false},"#,
          #"{"session":"11112233-0000-4000-8000-000000000002","#,
          #""start":"2026-05-04T09:30:05.000000Z","timeSource":"gps","seconds":75.5,"boards":1,"samples":3000,"#,
          #""lost":15,"ended":"closed","gateway":"pi","participant":null,"wearer":"Anna","#,
          #""note":"Fahrt über die Brücke","distanceMetres":null,"#,
          #""steps":null,"gainMetres":null,"lossMetres":null,"tasks":0,"submitted":false}]"#, "\n",
        ].joined())
  }

  @Test
  func `by default, only the newest sessions are listed, with a command that lists all sessions`()
    async throws
  {
    let head = "1 earlier session is not listed: use --all to list all, "
    let one = await walk.run("sessions", "--newest", "1")
    #expect(one.output.hasPrefix(head + "or --newest N\n\nsession   started "))
    #expect(one.output.contains("\n11112233 ") && !one.output.contains("\n11112222 "))
    #expect(await walk.run("sessions", "--newest", "2") == walk.run("sessions", "--all"))
    #expect(await walk.run("sessions", "--newest", "1", "--json").output.contains("11112233"))
    do {
      var store = try Store.open(path: walk.store)
      for number in 1...25 {
        var session = RecordedWalk.walk
        session.id = UniqueID(high: UInt64(number) << 32, low: 9)
        try store.begin(session)
      }
      try store.close()
    }
    func listed(_ outcome: Outcome) -> Int { outcome.output.split(separator: "\n").count }
    // Twenty sessions, the heading, and the line about the unlisted sessions.
    #expect(listed(await walk.run("sessions")) == 22)
    #expect(await walk.run("sessions").output.hasPrefix("7 earlier sessions are not listed: "))
    #expect(listed(await walk.run("sessions", "--all")) == 28)
    let json = await walk.run("sessions", "--json").output
    #expect(json.split(separator: #"{"session":"#).count == 28)
    #expect(await walk.run("sessions", "--all", "--newest", "3").status == 2)
  }

  @Test func `a session is shown with all its details`() async {
    #expect(
      await walk.run("show", "last")
        == Outcome(
          status: 0,
          output: """
            session   11112233-0000-4000-8000-000000000002
            started   2026-05-04T09:30:05Z
            time      gps
            length    1:15
            ended     closed
            gateway   pi
            wearer    Anna
            note      Fahrt über die Brücke
            fixes     2
            distance  0 m
            steps     left: 0 by its accelerometer
            position  8 % of the time

            board  address            placement   model         firmware
            left   C8:4B:AA:97:50:05  left wrist  MetaMotion S  1.7.2

            board  signal        range  samples  lost  certainty  requested  achieved    drift  chunks
            left   acceleration  ±2 g     2,000    12  counted     100.0 Hz  100.0 Hz  unknown       2
            left   light         –        1,000     3  estimated    10.0 Hz   10.0 Hz  unknown       1

            missing samples by reason
              left acceleration: 12 link
              left light: 3 disconnected

            hazard    intensity    at  place
            Slippery          2  0:00  50.00000 14.50000

              at  event      board  value  about
            0:00  hazard     –          2  Slippery
            0:00  battery    left      98  –
            0:12  link-lost  left       –  –

            """))
  }

  @Test func `a session's chunks are listed on request`() async throws {
    let reader = try StoreReader(path: walk.store)
    var bytes: [String] = []
    for stream in try reader.streams(of: RecordedWalk.walk.id) {
      for chunk in try reader.chunks(of: stream) {
        let text = NumberText.grouped(UInt64(try reader.bytes(ofChunk: chunk.id).count))
        bytes.append(String(repeating: " ", count: max(0, 5 - text.count)) + text)
      }
    }
    try #require(bytes.count == 3)
    let output = await walk.run("show", "last", "--chunks").output
    #expect(
      output.hasSuffix(
        """

        board  signal        number  begins  samples  lost  bytes  chunk
        left   acceleration       0    0:00    1,000     0  \(bytes[0])  \
        aaaa0000-0000-4000-0000-000000000003
        left   acceleration       1    0:10    1,000    12  \(bytes[1])  \
        aaaa0000-0000-4000-0000-000000000004
        left   light              0    0:00    1,000     3  \(bytes[2])  \
        aaaa0000-0000-4000-0000-000000000001

        """), "\(output)")
  }

  @Test func `JSON output contains a session as one object`() async {
    let text = await walk.run("show", "11112233", "--json").output
    #expect(
      text
        == [
          #"{"session":"11112233-0000-4000-8000-000000000002","#,
          #""start":"2026-05-04T09:30:05.000000Z","end":"2026-05-04T09:31:20.500000Z","#,
          #""timeSource":"gps","timeWarning":null,"seconds":75.5,"ended":"closed","gateway":"pi","participant":null,"wearer":"Anna","#,
          #""note":"Fahrt über die Brücke","fixes":2,"#,
          #""statistics":{"distanceMetres":0,"movingSeconds":0,"meanSpeed":null,"highestSpeed":null,"#,
          #""altitudeSource":null,"gainMetres":null,"lossMetres":null,"netMetres":null,"#,
          #""steps":[{"board":"C8:4B:AA:97:50:05","source":"accelerometer","count":0}],"#,
          #""fixShare":0.079},"#,
          #""boards":[{"address":"C8:4B:AA:97:50:05","name":"left","placement":"left wrist","#,
          #""model":"MetaMotion S","firmware":"1.7.2"}],"#,
          #""streams":[{"board":"C8:4B:AA:97:50:05","signal":"acceleration","unit":"g","range":2,"#,
          #""samples":2000,"lost":{"link":12},"loss":"counted","lossIsEstimate":false,"requestedHertz":100,"#,
          #""achievedHertz":100,"driftPpm":null,"chunkCount":2,"missingChunks":0},"#,
          #"{"board":"C8:4B:AA:97:50:05","signal":"light","unit":"lx","range":null,"#,
          #""samples":1000,"lost":{"disconnected":3},"loss":"estimated","lossIsEstimate":true,"requestedHertz":10,"#,
          #""achievedHertz":10,"driftPpm":null,"chunkCount":1,"missingChunks":0}],"#,
          #""hasUnknownLosses":false,"tasks":[],"mountings":[],"hazards":[{"name":"Slippery","intensity":2,"seconds":0,"utc":"2026-05-04T09:30:05.000000Z","latitude":50,"#,
          #""longitude":14.5}],"reports":[],"annotations":[],"#,
          #""events":[{"seconds":0,"utc":"2026-05-04T09:30:05.000000Z","kind":"hazard","board":null,"#,
          #""value":2,"text":"Slippery"},{"seconds":0,"utc":"2026-05-04T09:30:05.000000Z","#,
          #""kind":"battery","board":"C8:4B:AA:97:50:05","value":98,"text":""},"#,
          #"{"seconds":12.5,"utc":"2026-05-04T09:30:17.500000Z","kind":"link-lost","#,
          #""board":"C8:4B:AA:97:50:05","value":null,"text":""}]}"#, "\n",
        ].joined())
  }

  @Test func `a correction after the walk changes a hazard's intensity and keeps its time`()
    async throws
  {
    #expect(
      await walk.run("hazard", "last", "SLIPPERY=0").output == """
        hazard    intensity    at  place
        Slippery          0  0:00  50.00000 14.50000

        """)
    let reports = try StoreReader(path: walk.store).events(of: RecordedWalk.walk.id)
      .filter { $0.kind == .hazard }
    #expect(reports.map(\.value) == [2, 0])
    #expect(Set(reports.map(\.time)) == [RecordedWalk.walk.start])
  }

  @Test func `a forgotten hazard is added at its time and place, and can be moved`()
    async throws
  {
    #expect(
      await walk.run("hazard", "last", "Slope=3", "--at", "38").output == """
        hazard    intensity    at  place
        Slippery          2  0:00  50.00000 14.50000
        Slope             3  0:38  50.01000 14.50000

        """)
    #expect(
      await walk.run("hazard", "last", "slippery=2", "--at", "1:00").output == """
        hazard    intensity    at  place
        Slope             3  0:38  50.01000 14.50000
        Slippery          2  1:00  –

        """)
    let late = await walk.run("hazard", "last", "Debris=1", "--at", "1:16")
    #expect(late.status == 2)
    #expect(late.errors.contains("is only 75.5 s long"))
  }

  @Test func `a hazard reported after the walk gets the time and position of the session's end`()
    async throws
  {
    #expect(
      await walk.run("hazard", "last", "low  branch=1", "slope=3").output == """
        hazard      intensity    at  place
        Slippery            2  0:00  50.00000 14.50000
        low branch          1  1:15  –
        Slope               3  1:15  –

        """)
    // A hazard has a position only after a recent fix, so the session's end is moved to eight
    // seconds after one.
    let session = RecordedWalk.walk
    do {
      var store = try Store.open(path: walk.store)
      try store.end(session: session.id, at: BootTime(nanoseconds: 43_000_000_000))
      try store.close()
    }
    #expect(
      await walk.run("hazard", "11112233", "Debris=1", "--json").output
        == [
          #"[{"name":"Slippery","intensity":2,"seconds":0,"utc":"2026-05-04T09:30:05.000000Z","#,
          #""latitude":50,"longitude":14.5},"#,
          #"{"name":"Debris or Obstacles","intensity":1,"seconds":38,"#,
          #""utc":"2026-05-04T09:30:43.000000Z","latitude":50.01,"longitude":14.5},"#,
          #"{"name":"low branch","intensity":1,"seconds":38,"#,
          #""utc":"2026-05-04T09:30:43.000000Z","latitude":50.01,"longitude":14.5},"#,
          #"{"name":"Slope","intensity":3,"seconds":38,"utc":"2026-05-04T09:30:43.000000Z","#,
          #""latitude":50.01,"longitude":14.5}]"#, "\n",
        ].joined())
    let reader = try StoreReader(path: walk.store)
    let reports = try reader.events(of: session.id).filter { $0.kind == .hazard }
    #expect(reports.map(\.text) == ["Slippery", "low branch", "Slope", "Debris or Obstacles"])
  }

  @Test
  func `a remark to correct or remove is selected by its text, and by its time if necessary`()
    async throws
  {
    for time in ["10", "20"] {
      _ = await walk.run("annotate", "last", "stoped", "--at", time)
    }
    let unclear = await walk.run("annotate", "last", "stopped", "--instead-of", "stoped")
    #expect(
      unclear.errors == """
        error: 2 annotations have this text, at 0:10, 0:20
               select one of them by its time with --at

        """)
    #expect(
      await walk.run("annotate", "last", "stopped", "--instead-of", "stoped", "--at", "0:20")
        .output == "Corrected at 0:20 of session 11112233.\n")
    #expect(
      await walk.run("annotate", "last", "", "--instead-of", "stoped").output
        == "Removed at 0:10 of session 11112233.\n")
    let absent = await walk.run("annotate", "last", "x", "--instead-of", "stoped")
    #expect(
      absent.errors == """
        error: cannot find the annotation 'stoped' in the session
               'footbridge show last' lists the annotations

        """)
    let empty = await walk.run("annotate", "last", "")
    #expect(empty.status == 2 && empty.errors.hasPrefix("error: 'TEXT' cannot be empty\n"))
    let reader = try StoreReader(path: walk.store)
    let session = RecordedWalk.walk
    #expect(try reader.annotations(of: session.id).map(\.text) == ["stopped"])
    let edits = try reader.events(of: session.id).filter { $0.kind == .edited }
    #expect(
      edits.map(\.text) == [
        "annotation changed from 'stoped' to 'stopped'", "annotation 'stoped' removed",
      ])
  }

  @Test func `a remark is noted at the end or at any time within the session`() async throws {
    #expect(
      await walk.run("annotate", "last", "arrived").output
        == "Noted at 1:15 of session 11112233.\n")
    #expect(
      await walk.run("annotate", "last", "stopped", "--at", "12.5", "--json").output
        == #"{"seconds":12.5,"text":"stopped"}"# + "\n")
    #expect(
      await walk.run("annotate", "last", "begun", "--at", "0").output
        == "Noted at 0:00 of session 11112233.\n")
    #expect(
      await walk.run("annotate", "last", "late", "--at", "1:16")
        == Outcome(
          status: 2,
          errors: """
            error: session 11112233 is only 75.5 s long
                   set --at to a time within the session

            """))
    // A view may show 75.5 s as 75.6 s because it rounds up.
    #expect(
      await walk.run("annotate", "last", "arrived again", "--at", "75.6").output
        == "Noted at 1:15 of session 11112233.\n")
    #expect(
      await walk.run("show", "last").output.contains(
        """
          at  annotation
        0:00  begun
        0:12  stopped
        1:15  arrived
        1:15  arrived again

        """))
  }

  @Test func `a deleted session disappears, and the other session remains`() async throws {
    #expect(
      await walk.run("delete", "last", "--yes").output
        == "Session 11112233 was deleted: 3,000 samples in 3 chunks.\n")
    #expect(
      await walk.run("delete", "1111", "--yes", "--json").output
        == [
          #"{"session":"11112222-0000-4000-8000-000000000001","samples":0,"chunks":0,"#,
          #""bytes":0,"unsentChunks":0}"#, "\n",
        ].joined())
    #expect(
      await walk.run("delete", "last", "--yes")
        == Outcome(
          status: 1,
          errors: """
            error: there are no sessions in \(walk.store)
                   record one with 'footbridge record'

            """))
    #expect(await walk.run("sessions").errors.contains("footbridge record"))
    #expect(await walk.run("sessions", "--json").output == "[]\n")
  }

  @Test func `nothing is deleted while a recording writes to the store`() async throws {
    var store = try Store.open(path: walk.store)
    #expect(
      await walk.run("delete", "last", "--yes")
        == Outcome(
          status: 1,
          errors: """
            error: another process is recording into \(walk.store)
                   stop the recording first

            """))
    var session = RecordedWalk.walk
    session.id = UniqueID(high: 9, low: 9)
    try store.begin(session)
    #expect(
      await walk.run("delete", "last", "--yes")
        == Outcome(
          status: 1,
          errors: """
            error: session 00000000 is being recorded
                   stop the recording first

            """))
    #expect(await walk.run("sessions").output.contains("  recording  "))
    try store.close()
    #expect(await walk.run("sessions").output.contains("  cut off  "))
    #expect(await walk.run("delete", "last", "--yes").status == 0)
  }

  @Test func `an unknown or ambiguous session is rejected`() async {
    #expect(
      await walk.run("show", "1111-22")
        == Outcome(
          status: 2,
          errors: """
            error: '1111-22' could mean 11112222-0000-4000-8000-000000000001 or \
            11112233-0000-4000-8000-000000000002
                   enter more of the id

            """))
    #expect(
      await walk.run("show", "2")
        == Outcome(
          status: 1,
          errors: """
            error: no session's id begins with '2'
                   'footbridge sessions' lists ids; 'last' selects the newest session

            """))
    #expect(await walk.run("show", "-").status == 1)
    // The session ids are valid only in this store, so the remedy must name the store too.
    #expect(
      await walk.run("show", "2", "--store", walk.store).errors.contains(
        "\n       'footbridge sessions --store \(walk.store)' lists ids; 'last' selects"))
    #expect(await walk.run("show", "LAST").status == 0)
    #expect(
      await Outcome.of("show")
        == .misunderstood(
          """
          error: 'SESSION' is missing
                 SESSION is the id of a session, the beginning of one, or 'last'
                 'footbridge sessions' lists the ids
                 try 'footbridge show --help'
          """))
  }

  @Test func `a shortened id is long enough to be unique`() {
    let sessions = [RecordedWalk.earlier, RecordedWalk.walk]
    let directory = SessionDirectory(sessions, in: "/s")
    #expect(sessions.map(directory.shortID) == ["11112222", "11112233"])
    var twin = RecordedWalk.walk
    twin.id = UniqueID(high: 0x1111_2233_0000_4001, low: 7)
    let three = SessionDirectory(sessions + [twin], in: "/s")
    #expect(three.shortID(of: twin) == "1111223300004001")
    #expect(three.shortID(of: RecordedWalk.earlier) == "11112222")
  }

  @Test func `a session is found by a prefix of its id or by 'last' without reading every session`()
    throws
  {
    var twin = RecordedWalk.walk
    twin.id = UniqueID(high: 0x1111_2233_0000_4001, low: 7)
    var other = RecordedWalk.walk
    other.id = UniqueID(high: 0xff00_0000_0000_0000, low: 8)
    var store = try Store.open(path: walk.store)
    try store.begin(twin)
    try store.begin(other)
    try store.close()
    func directory(_ word: String) throws -> SessionDirectory {
      try SessionDirectory(of: StoreReader(path: walk.store), like: word, in: walk.store)
    }
    let named = try directory("11112233-0000-4001")
    #expect(named.sessions.map(\.id) == [RecordedWalk.walk.id, twin.id, other.id])
    #expect(try named.session("11112233-0000-4001").id == twin.id)
    #expect(named.shortID(of: twin) == "1111223300004001")
    #expect(try directory("Last").sessions.map(\.id) == [twin.id, other.id])
    #expect(try directory("LAST").session("LAST").id == other.id)
    #expect(try directory("f").session("f").id == other.id)
    #expect(try directory("FF000000-0000-0000-0000-000000000008").session("ff").id == other.id)
    #expect(throws: Complaint.self) { try directory("1111").session("1111") }
    #expect(throws: Complaint.self) { try directory("walk").session("walk") }
  }
}
