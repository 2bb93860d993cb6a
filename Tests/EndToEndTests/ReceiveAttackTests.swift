import ChunkFormat
import Foundation
import UploadProtocol
import Recording
import TestSupport
import Testing
import Values

/// Small requests that might make `footbridge receive` use a lot of memory.
@Suite(.realTime) struct ReceiveAttackTests {
  /// Kilobytes by which the receiver's memory may grow beyond the program's own size.
  private static let mostKilobytes = 40_000

  /// A program that creates a gzipped record, selected by name. Each record has about ten thousand
  /// bytes and unpacks to many millions.
  private static let recordMaker = """
    import gzip, sys
    head = '{"format":1,"session":{"id":"00000000-0000-0001-0000-000000000001"},'
    count = 20_000_000
    def write(name, text, tail):
        with open(f"{sys.argv[1]}/{name}.gz", "wb") as file:
            file.write(gzip.compress((text + tail).encode()))
    for name, item in {"lists": "[[0]],", "objects": '{"a":0},', "numbers": "0,"}.items():
        items = item * (count // len(item))
        write(name, head + '"later":[' + items, "0]}")
        write(name + "-streams", head + '"streams":[' + items, "0]}")
        write(name + "-note", '{"format":1,"session":{"note":[' + items, "0]}}")
    members = ",".join(f'"{number}":0' for number in range(count // 12))
    write("members", "{" + members, "}")
    write("text", '{"format":1,"note":"' + "a" * count, '"}')
    """

  private func peak(of receiver: ReceiverProgram) throws -> Int {
    let status = try String(
      contentsOfFile: "/proc/\(receiver.program.id)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
  }

  @Test func `large and malicious requests make the receiver's memory grow by less than 40 MB`()
    async throws
  {
    let scratch = try Scratch()
    let receiver = try await ReceiverProgram(
      into: scratch.path + "/received.sqlite", environment: scratch.environment)
    #expect(try receiver.connect().ask("GET", "/v1/")?.status == 200)
    let start = try peak(of: receiver)
    func expectWell(_ attack: String) throws {
      #expect(try receiver.connect().ask("GET", "/v1/")?.status == 200, "\(attack)")
      let grown = try peak(of: receiver) - start
      #expect(grown < Self.mostKilobytes, "\(attack): grown by \(grown) kB")
    }

    let chunks = (0..<16).map { SampleChunk.dense($0) }
    for count in [1, 4, 16] {
      // The body is created before the connection is opened, because a receiver waits only ten
      // seconds for a client's first bytes.
      let body = ChunkBatch.body(
        of: chunks[..<count].map { ChunkBatch.Part(id: $0.id, bytes: $0.encoded()) })
      let answer = try receiver.connect().upload("POST", .chunks, body)
      #expect(answer?.status == (count == 16 ? 413 : 200), "\(answer?.text ?? "-")")
      try expectWell("\(count) dense chunks")
    }

    let empty = (0..<400_000).map {
      ChunkBatch.Part(id: UniqueID(high: 3, low: UInt64($0)), bytes: [])
    }
    let batch = ChunkBatch.body(of: empty)
    #expect(try receiver.connect().upload("POST", .chunks, batch)?.status == 413)
    try expectWell("empty parts")

    let made = try await Program.run(
      "/usr/bin/python3", ["-c", Self.recordMaker, scratch.path], environment: scratch.environment)
    try #require(made.status == 0, "\(made.errors)")
    let session = UploadPath.session(UniqueID(high: 1, low: 1))
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
    let bombs = names.filter { $0.hasSuffix(".gz") }
    #expect(bombs.count == 11)
    for name in bombs.sorted() {
      let body = try Array(Data(contentsOf: URL(filePath: scratch.path + "/" + name)))
      let answer = try receiver.connect().upload(
        "PUT", session, body, fields: [("Content-Encoding", "gzip")])
      #expect(answer?.status == 422, "\(name): \(answer?.text ?? "-")")
      try expectWell(name)
    }

    let digest = "Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
    var open: [RawConnection] = []
    for _ in 0..<40 {
      let client = try receiver.connect()
      client.send(
        "POST /v1/chunks HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\(digest)\r\n\r\na")
      open.append(client)
    }
    #expect(try receiver.connect().upload(SampleChunk.make(100))?.status == 201)
    try expectWell("announced bodies")
    open = []
    _ = try await receiver.finish()
  }

  @Test func `clients without the token do not block other clients`() async throws {
    let scratch = try Scratch()
    let file = scratch.path + "/token"
    try "wombat-8420\n".write(toFile: file, atomically: true, encoding: .utf8)
    unsafe chmod(file, 0o600)
    let receiver = try await ReceiverProgram(
      into: scratch.path + "/received.sqlite", "--token-file", file,
      environment: scratch.environment)
    let token = [("Authorization", "Bearer wombat-8420")]
    var strangers: [RawConnection] = []
    for round in 0..<200 {
      let client = try receiver.connect()
      strangers.append(client)
      switch round % 3 {
      case 0: break
      case 1: client.send("GET /v1/ HT")
      default:
        client.send("POST /v1/chunks HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\nab")
        #expect(client.answer()?.status == 401)
      }
    }
    #expect(try receiver.connect().ask("GET", "/v1/", fields: token)?.status == 200)
    strangers = []
    #expect(try receiver.connect().ask("GET", "/v1/", fields: token)?.status == 200)
    _ = try await receiver.finish()
  }
}
