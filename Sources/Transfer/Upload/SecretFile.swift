internal import Glibc
internal import LinuxSystem
public import Values

/// A file with a secret, read when needed, and only if no other user could have read or written it.
///
/// `credential:NAME` is the file of a systemd credential (`LoadCredential=` of the unit). A name
/// without a slash also means a credential, if the unit has one with this name.
public struct SecretFile: Hashable, Sendable {
  /// The path as typed by the user.
  public let path: String
  /// The folder of systemd's credentials for this process; `nil` if there is none.
  private let credentials: String?

  /// The largest secret in bytes; the key of a service account has about 2,400.
  private static let largest = 65_536

  public init(_ path: String) {
    self.init(path, credentials: Environment.variables["CREDENTIALS_DIRECTORY"])
  }

  /// The file at this path, with credentials in this folder.
  public init(_ path: String, credentials: String?) {
    self.path = path
    self.credentials = credentials
  }

  /// The reason why a secret could not be read, without any part of the secret.
  public struct Failure: Remediable, Hashable {
    public var reason: String
    public var remedy: String

    public var message: String { reason }

    /// The failure as an upload's setback: a person has to correct the file.
    public var setback: Setback { Setback(.rejected, reason, remedy: remedy) }
  }

  /// The file's current content.
  public func read() throws(Failure) -> Secret {
    let (path, isCredential) = try place()
    let descriptor: OwnedDescriptor
    do throws(SystemError) {
      // Opened without waiting: a named pipe without a writer would block us for ever.
      descriptor = try .open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    } catch {
      throw Failure(
        reason: "cannot read the secret in \(path): \(error.reason)",
        remedy: error.number == ENOENT
          ? "check that the file exists" : "sudo chown \(geteuid()) \(ShellText.quoted(path))")
    }
    var status = stat()
    guard unsafe fstat(descriptor.number, &status) == 0 else {
      throw Failure(reason: "cannot inspect \(path)", remedy: "check that the file exists")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(reason: "the secret \(path) is not a file", remedy: "name a file")
    }
    // The owner does not matter: root may read a file of the service, which root sets up. systemd
    // grants access to the service's user by an access list, whose mask replaces the group bits.
    let others: mode_t = isCredential ? 0o027 : 0o077
    guard status.st_mode & others == 0 else {
      throw Failure(
        reason: "the secret in \(path) can be read or changed by others",
        // The condition warns root, who could otherwise change a file named by mistake.
        remedy: "if the file contains only the secret: chmod 600 \(ShellText.quoted(path))"
      )
    }
    return Secret(try text(of: descriptor, at: path))
  }

  /// The file's path, for a library that reads the file itself. Checks first that it is readable.
  public func checkedPath() throws(Failure) -> String {
    _ = try read()
    return try place().path
  }

  /// Whether a file that need not be secret, such as a certificate, contains a private key.
  public static func holdsKey(_ path: String) -> Bool {
    guard
      let file = try? OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    else { return false }
    // A certificate with its chain takes some kilobytes.
    let bytes = (try? file.readAll(of: path, upTo: 1 << 20)) ?? []
    return String(decoding: bytes, as: UTF8.self).holds("PRIVATE KEY-----")
  }

  /// The file's only line, such as a token.
  public func readLine() throws(Failure) -> Secret {
    let lines = try read().revealed.split(whereSeparator: \.isNewline)
    let line = lines.first.map(String.init) ?? ""
    let isPlain = line.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    guard lines.count == 1, !line.isEmpty, isPlain else {
      throw Failure(
        reason: "the secret in \(path) is not one line without blanks",
        remedy: "write only the token into the file")
    }
    return Secret(line)
  }

  private func text(of descriptor: borrowing OwnedDescriptor, at path: String) throws(Failure)
    -> String
  {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try descriptor.readAll(of: path, upTo: Self.largest)
    } catch {
      throw Failure(
        reason: "cannot read the secret in \(path)", remedy: "check the disk for errors")
    }
    if bytes.count <= Self.largest, let text = String(validating: bytes, as: UTF8.self) {
      return text
    }
    throw Failure(
      reason: "the secret in \(path) is not text, or is larger than 64 KiB",
      remedy: "check that it is the right file")
  }

  /// The file's path, and whether systemd put the file there.
  private func place() throws(Failure) -> (path: String, isCredential: Bool) {
    let prefix = "credential:"
    if path.hasPrefix(prefix) {
      let name = path.dropFirst(prefix.count)
      guard let credentials, !name.isEmpty, !name.contains("/") else {
        throw Failure(
          reason: "credential '\(name)' not found",
          remedy: "add LoadCredential=\(name):/path/of/the/file to the unit")
      }
      return (credentials + "/" + name, true)
    }
    if let credentials, !path.contains("/"), unsafe access(credentials + "/" + path, F_OK) == 0 {
      return (credentials + "/" + path, true)
    }
    return (path, false)
  }
}
