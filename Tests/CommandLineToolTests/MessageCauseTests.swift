import Export
import Foundation
import Gateway
import HTTPServer
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal
@testable import Upload
@testable import Web

/// Rare causes of messages, and the message and remedy that a user gets for each.
@Suite(.computation) struct MessageCauseTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path + "/walks.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ arguments: [String]) async -> Outcome {
    await Outcome.of(arguments, environment: ["FOOTBRIDGE_STORE": store], commands: Commands.all)
  }

  private func write(_ text: String, to name: String) throws -> String {
    let path = folder.path + "/" + name
    try Data(text.utf8).write(to: URL(filePath: path))
    return path
  }

  /// Returns the text that `body` logs.
  private func logged(_ body: (Console) throws -> Void) rethrows -> String {
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors)
    try body(console)
    console.close()
    return errors.text
  }

  /// The error as the program prints it, up to the end of the remedy's first line.
  private static func shown(_ message: String, _ remedy: String) -> String {
    "error: \(message)\n       \(remedy)\n"
  }

  // MARK: Command lines

  struct Misuse: Sendable, CustomTestStringConvertible {
    let words: [String]
    let message: String
    let remedy: String

    init(_ words: [String], _ message: String, _ remedy: String) {
      self.words = words
      self.message = message
      self.remedy = remedy
    }

    var testDescription: String { words.joined(separator: " ") }
  }

  @Test(arguments: [
    Misuse(
      ["definitions", "show", "--destination", "home"],
      "'--destination' cannot be used with 'show'", "leave it out"),
    Misuse(
      ["definitions", "check"], "'FILE' is missing", "use 'footbridge definitions check FILE'"),
    Misuse(
      ["definitions", "forget", "f.json"], "unexpected argument 'f.json'", "leave it out"),
    Misuse(
      ["fetch", "home", "last", "--hikes"], "'--hikes' and RECORD cannot be used together",
      "leave one of them out"),
    Misuse(
      ["fetch", "--from", "https://walks.example.org", "--hikes"],
      "'--hikes' works only with Firestore",
      "'footbridge sessions --fleet https://HOST' lists the sessions of an endpoint"),
    Misuse(["store", "backup", ""], "'FILE' cannot be ''", "give the path of the backup file"),
    Misuse(
      [
        "destination", "add", "lab", "--http", "https://walks.example.org", "--token-file", "t",
        "--key-file", "k",
      ], "'--token-file' and '--key-file' cannot be used together", "leave one of them out"),
    Misuse(
      ["destination", "add", "lab", "--firestore", "My Walks"],
      "'--firestore' accepts only a project name, and '--database' only a database name",
      "as in --firestore walks-1234; 'gcloud firestore databases list' lists your databases"),
    Misuse(
      ["destination", "add", "lab", "--folder", "/srv/walks", "--compress"],
      "'--folder' does not accept connection settings",
      "leave out --ca-file, --certificate, --certificate-key, --proxy, --compress and --limit"),
    Misuse(
      ["receive", "--into", "walks", "--page", "127.0.0.1:8430"],
      "'--page' needs a store, not a folder", "receive into a store, as in '--into walks.sqlite'"),
  ])
  func `incompatible options and arguments are rejected`(_ misuse: Misuse) async {
    let outcome = await run(misuse.words)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(Self.shown(misuse.message, misuse.remedy)), "\(outcome.errors)")
    #expect(!StoreReader.exists(at: store))
  }

  // MARK: Destinations and definitions

  @Test(arguments: [
    (["upload"], "no destinations"),
    (["definitions", "pull"], "there are no destinations to pull definitions from"),
  ])
  func `a command that needs a destination explains how to add the first one`(
    _ words: [String], _ message: String
  ) async throws {
    try Store.open(path: store).close()
    let outcome = await run(words)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        Self.shown(
          message,
          "add one with 'footbridge destination add NAME' and --http, --firestore or --folder")),
      "\(outcome.errors)")
  }

  @Test func `a folder that does not exist yet can become a destination, with a warning`()
    async throws
  {
    let place = folder.path + "/later"
    let outcome = await run(["destination", "add", "stick", "--folder", place])
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("event=\"folder not found\" place=\(place)"))
    #expect(
      outcome.errors.contains("create the folder, or mount its disk, before the first upload"),
      "\(outcome.errors)")
  }

  @Test func `a token that would be sent without encryption causes a warning`() async throws {
    let token = try write("secret\n", to: "token")
    try #require(unsafe chmod(token, 0o600) == 0)
    func add(_ name: String, _ url: String) async -> Outcome {
      await run(["destination", "add", name, "--http", url, "--token-file", token])
    }
    let plain = await add("lab", "http://walks.example.org")
    #expect(plain.status == 0)
    #expect(plain.errors.contains("event=\"not encrypted\""), "\(plain.errors)")
    #expect(plain.errors.contains("use an https:// address"), "\(plain.errors)")
    let encrypted = await add("home", "https://walks.example.org")
    #expect(encrypted.status == 0 && !encrypted.errors.contains("not encrypted"))
  }

  @Test func `a destination whose stored settings are unreadable must be added again`() async throws
  {
    try Store.open(path: store).close()
    try StoreEditor(path: store).addDestination(
      named: "lab", place: DestinationSettings(.folder(path: folder.path)).placeText,
      settings: "not JSON", at: UTCTime(nanoseconds: 1))
    let outcome = await run(["destination", "test", "lab"])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        Self.shown(
          "cannot read the destination 'lab': its settings are not JSON",
          "add it again as described in 'footbridge destination --help'")), "\(outcome.errors)")
  }

  @Test func `a destination that is a folder can neither list sessions nor provide definitions`()
    async throws
  {
    let added = await run(["destination", "add", "lab", "--folder", folder.path])
    #expect(added.status == 0, "\(added.errors)")
    let listed = await run(["sessions", "--fleet", "lab"])
    #expect(listed.status == 2)
    #expect(
      listed.errors.contains("error: 'lab' is not an endpoint of the upload protocol\n"),
      "\(listed.errors)")
    #expect(listed.errors.contains("'footbridge export SESSION --folder FOLDER"))
    let pulled = await run(["definitions", "pull"])
    #expect(pulled.status == 1)
    #expect(
      pulled.errors.contains(
        "error: no definitions for this gateway at lab\n"),
      "\(pulled.errors)")
    #expect(pulled.errors.contains("the current definitions remain in use"))
  }

  @Test func `a missing definitions file is reported`() async throws {
    let path = folder.path + "/none.json"
    let outcome = await run(["definitions", "check", path])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        Self.shown(
          "cannot read \(path): file not found", "give the path to the definitions file")),
      "\(outcome.errors)")
  }

  @Test func `a command that can run without the stored definitions warns if they are invalid`()
    throws
  {
    try Store.open(path: store).close()
    try StoreEditor(path: store).keep(
      StoredDefinitions(
        source: "home", place: "http https://walks.example.org", pulled: UTCTime(nanoseconds: 1),
        tag: nil, content: "nonsense"))
    var definitions: PulledDefinitions?
    let text = logged { definitions = PulledDefinitions.read(store: store, $0) }
    #expect(definitions == nil)
    #expect(text.contains("level=warning event=\"definitions not read\""), "\(text)")
    #expect(text.contains("pull valid definitions with 'footbridge definitions pull'"), "\(text)")
  }

  @Test func `outside the destination's hours, 'upload' names the option that ignores them`() throws
  {
    try Store.open(path: store).close()
    let stored = try StoreEditor(path: store).addDestination(
      named: "lab", place: DestinationSettings(.folder(path: folder.path)).placeText,
      settings: "{}", at: UTCTime(nanoseconds: 1))
    let outcome = Uploader.Outcome(
      ending: .closed(minutes: 90), counts: UploadQueue.Counts(), storeError: nil)
    let text = logged { UploadReport(stored, outcome, UploadCounts()).warn($0) }
    #expect(text.contains("event=closed destination=lab"), "\(text)")
    #expect(text.contains("'footbridge upload --now' ignores the destination's hours"), "\(text)")
  }

  // MARK: Stores and sessions

  @Test func `an empty file is not mistaken for a store without recordings`() async throws {
    _ = try write("", to: "walks.sqlite")
    let outcome = await run(["show", "last"])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        Self.shown(
          "\(store) is empty: nothing was recorded into it",
          "specify another store with --store FILE, or record into this one")), "\(outcome.errors)")
  }

  @Test func `a UTC time cannot select a moment in a session that has no UTC reference`()
    async throws
  {
    let walk = try RecordedWalk()
    let outcome = await walk.run(
      "annotate", "11112222", "a gate", "--at", "2026-05-04T09:30:00Z")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        Self.shown(
          "no UTC time is known for the session",
          "give --at in seconds since the start of the session")),
      "\(outcome.errors)")
    let choice = ExportChoice(
      streams: [], clock: ClockTable([]), events: [],
      span: SessionSpan(session: RecordedWalk.earlier, latest: nil, name: "11112222"))
    let command = ExportCommand.plain { $0.from = .utc(UTCTime(nanoseconds: 0)) }
    #expect(
      throws: Complaint(
        "no UTC time is known for the session",
        remedy: "give --from and --to in seconds since the start of the session")
    ) { try choice.selection(command) }
  }

  @Test func `an unreadable tail file next to the store is kept and reported`() async throws {
    let walk = try RecordedWalk()
    let tail = walk.store + "-tail-1"
    try Data("not a tail".utf8).write(to: URL(filePath: tail))
    let outcome = await walk.run("store", "check")
    #expect(outcome.errors.contains("event=\"tail kept\" file=\(tail)-unread"), "\(outcome.errors)")
    #expect(outcome.errors.contains("inspect the file or remove it; footbridge cannot use it"))
    #expect(Folder.exists(tail + "-unread"))
  }

  @Test func `a note before a session's first sample is rejected`() throws {
    try Store.open(path: store).close()
    let notes = KeyNotes(path: store)
    let action = KeyEntry.Action.note("a gate", at: BootTime(nanoseconds: 1))
    for id in [nil, UniqueID(high: 9, low: 9)] {
      #expect(
        throws: Complaint(
          "there is no session before the first sample",
          remedy: "enter it again once samples arrive")
      ) { try notes.perform(action, in: id) }
    }
  }

  @Test
  func `a file without a recorded motion is rejected, and the remedy lists the expected columns`()
    throws
  {
    let path = try write("left,right\n1,2\n", to: "walk.csv")
    let complaint = #expect(throws: Complaint.self) { _ = try WearerRequest.file(path).kind() }
    #expect(complaint?.message.hasPrefix("\(path) is not a recorded motion: ") == true)
    #expect(complaint?.remedy.contains("time,ax,ay,az,gx,gy,gz") == true)
  }

  // MARK: Commands for the gateway

  @Test(arguments: [
    (
      ["scan"], "the gateway does not accept this command",
      "run the command as the gateway's user"
    ),
    (
      ["annotate", "last", "a gate", "--store", "/srv/other.sqlite"],
      "the gateway writes only to its own store", "leave '--store' out"
    ),
  ])
  func `the gateway performs only some commands for other programs, and only in its own store`(
    _ words: [String], _ message: String, _ remedy: String
  ) throws {
    let errand = GatewayErrand(words: words, store: store)
    var answer = ""
    _ = logged { answer = errand.answer(in: store, $0).text }
    let json = try JSON(parsing: Array(answer.utf8))
    #expect(json["error"]?.text == message && json["remedy"]?.text == remedy, "\(answer)")
  }

  @Test(.realTime) func `a reply on the socket from a program other than the gateway is rejected`()
    throws
  {
    let path = folder.path + "/status.sock"
    for (text, message) in [
      ("hello", "cannot understand the response at \(path): "),
      ("{}", "the response at \(path) is not a status"),
    ] {
      let server = try StatusServer(at: path) { _, reply in reply(text + "\n") }
      defer { server.stop() }
      let complaint = #expect(throws: Complaint.self) { try StatusClient(path: path).status() }
      #expect(complaint?.message.hasPrefix(message) == true, "\(complaint?.message ?? "")")
      #expect(complaint?.remedy == "check which program is listening on that socket")
    }
  }

  @Test(.realTime) func `the remedy for a gateway that hangs is to restart it`() throws {
    let path = folder.path + "/status.sock"
    let server = try StatusServer(at: path) { _, _ in }
    defer { server.stop() }
    let complaint = #expect(throws: Complaint.self) { try StatusClient(path: path).status() }
    #expect(complaint?.message.hasPrefix("the gateway does not respond: ") == true)
    #expect(complaint?.remedy.contains("systemctl restart footbridge") == true, "\(complaint!)")
  }

  @Test func `a gateway without a socket cannot be queried for its status`() async throws {
    let file = try write("[status]\nsocket =\n", to: "f.conf")
    let outcome = await run(["status", "--config", file])
    #expect(
      outcome.errors.contains(
        Self.shown(
          "the gateway configured by \(file) has no socket",
          "set 'socket' in [status], or specify one with --socket FILE")), "\(outcome.errors)")
  }

  // MARK: The configuration

  @Test func `only a readable regular file can be a configuration file`() {
    #expect(
      throws: OutputRefusal(
        "\(folder.path) is not a file", remedy: "give the path of a text file")
    ) { try ConfigurationFile(folder.path) }
    // The kernel refuses to read the first page of this file, even for root.
    guard case .failure(let refusal) = ConfigurationFile.read("/proc/self/mem") else {
      Issue.record("it was read")
      return
    }
    #expect(refusal.message.hasPrefix("cannot be read: "), "\(refusal.message)")
    #expect(refusal.remedy == "check that this user may read it")
  }

  @Test(arguments: [
    (
      "[web]\ncertificate = /etc/page.pem\n",
      "f.conf:2: 'certificate' and 'certificate-key' must be used together\n"
        + "       edit the file, and set both or neither"
    ),
    (
      "[web]\ncertificate-key = /etc/page-key.pem\n",
      "f.conf:2: 'certificate' and 'certificate-key' must be used together\n"
        + "       edit the file, and set both or neither"
    ),
    (
      "[sensors]\nsensor = humidity\nsensor = proximity\n",
      "f.conf:3: no model has humidity and proximity\n"
        + "       'footbridge sensors' lists the signals of each model"
    ),
  ])
  func `configuration settings that cannot be combined are reported as faults`(
    _ text: String, _ fault: String
  ) {
    let reading = ConfigurationReading(Array(text.utf8), file: "f.conf")
    #expect(reading.faults.map(\.description) == [fault], "\(reading.faults)")
  }

  @Test(arguments: [
    (
      "[web]\nlisten = 0.0.0.0:8080\n",
      "f.conf:2: the page is not encrypted: anyone in radio range can read it\n"
        + "       set 'certificate' and 'certificate-key' to encrypt it"
    ),
    (
      "[sharing]\nbroker = mqtts://broker.example.org\nfleet = study\npassword-file = /etc/word\n",
      "f.conf:4: 'password-file' has no effect without a user\n"
        + "       add the user to 'broker', as in mqtts://trolley@broker.example.org"
    ),
  ])
  func `configuration settings that are probably unintended are reported as hints`(
    _ text: String, _ hint: String
  ) {
    let reading = ConfigurationReading(Array(text.utf8), file: "f.conf")
    #expect(reading.hints.map(\.description).contains(hint), "\(reading.hints)")
  }

  @Test func `udev rules that cannot be read are reported`() throws {
    let path = "/etc/udev/rules.d/60-footbridge-gps.rules"
    // The path exists, but it is a folder and has no text.
    let tree = try TestTree(["\(path)/x": ""]).tree
    let finding = try #require(UdevRules.all(tree).first).finding
    #expect(finding.level == .warning && finding.text == "cannot read \(path)")
    #expect(finding.remedy == "make it readable with 'sudo chmod 644 \(path)'")
  }

  // MARK: The page

  private func look(at path: String) -> PageLook {
    PageLook(
      StoreAnswers(store: StoreLocation(environment: ["FOOTBRIDGE_STORE": path])), tiles: nil,
      doctor: Doctor(store: path))
  }

  @Test func `a page without a map or without a gateway says so`() throws {
    let look = look(at: store)
    #expect(
      throws: PageFault(
        404, "no map is configured", remedy: "set 'tiles' in [web] to an MBTiles file")
    ) { try look.answer(.tiles) }
    #expect(
      throws: PageFault(
        409, "this page shows a store and cannot record",
        remedy: "open the page of 'footbridge run'")
    ) { try StorePage(gateway: "trail-1", look: look).answer(.record(.start, until: nil)) }
  }

  @Test func `a missing map file causes a warning`() {
    let text = logged { PageLook.check(map: folder.path + "/none.mbtiles", $0) }
    #expect(text.contains("event=\"no map\" file=\(folder.path)/none.mbtiles"), "\(text)")
    #expect(text.contains("remedy="), "\(text)")
  }

  @Test
  func `a note that conflicts with a stored note is rejected, and an unknown session is not found`()
    throws
  {
    let walk = try RecordedWalk()
    let answers = StoreAnswers(
      store: StoreLocation(environment: ["FOOTBRIDGE_STORE": walk.store]))
    let id = UniqueID(high: 5, low: 5)
    func note(_ id: UniqueID, _ text: String, insteadOf former: String? = nil) throws {
      _ = try answers.note(
        PageQuestion.Remark(
          id: id, content: .text(text, insteadOf: former), time: .at(10)),
        in: RecordedWalk.walk.id)
    }
    try note(id, "a gate")
    try note(id, "a gate")
    #expect(
      throws: PageFault(
        409, "this 'id' was already used for something else", remedy: "use a new random id")
    ) { try note(id, "a wall") }
    #expect(
      throws: PageFault(
        409, "this note has changed since the page showed it", remedy: "open the walk again")
    ) { try note(UniqueID(high: 5, low: 6), "a wall", insteadOf: "a fence") }
    let unknown = UniqueID(high: 9, low: 9)
    #expect(
      throws: PageFault(
        404, "session \(unknown) not found", remedy: "reload the list of walks")
    ) { try answers.session(unknown) }
  }

  @Test
  func
    `after the last wrong attempt, the warning says that the PIN is void, and names a remedy`()
  {
    func text(left: Int) -> String {
      logged {
        $0.warn(
          of: WrongPIN(client: ClientAddress(1 << 32 | 0x7f00_0001), left: left, isUsedUp: false),
          remedy: nil)
      }
    }
    #expect(text(left: 1).contains("event=\"a wrong PIN was tried\" from=127.0.0.1 left=1"))
    #expect(!text(left: 1).contains("the PIN is void"))
    let last = text(left: 0)
    #expect(last.contains("event=\"the PIN is void\""), "\(last)")
    #expect(last.contains("wrong PINs were tried"), "\(last)")
    #expect(last.contains("create another with 'footbridge web pair'"), "\(last)")
  }

  @Test(.realTime) func `a page that cannot be served is reported with the reason`() async throws {
    let errors = MemorySink()
    let console = Console(output: MemorySink(), errors: errors)
    let keeper = PageKeeper(console, noted: { _ in }) {
      throw Complaint("the address is in use", remedy: "choose another port")
    }
    let task = Task { await keeper.keep() }
    try await wait(for: "the fault") { keeper.fault != nil }
    keeper.stop()
    await task.value
    console.close()
    #expect(
      errors.text.contains(
        "level=warning event=\"page not served\" reason=\"the address is in use\" "
          + "remedy=\"choose another port\""), "\(errors.text)")
  }

  @Test func `browsers paired by a later version can be forgotten only all together`() async throws
  {
    let file = try write(#"{"version":2,"people":{}}"#, to: "walks.sqlite-web")
    let outcome = await run(["web", "forget", "Ada"])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        """
        error: a later version of footbridge wrote \(file), so no browser is paired
               use that version, or delete the file and pair the browsers again
               'footbridge web forget all' works even if the disk is full

        """), "\(outcome.errors)")
    #expect(Folder.exists(file))
    #expect(await run(["web", "forget", "all"]).status == 0)
    #expect(!Folder.exists(file))
  }
}
