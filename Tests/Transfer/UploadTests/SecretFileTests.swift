import Foundation
import LinuxSystem
import TestSupport
import Testing
import Upload

@Suite(.computation) struct SecretFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func write(_ text: String, mode: Int = 0o600, name: String = "token") throws -> String {
    let path = folder.path + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private struct WasRead: Error {}

  private func failure(_ file: SecretFile, line: Bool = false) throws -> SecretFile.Failure {
    do throws(SecretFile.Failure) {
      _ = line ? try file.readLine() : try file.read()
    } catch {
      return error
    }
    throw WasRead()
  }

  @Test func `a private file is read, and is read again after it has changed`() throws {
    let file = SecretFile(try write("first-token\n"))
    #expect(try file.readLine().revealed == "first-token")
    #expect(try file.read().revealed == "first-token\n")
    _ = try write("second-token")
    #expect(try file.readLine().revealed == "second-token")
    _ = try write("read-only\r\n", mode: 0o400)
    #expect(try file.readLine().revealed == "read-only")
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o666, 0o644, 0o610])
  func `the error for a file that other users can read or change suggests a remedy`(_ mode: Int)
    throws
  {
    let path = try write("hidden-token", mode: mode)
    let error = try failure(SecretFile(path))
    #expect(error.reason == "the secret in \(path) can be read or changed by others")
    #expect(error.remedy == "if the file contains only the secret: chmod 600 \(path)")
    #expect(error.setback.kind == .rejected)
  }

  @Test func `a private key in a certificate file is recognised`() throws {
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    #expect(!SecretFile.holdsKey(try write(certificate, mode: 0o644)))
    for kind in ["", "EC ", "RSA ", "ENCRYPTED "] {
      let key = "-----BEGIN \(kind)PRIVATE KEY-----\nMIIE\n-----END \(kind)PRIVATE KEY-----\n"
      #expect(SecretFile.holdsKey(try write(certificate + key, mode: 0o644)), "\(kind)")
    }
    #expect(!SecretFile.holdsKey(folder.path + "/none"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `root can read a secret file that belongs to another user`() throws {
    let path = try write("hidden-token")
    try #require(unsafe chown(path, 12_345, 12_345) == 0)
    #expect(try SecretFile(path).readLine().revealed == "hidden-token")
  }

  @Test func `a path that is not a text file is rejected without blocking`() throws {
    #expect(try failure(SecretFile(folder.path + "/none")).reason.contains("No such file"))
    #expect(try failure(SecretFile(folder.path)).reason.contains("is not a file"))
    let pipe = folder.path + "/pipe"
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    #expect(try failure(SecretFile(pipe)).reason.contains("is not a file"))
    let long = try write(String(repeating: "hidden", count: 20_000))
    #expect(try failure(SecretFile(long)).reason.contains("larger than 64 KiB"))
    let path = folder.path + "/token"
    try Data([0xff, 0xfe, 0x00]).write(to: URL(fileURLWithPath: path))
    #expect(try failure(SecretFile(path)).reason.contains("is not text"))
  }

  @Test func `a file that the disk cannot read is reported`() throws {
    // The kernel rejects every read from an address that this process does not use.
    let error = try failure(SecretFile("/proc/self/mem", credentials: nil))
    #expect(error.reason == "cannot read the secret in /proc/self/mem")
    #expect(error.remedy == "check the disk for errors")
  }

  @Test(arguments: ["", "\n", "hidden one\n", "hidden\nhidden\n", "hid\u{e4}n", "hid\u{1}n"])
  func `a token that is not one line of visible ASCII characters is rejected`(_ text: String) throws
  {
    let error = try failure(SecretFile(try write(text)), line: true)
    #expect(error.reason.contains("is not a single line without spaces"))
    #expect(!"\(error)\(error.remedy)".contains("hidden"))
  }

  @Test func `systemd credentials are found by their names`() throws {
    // For a user other than root, systemd writes credentials with an access control list (ACL),
    // which looks like read permission for the group.
    _ = try write("from-systemd", mode: 0o440, name: "token")
    let named = SecretFile("credential:token", credentials: folder.path)
    #expect(try named.readLine().revealed == "from-systemd")
    #expect(
      try SecretFile("token", credentials: folder.path).readLine().revealed == "from-systemd")
    #expect(try named.checkedPath() == folder.path + "/token")
    let none = try failure(SecretFile("credential:token", credentials: nil))
    #expect(none.remedy == "add LoadCredential=token:/path/of/the/file to the unit")
    #expect(
      try failure(SecretFile("credential:../token", credentials: folder.path)).reason
        == "credential '../token' not found")
    #expect(
      try failure(SecretFile("other", credentials: folder.path)).reason
        == "cannot read the secret in other: No such file or directory")
  }

  @Test func `a secret is not shown when it is printed or dumped`() {
    let secret = Secret("hidden-token")
    struct Holder {
      var secret: Secret
    }
    var dumped = ""
    dump(Holder(secret: secret), to: &dumped)
    let shown =
      "\(secret)" + String(reflecting: secret) + "\(Holder(secret: secret))" + dumped
      + String(describing: Optional(secret)) + "\([secret])"
    #expect(!shown.contains("hidden"))
  }
}
