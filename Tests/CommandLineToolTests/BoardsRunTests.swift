@testable import CommandLineTool
@testable import Terminal
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// `footbridge boards` with its own store.
@Suite(.computation) struct BoardsRunTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path + "/data/store.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func boards(_ arguments: String...) async -> Outcome {
    await Outcome.of(
      ["boards"] + arguments, environment: ["FOOTBRIDGE_STORE": store], commands: Commands.all)
  }

  private func remember() throws {
    try Folder.make(folder.path + "/data")
    let register = try BoardRegister(path: store)
    try register.remember(
      StoredBoard(
        address: BoardAddress(value: 0xc84b_aa97_5005), name: "left wrist", placement: "left arm",
        model: "MetaMotion S", firmware: "1.7.2", added: UTCTime(nanoseconds: 0),
        lastSeen: UTCTime(nanoseconds: 1_777_887_000_125_000_000)))
    try register.remember(
      StoredBoard(
        address: BoardAddress(value: 0xc84b_aa98_5108), name: "Foot", model: "MetaMotion RL",
        firmware: "", added: UTCTime(nanoseconds: 0)))
  }

  @Test func `known boards are listed by name`() async throws {
    try remember()
    #expect(
      await boards()
        == Outcome(
          status: 0,
          output: """
            name        address            placement  model          firmware  last connected
            Foot        C8:4B:AA:98:51:08  –          MetaMotion RL  –         never
            left wrist  C8:4B:AA:97:50:05  left arm   MetaMotion S   1.7.2     2026-05-04T09:30:00Z

            """))
    #expect(
      await boards("--json").output
        == #"[{"address":"C8:4B:AA:98:51:08","name":"Foot","placement":"","model":"MetaMotion RL","#
        + #""firmware":"","added":"1970-01-01T00:00:00Z","lastConnected":null},"#
        + #"{"address":"C8:4B:AA:97:50:05","name":"left wrist","placement":"left arm","#
        + #""model":"MetaMotion S","firmware":"1.7.2","added":"1970-01-01T00:00:00Z","#
        + #""lastConnected":"2026-05-04T09:30:00Z"}]"# + "\n")
  }

  @Test func `without known boards, the list is empty`() async throws {
    try Folder.make(folder.path + "/data")
    try Store.open(path: store).close()
    let outcome = await boards()
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("footbridge pair"))
    #expect(await boards("--json") == Outcome(status: 0, output: "[]\n"))
  }

  @Test func `the error for a missing store names the store, and no store is created`() async {
    for arguments in [
      ["boards"], ["boards", "--json"], ["sessions"], ["sessions", "--json"], ["show", "last"],
      ["export", "last"], ["destination", "list"], ["uploads"], ["upload"], ["store", "check"],
    ] {
      let outcome = await Outcome.of(
        arguments, environment: ["FOOTBRIDGE_STORE": store], commands: Commands.all)
      #expect(
        outcome
          == Outcome(
            status: 1,
            errors: """
              error: there is no store at \(store)
                     specify another store with --store FILE, or record into this one

              """), "\(arguments)")
    }
    #expect(!StoreReader.exists(at: store))
  }

  @Test func `a folder at the store's path is reported as a folder`() async {
    for arguments in [["sessions"], ["boards"], ["store", "check"], ["store", "repair"]] {
      let outcome = await Outcome.of(
        arguments, environment: ["FOOTBRIDGE_STORE": folder.path], commands: Commands.all)
      #expect(
        outcome
          == Outcome(
            status: 1,
            errors: """
              error: cannot open \(folder.path): it is a folder
                     give the path of a file in it, as in \(folder.path)/footbridge.sqlite

              """), "\(arguments)")
    }
  }

  @Test func `a prefix of a board's name selects the board to rename and place`() async throws {
    try remember()
    let outcome = await boards("set", "left", "--name", "left ankle", "--placement", "")
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        name        address            placement  model         firmware  last connected
        left ankle  C8:4B:AA:97:50:05  –          MetaMotion S  1.7.2     2026-05-04T09:30:00Z

        """)
    #expect(await boards().output.contains("left ankle"))
  }

  @Test func `a name that belongs to another board is rejected`() async throws {
    try remember()
    #expect(
      await boards("set", "left", "--name", "foot")
        == Outcome(
          status: 1,
          errors: """
            error: cannot call board C8:4B:AA:97:50:05 'foot': board C8:4B:AA:98:51:08 has that name
                   choose another name, or rename the other board with 'footbridge boards set'

            """))
  }

  @Test func `an unknown board cannot be changed`() async throws {
    try remember()
    let outcome = await boards("set", "right", "--name", "x")
    #expect(outcome.status == 4)
    #expect(
      outcome.errors == """
        error: no board matches 'right'
               known boards are Foot, left wrist

        """)
  }

  @Test func `missing, invalid or conflicting arguments are rejected before the store is opened`()
    async
  {
    #expect(
      await boards("--name", "x")
        == .misunderstood(
          """
          error: '--name' and '--placement' need a board to change
                 use them with 'footbridge boards set BOARD'
                 try 'footbridge boards --help'
          """))
    #expect(
      await boards("set")
        == .misunderstood(
          """
          error: 'BOARD' is missing
                 BOARD is the address or the name of a board, or the beginning of either
                 'footbridge boards' lists names, 'footbridge scan' shows addresses
                 try 'footbridge boards --help'
          """))
    #expect(
      await boards("set", "left")
        == .misunderstood(
          """
          error: nothing to change
                 give --name NAME, --placement TEXT or both
                 try 'footbridge boards --help'
          """))
    #expect(
      await boards("list")
        == .misunderstood(
          """
          error: unknown choice 'list'
                 choose set
                 try 'footbridge boards --help'
          """))
    #expect(
      await boards("set", "left", "--name", "-x")
        == .misunderstood(
          """
          error: '--name' needs a value
                 use '--name=-x' if '-x' is the value
                 try 'footbridge boards --help'
          """))
    #expect(
      await boards("set", "left", "--name=C8:4B:AA:97:50:05")
        == .misunderstood(
          """
          error: '--name' cannot be 'C8:4B:AA:97:50:05'
                 NAME has up to 40 characters on one line, is not an address, and does not begin with a hyphen
                 try 'footbridge boards --help'
          """))
  }
}
