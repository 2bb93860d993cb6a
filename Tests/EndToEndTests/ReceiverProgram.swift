import ChunkFormat
import Coding
import Foundation
import UploadProtocol
import Recording
import TestSupport
import Testing
import Values

/// A process that runs the upload server of `footbridge` or `footbridge-fleet`. Requests are sent
/// over plain sockets.
final class ReceiverProgram: Sendable {
  let program: Program
  let port: UInt16

  /// Starts the receiver and waits until it listens at this port, or at any free one.
  init(
    of name: String = Program.footbridge, into path: String, _ options: String...,
    at port: UInt16 = 0, environment: [String: String]
  ) async throws {
    program = try Program(
      name,
      ["receive", "--into", path, "--listen", "127.0.0.1:\(port)", "--json"] + options,
      environment: environment)
    guard let line = await program.line(),
      let start = try? JSONDecoder().decode(JSON.self, from: Data(line.utf8)),
      let port = start["listening"]?.text?.split(separator: ":").last.flatMap({ UInt16($0) })
    else {
      let outcome = await program.wait(within: 1)
      throw Failure(description: "the receiver does not start: \(outcome.errors)")
    }
    self.port = port
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  func connect() throws -> RawConnection { try RawConnection(port: port) }

  /// Ends the receiver with an interrupt, as Ctrl-C does, and returns the summary that it prints.
  func finish() async throws -> JSON {
    program.signal(SIGINT)
    let outcome = await program.wait()
    try #require(outcome.status == 130, "\(outcome.errors)")
    let line = try #require(outcome.output.split(separator: "\n").last)
    return try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
  }

  /// Kills the receiver, which ends as abruptly as it would in a power cut.
  func kill() async {
    program.signal(SIGKILL)
    _ = await program.wait()
  }
}

extension RawConnection {
  /// Sends a request with a body and its hash.
  func upload(
    _ method: String, _ path: UploadPath, _ body: [UInt8], fields: [(String, String)] = []
  ) -> Answer? {
    ask(
      method, path.text,
      fields: [("Content-Digest", ContentDigest.text(SHA256.hash(of: body)))] + fields, body: body)
  }

  /// Sends a single chunk without waiting for the response.
  func send(upload chunk: Chunk) {
    let bytes = chunk.encoded()
    send(
      "PUT", UploadPath.chunk(chunk.id).text,
      fields: [("Content-Digest", ContentDigest.text(SHA256.hash(of: bytes)))], body: bytes)
  }

  /// Sends a single chunk.
  func upload(_ chunk: Chunk) -> Answer? { upload("PUT", .chunk(chunk.id), chunk.encoded()) }

  /// Sends several chunks in one request.
  func upload(_ chunks: [Chunk]) -> Answer? {
    upload(
      "POST", .chunks,
      ChunkBatch.body(of: chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.encoded()) }))
  }
}
