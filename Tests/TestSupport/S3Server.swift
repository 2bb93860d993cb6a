internal import Foundation
internal import LinuxSystem
public import Testing

/// An S3 service on the loopback interface that checks signatures: moto (`s3_server.py`). All tests
/// share one service, but each uses its own prefix.
public final class S3Server: Sendable {
  /// Whether moto is installed.
  public static let isInstalled = FileManager.default.isExecutableFile(
    atPath: URL(fileURLWithPath: Repository.python).deletingLastPathComponent()
      .appendingPathComponent("moto_server").path)
  /// The reason to skip a test if moto is not installed.
  public static let absence: Comment =
    "SKIPPED: moto is not installed in .build/test-environment (.ci/setup --tests)"

  private static let shared = Guarded<Task<S3Server, any Error>?>(nil)

  /// The service that all tests share.
  public static func running() async throws -> S3Server {
    let task = shared.withLock { shared in
      let task = shared ?? Task { try await S3Server() }
      shared = task
      return task
    }
    return try await task.value
  }

  private struct Greeting: Decodable {
    var port: UInt16
    var key: String
    var secret: String
  }

  private let program: Program
  private let greeting: Greeting

  private init() async throws {
    program = try Program(
      Repository.python, [Repository.path("s3_server.py", beside: #filePath), "walks"],
      environment: ["no_proxy": "*", "PYTHONDONTWRITEBYTECODE": "1"])
    guard let line = await program.line() else {
      let outcome = await program.wait(within: 0)
      throw Failure(description: "moto did not start: \(outcome.errors)")
    }
    greeting = try JSONDecoder().decode(Greeting.self, from: Data(line.utf8))
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The id of a key with read and write access.
  public var key: String { greeting.key }
  /// The secret of the key with read and write access.
  public var secret: String { greeting.secret }
  /// The URL of the service, without a bucket.
  public var url: String { "http://127.0.0.1:\(greeting.port)" }

  /// Returns a path in the bucket that is used by no other test.
  public static func newPlace() -> String {
    "/walks/t" + String(UInt64.random(in: 0 ... .max), radix: 36)
  }
}
