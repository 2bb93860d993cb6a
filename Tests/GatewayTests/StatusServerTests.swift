import Gateway
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct StatusServerTests {
  private let folder: TemporaryFolder
  private let server: StatusServer
  private var path: String { folder.path + "/status.sock" }

  init() throws {
    folder = try TemporaryFolder()
    server = try StatusServer(at: folder.path + "/status.sock") { request, reply in
      guard request == "later" else { return reply("you asked '\(request)'\n") }
      Task {
        reply(StatusServer.hasBegun)
        try await Pause.seconds(0.05)
        reply("you asked for it later\n")
      }
    }
  }

  /// Sends these bytes, and returns everything received until the connection closes. Returns `nil`
  /// if the connection stays open.
  private func ask(_ request: String) async throws -> String? {
    let connection = try LocalConnection(to: path)
    _ = connection.send(Array(request.utf8))
    return try await read(connection)
  }

  private func read(_ connection: borrowing LocalConnection) async throws -> String? {
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let limit = GivenTime.now.advanced(bySeconds: patience)
    while GivenTime.now < limit {
      let count = connection.read(into: &buffer)
      if count > 0 { answer += buffer[..<count] }
      // The server closed the connection, either cleanly or before it had read everything.
      if count == 0 || count < 0 && !TCPConnection.isNothingYet(count) {
        return String(decoding: answer, as: UTF8.self)
      }
      try await Pause.seconds(0.005)
    }
    return nil
  }

  @Test func `the status server replies to a client's line and then closes the connection`()
    async throws
  {
    #expect(try await ask("status\n") == "you asked 'status'\n")
    #expect(try await ask("start\nmore") == "you asked 'start'\n")
  }

  @Test
  func `a line that is too long or never ends gets no reply and does not block other clients`()
    async throws
  {
    #expect(try await ask(String(repeating: "x", count: 100_000)) == "")
    let slow = try LocalConnection(to: path)
    _ = slow.send(Array("sta".utf8))
    #expect(try await ask("status\n") == "you asked 'status'\n")
    // The server disconnects the client after its timeout.
    #expect(try await read(slow) == "")
  }

  @Test func `a status client whose reply takes time does not delay other clients`() async throws {
    let patient = try LocalConnection(to: path)
    _ = patient.send(Array("later\n".utf8))
    #expect(try await ask("status\n") == "you asked 'status'\n")
    #expect(try await read(patient) == " you asked for it later\n")
  }

  @Test func `a client that is waiting for its reply keeps its slot, however many others connect`()
    async throws
  {
    let patient = try LocalConnection(to: path)
    _ = patient.send(Array("later\n".utf8))
    let silent = try (0..<12).map { _ in DescriptorBox(try LocalConnection(to: path).release()) }
    defer { withExtendedLifetime(silent) {} }
    #expect(try await read(patient) == " you asked for it later\n")
  }

  @Test func `clients that send nothing to the status server do not block others permanently`()
    async throws
  {
    let silent = try (0..<12).map { _ in DescriptorBox(try LocalConnection(to: path).release()) }
    defer { withExtendedLifetime(silent) {} }
    #expect(try await ask("status\n") == "you asked 'status'\n")
  }

  @Test
  func `a second status server is rejected, and a socket left by a killed server is replaced`()
    throws
  {
    let error = #expect(throws: SystemError.self) {
      try StatusServer(at: path) { $1($0) }
    }
    #expect(error?.isAddressTaken == true)
    server.stop()
    #expect(!Folder.exists(path))
    #expect(
      try Program.shell("ulimit -c 0; /usr/bin/python3 -c \(Self.deadServer) \"$1\"", [path]) == 0)
    #expect(Folder.exists(path))
    let next = try StatusServer(at: path) { $1($0) }
    next.stop()
  }

  private static let deadServer =
    "'import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()'"

  @Test func `a file at the status socket's path that is not a socket is not replaced`() throws {
    let file = folder.path + "/file"
    let written = try OwnedDescriptor.create(file)
    #expect(written.write(Array("precious".utf8).span) == 8)
    #expect(throws: SystemError.self) { try StatusServer(at: file) { $1($0) } }
    #expect(WholeFile.text(file) == "precious")
  }
}
