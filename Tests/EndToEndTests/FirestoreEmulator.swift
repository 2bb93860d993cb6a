import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Google's Firestore emulator, which stops when this object is released.
final class FirestoreEmulator: Sendable {
  private static let jar =
    "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"

  static let isInstalled = FileManager.default.fileExists(atPath: jar)
  static let advice: Comment =
    "SKIPPED: Firestore's emulator is not installed (package google-cloud-cli-firestore-emulator)"

  private let port: UInt16
  private let process: ChildProcess

  init() throws {
    port = try TCPListener().port
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    process = try ChildProcess(
      "java",
      [
        "-Xmx256m", "-Duser.language=en", "-cp", Self.jar,
        "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start",
        "--host=127.0.0.1", "--port=\(port)",
      ], inheriting: [(nowhere.number, 1), (nowhere.number, 2)])
  }

  deinit {
    process.kill()
  }

  /// Environment variables that make a program use the emulator.
  var environment: [String: String] {
    ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(port)", "no_proxy": "*"]
  }

  /// Waits until the emulator has started.
  func waitUntilReady() async throws {
    try await wait(for: "the emulator answers") { try await get("/") != nil }
  }

  /// Returns the emulator's response for a path, or `nil` if there is no response.
  func get(_ path: String) async throws -> String? { try await call("GET", path) }

  private func call(_ method: String, _ path: String) async throws -> String? {
    let ask = """
      import sys, urllib.request
      request = urllib.request.Request(sys.argv[1], method=sys.argv[2],
          headers={"Authorization": "Bearer owner"})
      opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
      print(opener.open(request, timeout=30).read().decode())
      """
    let outcome = try await Program.run(
      "/usr/bin/python3", ["-c", ask, "http://127.0.0.1:\(port)\(path)", method])
    return outcome.status == 0 ? outcome.output : nil
  }

  /// Returns the documents in a project's collection as text, or `nil` if there is no response.
  func documents(_ collection: String, of project: String) async throws -> String? {
    try await get("/v1/projects/\(project)/databases/(default)/documents/\(collection)")
  }

  /// Deletes a document at the root of a project's database.
  func delete(_ document: String, of project: String) async throws {
    let path = "/v1/projects/\(project)/databases/(default)/documents/\(document)"
    try #require(try await call("DELETE", path) != nil)
  }
}
