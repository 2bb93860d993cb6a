import Coding
import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct RS256Tests {
  @Test func `openssl accepts a signature, and rejects it for different bytes`() async throws {
    let folder = try TemporaryFolder()
    let (key, open) = ("\(folder.path)/key.pem", "\(folder.path)/public.pem")
    try await openssl(
      "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key)
    try await openssl("pkey", "-in", key, "-pubout", "-out", open)
    let signer = try RS256Key(pem: try String(contentsOfFile: key, encoding: .utf8))
    let message = Array("a header.some claims".utf8)
    let signature = try #require(signer.signature(of: message))
    #expect(signature.count == 256)
    // PKCS#1 v1.5 has no random component, so the signature is always the same.
    #expect(signer.signature(of: message) == signature)
    try Data(signature).write(to: URL(filePath: "\(folder.path)/signature"))
    for (text, isGood) in [(message, true), (message + [0x20], false)] {
      try Data(text).write(to: URL(filePath: "\(folder.path)/message"))
      let status = try await Self.status(
        "dgst", "-sha256", "-verify", open, "-signature", "\(folder.path)/signature",
        "\(folder.path)/message")
      #expect((status == 0) == isGood)
    }
  }

  @Test func `text without an RSA key is rejected, and the error does not quote the text`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (curve, locked) = ("\(folder.path)/curve.pem", "\(folder.path)/locked.pem")
    try await openssl(
      "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", curve)
    try await openssl(
      "genpkey", "-algorithm", "RSA", "-aes-256-cbc", "-pass", "pass:secret", "-out", locked)
    let texts = [
      "", "secret text", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
      try String(contentsOfFile: curve, encoding: .utf8),
      try String(contentsOfFile: locked, encoding: .utf8),
    ]
    var words: [String] = []
    for text in texts {
      do throws(RS256Key.Unusable) {
        _ = try RS256Key(pem: text)
        words.append("usable")
      } catch {
        words.append(error.description)
      }
    }
    let noKey = "the private key is not in PEM format, or has a password"
    #expect(words == [noKey, noKey, noKey, "the private key is not an RSA key", noKey])
  }

  private func openssl(_ arguments: String...) async throws {
    let outcome = try await Program.run(
      try #require(ChildProcess.locate("openssl")), arguments)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  private static func status(_ arguments: String...) async throws -> Int32 {
    try await Program.run(try #require(ChildProcess.locate("openssl")), arguments)
      .status
  }
}
