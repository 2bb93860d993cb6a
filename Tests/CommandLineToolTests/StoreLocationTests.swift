@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct StoreLocationTests {
  struct Case: Sendable {
    var environment: [String: String]
    var path: String
  }

  @Test(arguments: [
    Case(
      environment: ["HOME": "/home/ada"],
      path: "/home/ada/.local/share/footbridge/footbridge.sqlite"),
    Case(
      environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "/data"],
      path: "/data/footbridge/footbridge.sqlite"),
    Case(
      environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "relative"],
      path: "/home/ada/.local/share/footbridge/footbridge.sqlite"),
    Case(
      environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "", "FOOTBRIDGE_STORE": ""],
      path: "/home/ada/.local/share/footbridge/footbridge.sqlite"),
    Case(
      environment: ["HOME": "/home/ada", "XDG_DATA_HOME": "/data", "FOOTBRIDGE_STORE": "s.db"],
      path: "s.db"),
  ])
  func `the store's path comes from FOOTBRIDGE_STORE, XDG_DATA_HOME or HOME, in this order`(
    _ given: Case
  ) throws {
    // A gateway running on this computer must not influence the test.
    let environment = given.environment.merging(["FOOTBRIDGE_CONFIG": ""]) { $1 }
    #expect(try StoreLocation(environment: environment).path() == given.path)
  }

  @Test func `'--store' takes precedence over FOOTBRIDGE_STORE`() async {
    let environment = ["HOME": "/home/ada", "FOOTBRIDGE_STORE": "/run/other.sqlite"]
    #expect(await path([], environment) == "/run/other.sqlite\n")
    #expect(await path(["--store", "mine.sqlite"], environment) == "mine.sqlite\n")
    #expect(await path(["--store=mine.sqlite"], [:]) == "mine.sqlite\n")
  }

  @Test func `without a home folder, the store must be named`() {
    #expect(
      throws: Complaint(
        "cannot determine the path of the store: HOME is not set",
        remedy: "specify it with --store FILE or in the variable FOOTBRIDGE_STORE", status: .usage)
    ) { try StoreLocation(environment: ["FOOTBRIDGE_CONFIG": ""]).path() }
  }

  /// Returns the path of the store that is used if the configuration contains this text.
  private func path(
    with configuration: String?, _ arguments: [String] = [], variable: String = ""
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let file = folder.path + "/f.conf"
    try configuration.map { try Data($0.utf8).write(to: URL(filePath: file)) }
    return await Outcome.of(
      ["probe"] + arguments,
      environment: [
        "HOME": "/home/ada", "FOOTBRIDGE_CONFIG": file, "FOOTBRIDGE_STORE": variable,
      ], commands: [probe])
  }

  @Test
  func `the configuration's store is preferred to the user's own store, and this is reported`()
    async throws
  {
    let text = "[store]\npath = /srv/w.sqlite\n"
    let outcome = try await path(with: text)
    #expect(outcome.output == "/srv/w.sqlite\n")
    #expect(
      outcome.errors.hasPrefix(
        #"level=notice event="store of the configuration" path=/srv/w.sqlite configuration=/"#))
    // A command about sessions elsewhere does not report which store it uses.
    let away = try await path(with: text, ["--elsewhere"])
    #expect(away.output == "/srv/w.sqlite\n" && away.errors.isEmpty)
    let named = try await path(with: text, ["--store", "mine.sqlite"])
    #expect(named.output == "mine.sqlite\n" && named.errors.isEmpty)
    #expect(try await path(with: text, variable: "s.db").output == "s.db\n")
    #expect(try await path(with: "").output == "/var/lib/footbridge/recording.sqlite\n")
  }

  @Test func `if the configuration is faulty, no store other than the gateway's is used`()
    async throws
  {
    let elsewhere = try await path(with: "[recording]\nwhen = never\n[store]\npath = /srv/w\n")
    #expect(elsewhere.output == "/srv/w\n")
    let mistyped = try await path(with: "[store]\npth = /srv/w\n")
    #expect(mistyped.status == 2)
    #expect(mistyped.errors.contains("f.conf:2: "), "\(mistyped.errors)")
    #expect(try await path(with: "[store]\npath = w\n").status == 2)
  }

  @Test func `a mistyped path after --config does not select another store`() async {
    for arguments in [["doctor", "--offline"], ["forecast"], ["web"], ["status"], ["report"]] {
      let outcome = await Outcome.of(
        arguments + ["--config", "/nowhere/footbrige.conf"],
        environment: ["HOME": "/nowhere", "FOOTBRIDGE_STORE": ""], commands: Commands.all)
      #expect(outcome.status == 2, "\(arguments): \(outcome)")
      #expect(
        outcome.errors.contains("the file /nowhere/footbrige.conf does not exist"), "\(outcome)")
    }
  }

  @Test func `a mistyped path in the environment variable does not select the user's own store`()
    async
  {
    for arguments in [
      ["sessions"], ["doctor", "--offline"], ["forecast"], ["web"], ["status"], ["report"],
      ["record", "left"], ["hazard", "last", "uneven=3"], ["definitions", "pull"],
      ["config", "explain"],
    ] {
      let outcome = await Outcome.of(
        arguments,
        environment: [
          "HOME": "/nowhere", "FOOTBRIDGE_STORE": "", "FOOTBRIDGE_CONFIG": "/nowhere/fb.conf",
        ], commands: Commands.all)
      #expect(
        outcome
          == .misunderstood(
            """
            error: FOOTBRIDGE_CONFIG names /nowhere/fb.conf, which does not exist
                   correct the variable, unset it, or create the file with 'footbridge setup'
            """), "\(arguments): \(outcome)")
    }
  }

  @Test
  func `an empty FOOTBRIDGE_CONFIG means no configuration; commands that need one report this`()
    async
  {
    let environment = ["HOME": "/home/ada", "FOOTBRIDGE_CONFIG": ""]
    #expect(
      await path([], environment) == "/home/ada/.local/share/footbridge/footbridge.sqlite\n")
    for arguments in [
      ["config", "set", "recording.when", "always"], ["config", "check"], ["run"],
    ] {
      let outcome = await Outcome.of(
        arguments, environment: environment, commands: Commands.all)
      #expect(outcome.status != 0, "\(arguments): \(outcome)")
      #expect(
        (outcome.output + outcome.errors).contains(
          "FOOTBRIDGE_CONFIG is empty, so there is no configuration"), "\(outcome)")
    }
  }

  @Test func `a board can be given by its address even if the configuration has faults`()
    throws
  {
    let folder = try TemporaryFolder()
    let file = folder.path + "/f.conf"
    try Data("[store]\npth = /srv/w\n".utf8).write(to: URL(filePath: file))
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors)
    let names = StoreLocation(environment: ["FOOTBRIDGE_CONFIG": file]).names(console)
    console.close()
    #expect(errors.text.contains("names of boards are unknown"))
    let address = try names.address(of: "C8:4B:AA:97:50:05")
    #expect("\(address)" == "C8:4B:AA:97:50:05")
    // Names cannot be resolved without a valid configuration. The error must not claim that no
    // boards are known.
    let complaint = #expect(throws: Complaint.self) { try names.address(of: "left") }
    #expect(complaint?.message.contains("cannot use the configuration \(file)") == true)
  }

  @Test func `a damaged store is not reported as a store without boards`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/w.sqlite"
    try Data(repeating: 7, count: 20_000).write(to: URL(filePath: file))
    let location = StoreLocation(
      environment: ["FOOTBRIDGE_STORE": file, "FOOTBRIDGE_CONFIG": ""])
    #expect(throws: (any Error).self) { try location.directory() }
    let names = location.names(Console(output: MemorySink(), errors: MemorySink()))
    let complaint = #expect(throws: Complaint.self) { try names.address(of: "left") }
    #expect(complaint?.message.contains("no board matches") == false)
  }

  @Test func `the remedy for another user's store names the store, because sudo drops variables`()
    throws
  {
    let folder = try TemporaryFolder()
    try Folder.make(folder.path + "/etc")
    try Folder.make(folder.path + "/srv")
    let me = try #require(FileFacts(folder.path)).owner
    try Data("ada:x:\(me):1000::/:/bin/sh\n".utf8).write(
      to: URL(filePath: folder.path + "/etc/passwd"))
    let owner = try #require(StoreOwner(of: "/srv/w.sqlite", SystemTree(below: folder.path)))
    func remedy(_ words: String...) -> String {
      owner.remedy(for: "/srv/w.sqlite", arguments: words)
    }
    let start = "run the command as the store's owner: sudo -u ada footbridge "
    #expect(remedy("sessions") == start + "sessions --store /srv/w.sqlite")
    #expect(
      remedy("annotate", "last", "--", "-x")
        == start + "annotate last --store /srv/w.sqlite -- -x")
    #expect(remedy("sessions", "--store=w.sqlite") == start + "sessions '--store=w.sqlite'")
    #expect(remedy("run") == start + "run")
  }

  @Test(.enabled(if: getuid() == 0, "only root makes files for others"))
  func `root does not create a store that the folder's owner could not open`() throws {
    let folder = try TemporaryFolder()
    for name in ["etc", "srv", "root", "proc/self"] { try Folder.make(folder.path + "/" + name) }
    try Data("footbridge:x:65534:4711::/:/bin/false\nroot:x:0:0::/root:/bin/sh\n".utf8).write(
      to: URL(filePath: folder.path + "/etc/passwd"))
    try Data("Uid:\t0\t0\t0\t0\n".utf8).write(
      to: URL(filePath: folder.path + "/proc/self/status"))
    try FileManager.default.setAttributes(
      [.ownerAccountID: 65_534], ofItemAtPath: folder.path + "/srv")
    let tree = SystemTree(below: folder.path)
    let complaint = #expect(throws: Complaint.self) {
      try StoreOwner.checkMaking("/srv/w.sqlite", tree, arguments: ["pair", "left"])
    }
    #expect(
      complaint?.remedy == "run the command as the store's owner: "
        + "sudo -u footbridge footbridge pair left --store /srv/w.sqlite")
    // The store already exists, or the folder belongs to root.
    try Data().write(to: URL(filePath: folder.path + "/srv/there.sqlite"))
    try StoreOwner.checkMaking("/srv/there.sqlite", tree, arguments: ["record"])
    try StoreOwner.checkMaking("/root/w.sqlite", tree, arguments: ["record"])
  }

  @Test func `the remedy for another user's store is a command that runs as the store's owner`()
    throws
  {
    let folder = try TemporaryFolder()
    try Folder.make(folder.path + "/etc")
    try Folder.make(folder.path + "/srv/walks")
    let me = try #require(FileFacts(folder.path)).owner
    try Data("footbridge:x:4711:4711::/:/bin/false\nada:x:\(me):1000::/:/bin/sh\n".utf8).write(
      to: URL(filePath: folder.path + "/etc/passwd"))
    let tree = SystemTree(below: folder.path)
    let owner = try #require(StoreOwner(of: "/srv/walks/w.sqlite", tree))
    #expect(
      owner.command(["footbridge", "annotate", "last", "a gate"])
        == "sudo -u ada footbridge annotate last 'a gate'")
    let later = try #require(StoreOwner(of: "/srv/none/w.sqlite", tree))
    #expect(later.name == "footbridge" && !later.hasFolder)
  }

  @Test func `a symbolic link to a store is resolved to the store's own path`() async throws {
    let folder = try TemporaryFolder()
    let (file, link) = (folder.path + "/walk.sqlite", folder.path + "/link")
    try Data().write(to: URL(filePath: file))
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "walk.sqlite")
    let real = PathPattern.target(of: file)
    #expect(await path(["--store", link], [:]) == real + "\n")
    #expect(await path(["--store", file], [:]) == file + "\n")
  }

  @Test func `the help shows the store's default and its environment variable`() {
    #expect(
      HelpText.command(probe).contains(
        """
              --store FILE  the store
                            (default: the one in the configuration, or else your own;
                            environment: FOOTBRIDGE_STORE)
        """))
  }

  /// A command that prints the path of the store it would use.
  private struct Probe: StoreVerb {
    var store: StoreLocation
    var isElsewhere = false
    var isAboutStore: Bool { !isElsewhere }

    static let definition = CommandDefinition<Probe>(
      name: "probe", summary: "", discussion: "",
      initial: { Probe(store: StoreLocation(environment: $0)) },
      options: [
        .store(sets: \.store), .flag("elsewhere", help: "", sets: \.isElsewhere),
      ])

    func run(_ console: Console) throws -> Terminal.ExitStatus {
      try console.print(store.path())
      return .ok
    }
  }

  private let probe = Command(Probe.self, of: Commands.self)

  private func path(_ arguments: [String], _ environment: [String: String]) async -> String {
    let outcome = await Outcome.of(
      ["probe"] + arguments, environment: environment, commands: [probe])
    #expect(outcome.status == 0)
    return outcome.output
  }
}
