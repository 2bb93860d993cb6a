import Foundation
import HTTPClient
import LinuxSystem
import TestSupport
import Testing
import Upload

/// Firestore's emulator, if it is installed. All tests share it, and each has its own project.
final class Emulator: Sendable {
  private static let folder = "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator"
  private static let jar = folder + "/cloud-firestore-emulator.jar"

  /// Whether the emulator is installed, and the message if it is not.
  static let isInstalled = FileManager.default.fileExists(atPath: jar)
  static let absence: Comment =
    "SKIPPED: Firestore's emulator is not installed (package google-cloud-cli-firestore-emulator)"

  /// The Python with Firestore's own client, if `bash .ci/setup --tests` installed one.
  static let python = Repository.python
  static let hasPython = FileManager.default.isExecutableFile(atPath: python)
  static let pythonAbsence: Comment =
    "SKIPPED: there is no Python with Firestore's client; 'bash .ci/setup --tests' makes one"

  /// The path of one of our Python programs.
  static func script(_ name: String) -> String {
    Repository.path(name, beside: #filePath)
  }

  let host: String
  let client: HTTPClient
  private let process: ChildProcess

  private static let shared = Result { try Emulator() }

  /// The emulator, once it answers.
  static func running() async throws -> Emulator {
    let emulator = try shared.get()
    try await wait(for: "the emulator answers") {
      let request = HTTPRequest("GET", "http://\(emulator.host)/")
      return (try? await emulator.client.perform(request))?.status == 200
    }
    return emulator
  }

  private init() throws {
    // This port was free a moment ago, and nothing else on this computer is likely to take it.
    let port = try TCPListener().port
    host = "127.0.0.1:\(port)"
    // The emulator stalls as long as a busy computer makes it.
    var options = HTTPClientOptions()
    options.stallSeconds = 10 * patience
    client = try HTTPClient(options)
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    // Starts the program behind the emulator's script directly, so that there is no grandchild.
    process = try ChildProcess(
      "java",
      [
        "-Xmx256m", "-Duser.language=en", "-cp", Self.jar,
        "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start",
        "--host=127.0.0.1", "--port=\(port)",
      ], inheriting: [(nowhere.number, 1), (nowhere.number, 2)])
  }

  var environment: [String: String] { ["FIRESTORE_EMULATOR_HOST": host] }

  /// Loads the documented rules.
  func loadRules(project: String) async throws {
    let rules = try String(
      contentsOfFile: Repository.path("docs/firestore.rules"), encoding: .utf8)
    let body = try JSONSerialization.data(
      withJSONObject: ["rules": ["files": [["name": "firestore.rules", "content": rules]]]])
    let answer = try await client.perform(
      HTTPRequest(
        "PUT", "http://\(host)/emulator/v1/projects/\(project):securityRules",
        fields: [HTTPRequest.Field("Content-Type", "application/json")], body: Array(body)))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
  }

  /// The name of a new project.
  static func project() -> String {
    "demo-" + String(UInt64.random(in: .min ... .max), radix: 36)
  }
}

/// Forwards requests and keeps their bodies.
final class BodyKeeper: HTTPExchange {
  private let exchange: any HTTPExchange
  private let kept = Guarded<[[UInt8]]>([])
  private let calls = Guarded(0)

  init(_ exchange: any HTTPExchange) {
    self.exchange = exchange
  }

  func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    calls.withLock { $0 += 1 }
    if let call = ["commit", "batchGet", "runQuery"].first(where: {
      request.url.hasSuffix(":\($0)")
    }) {
      kept.withLock {
        $0.append(Array(#"{"call":"\#(call)","body":"#.utf8) + request.body + Array("}\n".utf8))
      }
    }
    return try await exchange.perform(request)
  }

  /// The number of requests so far.
  var count: Int { calls.withLock { $0 } }

  /// The kept bodies, one per line.
  var lines: [UInt8] { kept.withLock { Array($0.joined()) } }
  var bodies: Int { kept.withLock { $0.count } }
}
