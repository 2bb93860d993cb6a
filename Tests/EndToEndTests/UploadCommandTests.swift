import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// `footbridge destination`, `upload` and `uploads`, run as users run them, with a real server.
@Suite(.realTime) struct UploadCommandTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func run(_ world: UploadStore, _ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, arguments,
      environment: scratch.environment.merging(
        ["FOOTBRIDGE_STORE": world.path, "no_proxy": "*"]) { $1 })
  }

  private func server(
    _ rules: [FaultServer.Rule] = [], in world: UploadStore,
    _ change: (inout FaultServer.Options) -> Void = { _ in }
  ) async throws -> FaultServer {
    var options = FaultServer.Options()
    options.folder = world.folder.path + "/received"
    change(&options)
    return try await FaultServer.start(rules, options)
  }

  private func expectAll(of world: UploadStore, in server: FaultServer) throws {
    let kept = try server.chunks()
    let ids = Array(world.chunks.values.joined())
    #expect(Set(kept.keys) == Set(ids))
    for id in ids { #expect(try kept[id] == world.bytes(id)) }
  }

  @Test func `each step of uploading a walk reports its result`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 30)
    let server = try await server(in: world)
    let url = server.url()
    let added = try await run(world, "destination", "add", "home", "--http", url + "/")
    #expect(added.status == 0 && added.errors.isEmpty, "\(added.errors)")
    #expect(added.output.hasPrefix("home: \(url); 30 chunks ("), "\(added.output)")
    #expect(added.output.hasSuffix(") to be sent\n"))
    let tested = try await run(world, "destination", "test", "HOME")
    #expect(tested.output == "'home' accepts uploads: \(url)\n", "\(tested.errors)")
    let dry = try await run(world, "upload", "--dry-run")
    #expect(dry.output.hasPrefix("home: 30 chunks (") && dry.output.hasSuffix(") would be sent\n"))
    #expect(try server.chunks().isEmpty)
    let sent = try await run(world, "upload")
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(sent.output.hasPrefix("home: 30 chunks ("), "\(sent.output)")
    #expect(sent.output.hasSuffix(") sent, 1 session complete\n"), "\(sent.output)")
    try expectAll(of: world, in: server)
    let again = try await run(world, "upload", "--destination", "home", "--json")
    #expect(again.output.contains(#""ending":"done""#) && again.output.contains(#""chunks":0"#))
    let state = try await run(world, "uploads")
    #expect(state.output.contains("home") && state.output.contains("1 of 1"))
    let removed = try await run(world, "destination", "remove", "home")
    #expect(
      removed.output == """
        home was removed: \(url).
        Everything had been sent; recordings stay in the store.

        """)
    let back = try await run(world, "destination", "add", "lab", "--http", url)
    #expect(back.output.hasSuffix(") already sent, nothing left to send\n"), "\(back.output)")
    await server.stop()
  }

  @Test func `uploads to this computer bypass the proxy set in the environment`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 3)
    let server = try await server(in: world)
    _ = try await run(world, "destination", "add", "home", "--http", server.url())
    let proxy = "http://127.0.0.1:\(try FaultServer.deadPort())"
    for exceptions in ["", "example.org"] {
      let sent = try await Program.run(
        Program.footbridge, ["upload"],
        environment: scratch.environment.merging([
          "FOOTBRIDGE_STORE": world.path, "http_proxy": proxy, "ALL_PROXY": proxy,
          "no_proxy": exceptions,
        ]) { $1 })
      #expect(sent.status == 0, "\(sent.errors)")
    }
    try expectAll(of: world, in: server)
    await server.stop()
  }

  @Test func `an upload deletes chunks that every destination has had for long enough`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 5)
    let server = try await server(in: world)
    _ = try await run(world, "destination", "add", "home", "--http", server.url())
    let kept = try await run(world, "store", "space", "--keep-sent", "30")
    #expect(kept.status == 0, "\(kept.errors)")
    let first = try await run(world, "upload")
    #expect(first.status == 0 && !first.errors.contains("event=dropped"), "\(first.errors)")
    // Moves the time of the upload into the distant past.
    let stored = try #require(try StoreReader(path: world.path).destination(named: "home"))
    try StoreEditor(path: world.path).noteUploads(
      world.chunks.values.joined().prefix(3).map { ChunkUpload($0, .sent, attempts: 1, error: "") },
      to: stored, at: UTCTime(nanoseconds: 1_700_000_000_000_000_000))
    let second = try await run(world, "upload")
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.errors.contains("event=dropped"), "\(second.errors)")
    #expect(second.errors.contains("chunks=3"), "\(second.errors)")
    #expect(try world.counts(stored).sentChunks.count == 2)
    let again = try await run(world, "upload")
    #expect(again.status == 0 && again.output.contains("1 session complete"), "\(again.output)")
    await server.stop()
  }

  @Test func `'upload --again' sends a session again to a receiver that has lost part of it`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 4)
    try world.record(chunks: 2)
    let received = world.folder.path + "/received"
    try FileManager.default.createDirectory(
      atPath: received, withIntermediateDirectories: false)
    let receiver = try await ReceiverProgram(into: received, environment: scratch.environment)
    let place = "http://127.0.0.1:\(receiver.port)"
    for command in [["destination", "add", "home", "--http", place], ["upload"]] {
      let outcome = try await Program.run(
        Program.footbridge, command + ["--store", world.path],
        environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let session = world.sessions[0]
    let chunks = try #require(world.chunks[session])
    func file(_ id: UniqueID) -> String { "\(received)/chunks/\("\(id)".prefix(2))/\(id).chunk" }
    let folder = "\(received)/sessions/\(session)"
    let record = try Data(contentsOf: URL(filePath: folder + "/record.json"))
    let track = try Data(contentsOf: URL(filePath: folder + "/track/0.json"))
    try FileManager.default.removeItem(atPath: file(chunks[0]))
    for path in [file(chunks[1]), folder + "/record.json", folder + "/track/0.json"] {
      try Data("damaged".utf8).write(to: URL(filePath: path))
    }
    let plain = try await run(world, "upload")
    #expect(plain.status == 0 && plain.output.hasPrefix("home: 0 "), "\(plain)")
    // A recorder has the store open at the same time, as in a gateway.
    let recorder = try Store.open(path: world.path)
    let dry = try await run(world, "upload", "--again", "\(session)", "--dry-run")
    #expect(dry.output.hasPrefix("home: 4 chunks ("), "\(dry)")
    for _ in 1...2 {
      let again = try await run(world, "upload", "--again", String("\(session)".prefix(8)))
      #expect(again.status == 0, "\(again.errors)")
      #expect(again.output.hasPrefix("home: 4 chunks ("), "\(again)")
      #expect(again.output.hasSuffix(") sent, 1 session complete\n"), "\(again)")
      for id in chunks {
        let bytes = try Data(contentsOf: URL(filePath: file(id)))
        #expect(try Array(bytes) == world.bytes(id))
      }
      #expect(try Data(contentsOf: URL(filePath: folder + "/record.json")) == record)
      #expect(try Data(contentsOf: URL(filePath: folder + "/track/0.json")) == track)
    }
    try recorder.close()
    // The receiver stored six chunks and later stored the lost chunk again. It replaced the damaged
    // chunk and left the intact ones unchanged.
    let counts = try await receiver.finish()
    #expect(counts["chunks"]?.integer == 7 && counts["mended"]?.integer == 1, "\(counts)")
  }

  @Test func `if a session is sent again, chunks already deleted to free space are reported`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 5)
    let server = try await server(in: world)
    for command in [
      ["destination", "add", "home", "--http", server.url()],
      ["store", "space", "--keep-sent", "30"], ["upload"],
    ] {
      let outcome = try await Program.run(
        Program.footbridge, command + ["--store", world.path],
        environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let chunks = Array(world.chunks.values.joined())
    let stored = try #require(try StoreReader(path: world.path).destination(named: "home"))
    try StoreEditor(path: world.path).noteUploads(
      [0, 1, 3].map { ChunkUpload(chunks[$0], .sent, attempts: 1, error: "") }, to: stored,
      at: UTCTime(nanoseconds: 1_700_000_000_000_000_000))
    _ = try await run(world, "upload")
    for options in [["--dry-run"], []] {
      let again = try await Program.run(
        Program.footbridge, ["upload", "--again", "last", "--store", world.path] + options,
        environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
      #expect(again.status == 5 && again.output.hasPrefix("home: 2 chunks ("), "\(again)")
      #expect(again.errors.contains("count=3 "), "\(again.errors)")
      let named = #"chunks="0–1, 3 of C8:4B:AA:97:50:05 acceleration""#
      #expect(again.errors.contains(named), "\(again.errors)")
    }
    await server.stop()
  }

  @Test func `a client certificate's key may be stored as a systemd credential`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 4)
    let authority = try await TestCertificate.authority()
    let certificate = try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"])
    let ours = try await TestCertificate.signed(by: authority, for: ["DNS:gateway"])
    let server = try await server(in: world) {
      $0.certificate = certificate
      $0.clientAuthority = authority.file
    }
    // The folder that systemd creates for a unit with LoadCredential=walk.key:…
    let credentials = world.folder.path + "/credentials"
    try FileManager.default.createDirectory(
      atPath: credentials, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: ours.keyFile, toPath: credentials + "/walk.key")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o400], ofItemAtPath: credentials + "/walk.key")
    func run(_ arguments: String...) async throws -> Program.Outcome {
      try await Program.run(
        Program.footbridge, arguments,
        environment: scratch.environment.merging([
          "FOOTBRIDGE_STORE": world.path, "no_proxy": "*", "CREDENTIALS_DIRECTORY": credentials,
        ]) { $1 })
    }
    let added = try await run(
      "destination", "add", "home", "--http", server.url(), "--ca-file", authority.file,
      "--certificate", ours.file, "--certificate-key", "credential:walk.key")
    #expect(added.status == 0, "\(added.errors)")
    let sent = try await run("upload")
    #expect(sent.status == 0, "\(sent.errors)")
    try expectAll(of: world, in: server)
    // Without the systemd credential, the command fails before anything is sent.
    let without = try await self.run(world, "upload")
    #expect(without.status == 1 && without.errors.contains("credential"), "\(without.errors)")
    await server.stop()
  }

  @Test func `a rejected chunk is shown with the server's message and sent again on request`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 3)
    let body = #"{"error":{"code":"not-a-chunk","message":"no such sensor"}}"#
    let server = try await server(
      [.status(422, body: body).on("PUT", path: "/chunks/", after: 1, times: 1)], in: world
    ) { $0.takesBatches = false }
    _ = try await run(
      world, "destination", "add", "home", "--http", server.url(), "--parallel", "1")
    let sent = try await run(world, "upload")
    #expect(sent.status == 6, "\(sent.output)\(sent.errors)")
    #expect(sent.output.hasSuffix("sent, 1 session complete, 1 parked\n"), "\(sent.output)")
    let state = try await run(world, "uploads")
    #expect(state.output.contains("home rejected chunk 1 of C8:4B:AA:97:50:05 acceleration"))
    #expect(state.output.contains("no such sensor"), "\(state.output)")
    let retry = try await run(world, "uploads", "retry")
    #expect(retry.output == "home: 1 unparked; 'footbridge upload' sends the data again\n")
    let rest = try await run(world, "upload")
    #expect(rest.status == 0, "\(rest.output)\(rest.errors)")
    try expectAll(of: world, in: server)
    await server.stop()
  }

  @Test func `an unreachable destination is reported with its own exit status`() async throws {
    var world = try UploadStore()
    try world.record(chunks: 3)
    let url = "http://127.0.0.1:\(try FaultServer.deadPort())"
    _ = try await run(world, "destination", "add", "home", "--http", url)
    let test = try await run(world, "destination", "test", "home")
    #expect(test.status == 7 && test.errors.hasPrefix("error: cannot upload to 'home': "))
    let sent = try await run(world, "upload")
    #expect(sent.status == 7, "\(sent.output)\(sent.errors)")
    #expect(sent.errors.contains("error: cannot upload to 'home': "))
    let state = try await run(world, "uploads")
    #expect(state.output.contains("sending to home failed 5 times: "), "\(state.output)")
  }

  @Test func `a file with a secret is rejected if others can read it, and no secret is ever shown`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 2)
    let server = try await server(in: world) { $0.token = "very-secret-token" }
    let file = world.folder.path + "/token"
    try Data("very-secret-token\n".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let refused = try await run(
      world, "destination", "add", "home", "--http", server.url(), "--token-file", file)
    #expect(refused.status == 1 && refused.errors.contains("chmod 600 \(file)"))
    #expect(try StoreReader(path: world.path).destinations().isEmpty)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let inAddress = try await run(
      world, "destination", "add", "home", "--http", "http://me:very-secret-token@127.0.0.1:1")
    #expect(inAddress.status == 2)
    _ = try await run(
      world, "destination", "add", "home", "--http", server.url(), "--token-file", file)
    let sent = try await run(world, "upload", "--verbose")
    #expect(sent.status == 0, "\(sent.errors)")
    let list = try await run(world, "destination", "list")
    let json = try await run(world, "destination", "list", "--json")
    #expect(list.output.contains("token in \(file)"))
    for outcome in [refused, inAddress, sent, list, json] {
      #expect(!(outcome.output + outcome.errors).contains("very-secret"))
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: world.folder.path)
    where name.hasPrefix("store.sqlite") {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: world.folder.path + "/" + name))
      #expect(bytes.range(of: Data("very-secret".utf8)) == nil, "\(name)")
    }
    try expectAll(of: world, in: server)
    await server.stop()
  }

  @Test
  func `a destination belongs to one login, and the same address with another login is rejected`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 1)
    func login(_ name: String, of email: String) throws -> String {
      let path = world.folder.path + "/" + name
      try Data(#"{"email":"\#(email)","password":"hidden","api_key":"k"}"#.utf8)
        .write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      return path
    }
    func add(_ file: String) async throws -> Program.Outcome {
      try await run(
        world, "destination", "add", "lab", "--firestore", "demo-lab", "--login-file", file)
    }
    let alice = try login("alice", of: "Alice@example.org")
    let added = try await add(alice)
    #expect(added.status == 0, "\(added.errors)")
    #expect(
      added.output.hasPrefix("lab: firestore demo-lab/(default)/compact as alice@example.org; "),
      "\(added.output)")
    #expect(try await add(login("again", of: "alice@example.org")).status == 0)
    let bob = try await add(login("bob", of: "bob@example.org"))
    #expect(bob.status == 1, "\(bob.output)")
    #expect(bob.errors.contains("footbridge destination remove lab"), "\(bob.errors)")
    // The file now contains another person's login.
    _ = try login("again", of: "bob@example.org")
    let sent = try await run(world, "upload")
    #expect(sent.status != 0)
    #expect(sent.errors.contains("does not belong to alice@example.org"), "\(sent.errors)")
    #expect(!(sent.errors + bob.errors + added.output).contains("hidden"))
  }

  @Test
  func
    `a second destination with the same name is rejected, as are invalid or conflicting options`()
    async throws
  {
    var world = try UploadStore()
    try world.record(chunks: 1)
    _ = try await run(world, "destination", "add", "home", "--http", "http://127.0.0.1:1")
    let other = try await run(world, "destination", "add", "home", "--http", "http://127.0.0.1:2")
    #expect(other.status == 1 && other.errors.contains("footbridge destination remove home"))
    for arguments in [
      ["add", "x y", "--http", "http://127.0.0.1:1"], ["add", "x"], ["add"], ["list", "x"],
      ["add", "x", "--http", "nowhere"], ["add", "x", "--http", "http://h/?token=1"],
      ["add", "x", "--folder", "/f", "--token-file", "/t"],
      ["add", "x", "--http", "http://h", "--key-file", "/t"],
      ["add", "x", "--http", "http://h", "--layout", "compact"],
      ["add", "x", "--http", "http://h", "--certificate-key", "/t"],
      ["remove", "home", "--compress"], ["add", "x", "--http", "http://h", "--hours", "late"],
      ["add", "x", "--http", "http://h", "--folder", "/f"],
    ] {
      let outcome = try await Program.run(
        Program.footbridge, ["destination"] + arguments,
        environment: ["FOOTBRIDGE_STORE": world.path])
      #expect(outcome.status == 2, "\(arguments): \(outcome.errors)")
    }
    let key = world.path + ".key"
    _ = FileManager.default.createFile(
      atPath: key, contents: Data("no key".utf8), attributes: [.posixPermissions: 0o600])
    let keyless = try await run(
      world, "destination", "add", "lab", "--firestore", "walks", "--key-file", key)
    #expect(keyless.status == 1 && keyless.errors.contains("it is not JSON"), "\(keyless.errors)")
    let unknown = try await run(world, "upload", "--destination", "lab")
    #expect(unknown.status == 1 && unknown.errors.contains("there is no destination 'lab'"))
  }

  /// The number of uploads that are killed: 20, or the number in the environment variable.
  private static let kills =
    ProcessInfo.processInfo.environment["FOOTBRIDGE_UPLOAD_KILLS"].flatMap { Int($0) } ?? 20

  @Test
  func `if uploads are killed at random times, the server still receives every chunk unchanged`()
    async throws
  {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the kills: \(seed)")
    var random = SeededGenerator(seed: seed)
    var world = try UploadStore()
    try world.record(chunks: 300)
    // One chunk per request gives the kill more chances to interrupt a request. Some responses are
    // also lost.
    let server = try await server(
      [.some(0.02, of: ["lost", "reset-body"], seed: UInt32(truncatingIfNeeded: seed))], in: world
    ) { $0.takesBatches = false }
    _ = try await run(world, "destination", "add", "home", "--http", server.url())
    let received = world.folder.path + "/received/chunks"
    func count() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: received).count) ?? 0
    }
    var killed = 0
    for _ in 0..<Self.kills {
      let before = count()
      if world.chunks.values.reduce(0, { $0 + $1.count }) - before < 300 {
        try world.record(chunks: 500)
      }
      let program = try Program(
        Program.footbridge, ["upload"],
        environment: ["FOOTBRIDGE_STORE": world.path, "no_proxy": "*"])
      // A random time while an upload still has many chunks to send.
      let target = before + Int.random(in: 0...200, using: &random)
      _ = await happens { count() >= target || !program.isRunning }
      if program.isRunning {
        program.signal(SIGKILL)
        killed += 1
      }
      _ = await program.wait()
      // The server has every chunk that the store records as sent.
      let stored = try #require(try StoreReader(path: world.path).destination(named: "home"))
      #expect(try world.counts(stored).sentChunks.count <= count())
    }
    let sentBefore = count()
    #expect(killed > Self.kills / 2)
    var last = try await run(world, "upload")
    for _ in 0..<10 where last.status != 0 { last = try await run(world, "upload") }
    #expect(last.status == 0, "\(last.errors)")
    try expectAll(of: world, in: server)
    print(
      "killed \(killed) of \(Self.kills) times, \(sentBefore) chunks were there before the last run"
    )
    let check = try await run(world, "store", "check")
    #expect(check.status == 0, "\(check.output)")
    await server.stop()
  }
}
