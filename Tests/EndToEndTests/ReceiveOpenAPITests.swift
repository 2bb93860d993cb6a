import Foundation
import TestSupport
import Testing
import Values

/// Checks by an independent program that the receiver follows the description of the upload
/// protocol.
@Suite(.realTime) struct ReceiveOpenAPITests {
  private static let schemathesis = Repository.path(
    ".build/test-environment/bin/schemathesis")

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: schemathesis),
      "needs schemathesis: 'bash .ci/setup --tests' installs it"))
  func `every response matches the OpenAPI description; its example record and track are accepted`()
    async throws
  {
    let scratch = try Scratch()
    let receiver = try await ReceiverProgram(
      into: scratch.path + "/received.sqlite", environment: scratch.environment)
    // The schema cannot describe the bytes of chunks or records, so the receiver may reject the
    // generated bodies.
    let outcome = try await Program.run(
      "/usr/bin/env",
      [
        "--chdir", scratch.path, Self.schemathesis, "run",
        Repository.path("docs/upload-protocol.openapi.yaml"), "--url",
        "http://127.0.0.1:\(receiver.port)", "--phases", "examples,coverage,fuzzing",
        "--max-examples", "5", "--seed", "1", "--exclude-checks", "positive_data_acceptance",
      ],
      environment: scratch.environment.merging([
        "SCHEMATHESIS_HOOKS": "openapi_hooks", "PYTHONPATH": Repository.path("", beside: #filePath),
        "PYTHONDONTWRITEBYTECODE": "1",
      ]) { $1 })
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let counts = try await receiver.finish()
    #expect(counts["records"]?.integer == 1)
    #expect(counts["track_pieces"]?.integer == 1)
  }
}
