import Foundation
import HTTPClient
import LinuxSystem
import TestSupport
import Testing
import Upload

/// Google's Firestore emulator, if it is installed. All tests share it, but each uses its own
/// project.
final class Emulator: Sendable {
  private static let folder = "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator"
  private static let jar = folder + "/cloud-firestore-emulator.jar"

  static let isInstalled = FileManager.default.fileExists(atPath: jar)
  static let absence: Comment =
    "SKIPPED: Firestore's emulator is not installed (package google-cloud-cli-firestore-emulator)"

  /// The path of the Python with Firestore's own client, if `bash .ci/setup --tests` has installed
  /// it.
  static let python = Repository.python
  static let hasPython = FileManager.default.isExecutableFile(atPath: python)
  static let pythonAbsence: Comment =
    "SKIPPED: there is no Python with Firestore's client; 'bash .ci/setup --tests' makes one"

  /// Returns the path of a Python program in these tests' folder.
  static func script(_ name: String) -> String {
    Repository.path(name, beside: #filePath)
  }

  let host: String
  let client: HTTPClient
  private let process: ChildProcess

  private static let shared = Result { try Emulator() }

  /// Returns the emulator once it responds.
  static func running() async throws -> Emulator {
    let emulator = try shared.get()
    try await wait(for: "the emulator answers") {
      let request = HTTPRequest("GET", "http://\(emulator.host)/")
      return (try? await emulator.client.perform(request))?.status == 200
    }
    return emulator
  }

  private init() throws {
    // This port was free a moment ago, and another program on this computer is unlikely to take it.
    let port = try TCPListener().port
    host = "127.0.0.1:\(port)"
    // On a busy computer, the emulator may stall for a long time.
    var options = HTTPClientOptions()
    options.stallSeconds = 10 * patience
    client = try HTTPClient(options)
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    // Starts the program that the emulator's script would start, to avoid a grandchild process.
    process = try ChildProcess(
      "java",
      [
        "-Xmx256m", "-Duser.language=en", "-cp", Self.jar,
        "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start",
        "--host=127.0.0.1", "--port=\(port)",
      ], inheriting: [(nowhere.number, 1), (nowhere.number, 2)])
  }

  var environment: [String: String] { ["FIRESTORE_EMULATOR_HOST": host] }

  /// Loads the documented security rules into a project.
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

  /// Returns the name of a new project.
  static func project() -> String {
    "demo-" + String(UInt64.random(in: .min ... .max), radix: 36)
  }
}

/// An HTTP exchange that forwards requests and stores their bodies.
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

  /// The stored bodies, one per line.
  var lines: [UInt8] { kept.withLock { Array($0.joined()) } }
  var bodies: Int { kept.withLock { $0.count } }
}
