internal import Foundation
internal import LinuxSystem

/// A certificate and its key, created by `openssl` for one test. Both are in a folder that is
/// deleted together with this object.
public final class TestCertificate: Sendable {
  private let folder: TemporaryFolder
  /// The path of the certificate.
  public let file: String
  /// The path of the certificate's key.
  public let keyFile: String

  private init(_ folder: TemporaryFolder) {
    self.folder = folder
    file = folder.path + "/certificate.pem"
    keyFile = folder.path + "/key.pem"
  }

  /// Creates an authority that signs other certificates.
  public static func authority(named name: String = "Test authority") async throws
    -> TestCertificate
  {
    let made = TestCertificate(try TemporaryFolder(prefix: "certificate"))
    try await openssl(
      newKey
        + [
          "-x509", "-days", "30", "-subj", "/CN=\(name)", "-keyout", made.keyFile, "-out",
          made.file, "-addext", "basicConstraints=critical,CA:TRUE", "-addext",
          "keyUsage=critical,keyCertSign,cRLSign",
        ])
    return made
  }

  /// Creates a certificate for these names, such as `DNS:localhost` or `IP:127.0.0.1`, signed by
  /// this authority or self-signed.
  ///
  /// The certificate is valid between two times, given in days from now.
  public static func signed(
    by authority: TestCertificate?, for names: [String], from first: Double = -1,
    until last: Double = 30
  ) async throws -> TestCertificate {
    let made = TestCertificate(try TemporaryFolder(prefix: "certificate"))
    let folder = made.folder.path
    let extensions =
      "subjectAltName=\(names.joined(separator: ","))\nbasicConstraints=CA:FALSE\n"
      + "extendedKeyUsage=serverAuth,clientAuth\n"
      // Since release 3.13, Python requires a certificate to identify its signer's key.
      + "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"
    try extensions.write(toFile: folder + "/extensions", atomically: true, encoding: .utf8)
    try "".write(toFile: folder + "/index", atomically: true, encoding: .utf8)
    let configuration = """
      [ca]
      default_ca = own
      [own]
      new_certs_dir = \(folder)
      database = \(folder)/index
      rand_serial = yes
      default_md = sha256
      policy = any
      [any]
      commonName = supplied
      """
    try configuration.write(toFile: folder + "/ca.conf", atomically: true, encoding: .utf8)
    try await openssl(
      newKey
        + [
          "-subj", "/CN=Test certificate", "-keyout", made.keyFile, "-out", folder + "/request",
        ])
    // `openssl x509` counts whole days from now. Only `openssl ca` accepts two arbitrary times.
    let signer =
      authority.map { ["-cert", $0.file, "-keyfile", $0.keyFile] }
      ?? ["-selfsign", "-keyfile", made.keyFile]
    try await openssl(
      ["ca", "-batch", "-notext", "-config", folder + "/ca.conf", "-in", folder + "/request"]
        + signer
        + [
          "-out", made.file, "-startdate", time(first), "-enddate", time(last), "-extfile",
          folder + "/extensions",
        ])
    return made
  }

  private static let newKey = [
    "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
  ]

  private static func time(_ days: Double) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    format.dateFormat = "yyyyMMddHHmmss'Z'"
    return format.string(from: Date(timeIntervalSinceNow: days * 86_400))
  }

  private static func openssl(_ arguments: [String]) async throws {
    let outcome = try await Program.run("/usr/bin/openssl", arguments)
    guard outcome.status == 0 else { throw FaultServer.Failure(description: outcome.errors) }
  }
}
