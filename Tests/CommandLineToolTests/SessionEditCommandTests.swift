@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// `footbridge session edit` on its own store, with the exact output.
@Suite(.computation) struct SessionEditCommandTests {
  private let walk: RecordedWalk
  private static let right = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa98_5108), name: "right", model: "MetaMotion RL",
    firmware: "1.5.0")

  init() throws {
    walk = try RecordedWalk()
    try BoardRegister(path: walk.store).remember(
      StoredBoard(
        address: Self.right.address, name: "right", placement: "right ankle",
        model: Self.right.model, firmware: Self.right.firmware, added: UTCTime(nanoseconds: 0)))
    let store = try Store.open(path: walk.store)
    try store.addBoard(Self.right, session: RecordedWalk.walk.id)
    try store.close()
  }

  private func edit(_ arguments: String...) async -> Outcome {
    await Outcome.of(
      ["session", "edit", "last"] + arguments, environment: ["FOOTBRIDGE_STORE": walk.store],
      commands: Commands.all)
  }

  @Test func `swapped board names are corrected, and 'show' and 'export' use the corrected names`()
    async throws
  {
    #expect(
      await edit("--swap", "left,right")
        == Outcome(
          status: 0,
          output: """
            Edited session 11112233:
              board C8:4B:AA:97:50:05: name changed from 'left' to 'right'
              board C8:4B:AA:98:51:08: name changed from 'right' to 'left'
              board C8:4B:AA:97:50:05: placement changed from 'left wrist' to 'right ankle'
              board C8:4B:AA:98:51:08: placement changed from 'right ankle' to 'left wrist'

            """))
    let shown = await walk.run("show", "last").output
    #expect(
      shown.contains(
        """
        board  address            placement    model          firmware
        right  C8:4B:AA:97:50:05  right ankle  MetaMotion S   1.7.2
        left   C8:4B:AA:98:51:08  left wrist   MetaMotion RL  1.5.0

        """), "\(shown)")
    #expect(shown.contains("\nright  acceleration "), "\(shown)")
    #expect(
      shown.contains(
        "1:15  edited     right      –  name changed from 'left' to 'right' on 20"), "\(shown)")
    let csv = await walk.run("export", "last", "--board", "right", "--signal", "light")
    #expect(csv.output.split(separator: "\n").count == 1_001, "\(csv.errors)")
    // The edit does not change the list of known boards, which is used for the next recording.
    #expect(await walk.run("boards").output.contains("left   C8:4B:AA:97:50:05  left wrist"))
  }

  @Test func `a board whose name contains an equals sign or a comma is found by its full name`()
    async throws
  {
    let names = try await namesAfter([
      ["--name", "left=k=v"], ["--name", "k=v=new"], ["--name", "new=a,b"],
      ["--name", "right=c=d"], ["--swap", "a,b,c=d"], ["--placement", "c=d=here"],
    ])
    #expect(names == ["c=d": "here", "a,b": "left wrist"])
    #expect(
      await edit("--name", "a,b=x=y")
        == Outcome(
          status: 0,
          output: """
            Edited session 11112233:
              board C8:4B:AA:98:51:08: name changed from 'a,b' to 'x=y'

            """))
    #expect(
      await edit("--name", "x=y=-z").errors.hasPrefix("error: '-z' cannot be a name\n"))
  }

  /// Applies these edits, and returns each board's placement by the board's name.
  private func namesAfter(_ edits: [[String]]) async throws -> [String: String] {
    for edit in edits {
      let outcome = await Outcome.of(
        ["session", "edit", "last"] + edit, environment: ["FOOTBRIDGE_STORE": walk.store],
        commands: Commands.all)
      #expect(outcome.status == 0, "\(edit): \(outcome.errors)")
    }
    let reader = try StoreReader(path: walk.store)
    let placements = try reader.placements(of: RecordedWalk.walk.id)
    let boards = try reader.boards(of: RecordedWalk.walk.id)
    return Dictionary(uniqueKeysWithValues: boards.map { ($0.name, placements[$0.address] ?? "") })
  }

  @Test func `the participant is corrected, shown and listed`() async throws {
    #expect(
      await edit("--participant", "P07").output == """
        Edited session 11112233:
          participant changed from '' to 'P07'

        """)
    #expect(await walk.run("show", "last").output.contains("\nparticipant  P07\n"))
    let listed = await walk.run("sessions", "--newest", "1").output
    #expect(listed.contains("ended   participant  wearer  note"), "\(listed)")
    #expect(listed.contains("closed  P07          Anna "), "\(listed)")
    try StoreEditor(path: walk.store).keep(
      StoredDefinitions(
        source: "home", place: "http https://a.example", pulled: UTCTime(nanoseconds: 0), tag: nil,
        content: #"{"format":1,"participants":[{"id":"P08","height":1.6,"cane":"yes"}]}"#))
    let unknown = await edit("--participant", "P07")
    #expect(unknown.status == 1)
    #expect(
      unknown.errors == """
        error: the definitions list no participant 'P07'
               choose one of P08, or add the participant to the definitions

        """)
    #expect(await edit("--participant", "p08").status == 0)
    let shown = await walk.run("show", "last").output
    #expect(shown.contains("\nparticipant  P08, 1.6 m, cane: yes\n"), "\(shown)")
    let json = await walk.run("sessions", "--newest", "1", "--json").output
    #expect(json.contains(#""participant":{"id":"P08","height":1.6,"cane":"yes"}"#), "\(json)")
    #expect(await edit("--participant", "").status == 0)
    #expect(await edit("--participant", "-7").status == 2)
  }

  @Test(.realTime)
  func `the wearer and the note are corrected, and the session's events keep the old values`()
    async throws
  {
    #expect(
      await edit("--note", "", "--wearer", "P07").output == """
        Edited session 11112233:
          wearer changed from 'Anna' to 'P07'
          note changed from 'Fahrt über die Brücke' to ''

        """)
    let listed = await walk.run("sessions", "--newest", "1").output
    #expect(listed.contains("closed  P07     –\n"), "\(listed)")
    let before = Date.now.timeIntervalSince1970
    let told = await edit("--wearer=P08", "--json").output
    #expect(told.hasPrefix(#"[{"seconds":75.5,"utc":""#), "\(told)")
    let end = #"Z","kind":"edited","board":null,"value":null,"text":"wearer changed "#
    #expect(told.hasSuffix(end + #"from 'P07' to 'P08'"}]"# + "\n"), "\(told)")
    let reader = try StoreReader(path: walk.store)
    let events = try reader.events(of: RecordedWalk.walk.id).filter { $0.kind == .edited }
    #expect(events.count == 3)
    // The event is stored at the end of the session, with the time of the edit.
    let utc = try #require(events.last?.utc)
    #expect(abs(Double(utc.nanoseconds) / 1e9 - before) < 600)
    let json = await walk.run("show", "last", "--json").output
    #expect(json.contains(#""text":"note changed from 'Fahrt über die Brücke' to ''""#), "\(json)")
  }

  @Test func `a prefix of a name or address selects the board whose name or placement is edited`()
    async
  {
    #expect(
      await edit("--name", "LE=left ankle", "--placement", "c8:4b:aa:98=hip (a=b)").output == """
        Edited session 11112233:
          board C8:4B:AA:98:51:08: placement changed from 'right ankle' to 'hip (a=b)'
          board C8:4B:AA:97:50:05: name changed from 'left' to 'left ankle'

        """)
    // A board without a name is selected by its address. No placement is shown for a board that has
    // none.
    #expect(
      await edit("--name", "left=", "--placement", "right=").output == """
        Edited session 11112233:
          board C8:4B:AA:98:51:08: placement changed from 'hip (a=b)' to ''
          board C8:4B:AA:97:50:05: name changed from 'left ankle' to 'C8:4B:AA:97:50:05'

        """)
  }

  @Test func `an edit that changes nothing is not stored`() async throws {
    #expect(
      await edit("--wearer", "Anna", "--placement", "left=left wrist")
        == Outcome(
          status: 0, output: "Nothing changed: session 11112233 already has these values.\n"))
    #expect(await edit("--name", "left=left", "--json").output == "[]\n")
    let reader = try StoreReader(path: walk.store)
    #expect(try !reader.events(of: RecordedWalk.walk.id).contains { $0.kind == .edited })
  }

  @Test(.realTime)
  func `an edit of a running session is stored with the current time`() async throws {
    var store = try Store.open(path: walk.store)
    var session = RecordedWalk.walk
    session.id = UniqueID(high: 9, low: 9)
    session.bootID = try BootClock.bootID()
    session.start = BootClock.now()
    try store.begin(session)
    try store.addBoard(RecordedWalk.board, session: session.id)
    let edited = await edit("--placement", "left=ankle", "--json")
    #expect(edited.output.contains("placement changed from 'left wrist' to 'ankle'"))
    let events = try StoreReader(path: walk.store).events(of: session.id)
    #expect(try #require(events.first).time >= session.start)
    try store.end(session: session.id, at: BootClock.now())
    try store.close()
  }

  @Test func `editing another gateway's session causes a warning that the edit may be undone`()
    async throws
  {
    var session = RecordedWalk.walk
    session.id = UniqueID(high: 9, low: 9)
    session.end = session.start.advanced(bySeconds: 5)
    session.ending = .closed
    let intake = try StoreIntake(path: walk.store)
    #expect(try intake.store(SessionRecord(session: session)) == .stored)
    try intake.close()
    let edited = await edit("--wearer", "P07")
    #expect(edited.status == 0)
    #expect(
      edited.errors.contains(
        "event=\"session of another gateway\" gateway=pi "
          + "remedy=\"edit the session there too, or the next record from that gateway overwrites "
          + "this edit\""
      ),
      "\(edited.errors)")
  }

  @Test func `unknown and ambiguous boards are rejected`() async {
    #expect(
      await edit("--swap", "left,middle")
        == Outcome(
          status: 4,
          errors: """
            error: no board in the session matches 'middle'
                   its boards are left (C8:4B:AA:97:50:05), right (C8:4B:AA:98:51:08)

            """))
    #expect(
      await edit("--name", "c8:4b=x")
        == Outcome(
          status: 2,
          errors: """
            error: 'c8:4b' could mean left (C8:4B:AA:97:50:05) or right (C8:4B:AA:98:51:08)
                   enter more of the name, or the whole address

            """))
    #expect(
      await edit("--name", "left=Right", "--wearer", "P07")
        == Outcome(
          status: 1,
          errors: """
            error: cannot call board C8:4B:AA:97:50:05 'Right': board C8:4B:AA:98:51:08 of the \
            session has that name
                   choose another name, or exchange the two with \
            '--swap C8:4B:AA:97:50:05,C8:4B:AA:98:51:08'

            """))
    // The two options can be combined.
    #expect(await edit("--name", "left=right", "--name", "right=left").status == 0)
    let unknown = await walk.run("session", "edit", "77", "--wearer", "x")
    #expect(unknown.status == 1)
    #expect(unknown.errors.hasPrefix("error: no session's id begins with '77'\n"))
  }

  @Test func `conflicting edits are rejected as a whole`() async {
    for (arguments, message) in [
      (["--swap", "left,c8:4b:aa:97"], "'left' and 'c8:4b:aa:97' are the same board"),
      (
        ["--swap", "left,right", "--swap", "right,left"],
        "right (C8:4B:AA:98:51:08) is given in two '--swap' options"
      ),
      (
        ["--swap", "left,right", "--name", "left=x"],
        "left (C8:4B:AA:97:50:05) is swapped and also has a '--name'"
      ),
      (
        ["--placement", "left=x", "--placement", "c8:4b:aa:97=y"],
        "'--placement' is given twice for left (C8:4B:AA:97:50:05)"
      ),
      ([], "nothing to edit"),
    ] {
      let outcome = await Outcome.of(
        ["session", "edit", "last", "--wearer", "P07"].prefix(arguments.isEmpty ? 3 : 5)
          + arguments,
        environment: ["FOOTBRIDGE_STORE": walk.store], commands: Commands.all)
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("error: \(message)\n"), "\(outcome.errors)")
      #expect(outcome.errors.hasSuffix("try 'footbridge session --help'\n"))
    }
    #expect(await walk.run("sessions").output.contains("Anna"))
  }

  @Test func `invalid arguments are rejected before the store is opened`() async throws {
    func misread(_ arguments: String...) async -> Outcome { await Outcome.of(arguments) }
    #expect(
      await misread("session", "set", "last")
        == .misunderstood(
          """
          error: unknown choice 'set'
                 choose edit
                 try 'footbridge session --help'
          """))
    #expect(
      await misread("session", "edit")
        == .misunderstood(
          """
          error: 'SESSION' is missing
                 SESSION is the id of a session, the beginning of one, or 'last'
                 'footbridge sessions' lists the ids
                 try 'footbridge session --help'
          """))
    #expect(
      await misread("session", "edit", "last", "--swap", "left")
        == .misunderstood(
          """
          error: '--swap' cannot be 'left'
                 BOARD,BOARD is two boards of the session separated by a comma, as in left,right
                 try 'footbridge session --help'
          """))
    #expect(
      await misread("session", "edit", "last", "--placement", "ankle")
        == .misunderstood(
          """
          error: '--placement' cannot be 'ankle'
                 BOARD=TEXT is a board of the session, an equals sign and text on one line,
                 of at most 2000 characters, as in left='left ankle'
                 try 'footbridge session --help'
          """))
    // An overlong text is not repeated in full.
    let long = String(repeating: "a", count: 2_001)
    #expect(
      await misread("session", "edit", "last", "--note", long)
        == .misunderstood(
          """
          error: '--note' cannot be '\(long.prefix(79))…'
                 TEXT is text on one line, of at most 2000 characters
                 try 'footbridge session --help'
          """))
    #expect(
      await misread("session", "edit", "last", "--name", "left= x")
        == .misunderstood(
          """
          error: '--name' cannot be 'left= x'
                 BOARD=NAME is a board of the session, an equals sign and its name, as in left=right
                 a name has up to 40 characters on one line, is not an address, and does not begin with a hyphen
                 try 'footbridge session --help'
          """))
    for option in ["--wearer=a\u{7}b", "--note=a\nb", "--placement=left=\u{1b}[2J", "--name=l=\n"] {
      #expect(await misread("session", "edit", "last", option).status == 2)
    }
    #expect(
      try SessionCommand.typed(
        "edit", "last", "--name", "a=b", "--placement", "a=", "--swap", "a, b", "--wearer", "")
        == .plain {
          $0.session = "last"
          $0.names = [NamedText("a=b")].compactMap(\.self)
          $0.placements = [NamedText("a=")].compactMap(\.self)
          $0.swaps = [BoardPair("a,b")].compactMap(\.self)
          $0.wearer = ""
        })
  }
}
