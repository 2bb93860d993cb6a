internal import Glibc
internal import LinuxSystem
public import Values

/// A file that contains a secret. The file is read when the secret is needed, and only if no other
/// user could have read or written it.
///
/// `credential:NAME` denotes the file that contains a systemd credential (`LoadCredential=` in the
/// unit). A name without a slash also denotes a credential if the unit defines one with this name.
public struct SecretFile: Hashable, Sendable {
  /// The path as typed by the user.
  public let path: String
  /// The folder that contains this process's systemd credentials; `nil` if there is none.
  private let credentials: String?

  /// The maximum size of a secret in bytes. A service account's key file is about 2,400 bytes long.
  private static let largest = 65_536

  public init(_ path: String) {
    self.init(path, credentials: Environment.variables["CREDENTIALS_DIRECTORY"])
  }

  /// `credentials` is the folder with the systemd credentials; `nil` if there is none.
  public init(_ path: String, credentials: String?) {
    self.path = path
    self.credentials = credentials
  }

  /// The reason a secret could not be read. It never quotes the secret.
  public struct Failure: Remediable, Hashable {
    public var reason: String
    public var remedy: String

    public var message: String { reason }

    /// The failure as an upload setback. A person must correct the file.
    public var setback: Setback { Setback(.rejected, reason, remedy: remedy) }
  }

  /// Throws if another user could have read or changed the file.
  public func read() throws(Failure) -> Secret {
    let (path, isCredential) = try place()
    let descriptor: OwnedDescriptor
    do throws(SystemError) {
      // The file is opened in non-blocking mode, because opening a named pipe that has no writer
      // would otherwise block forever.
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
    // The file's owner does not matter. Root may read a file that the service owns, because root
    // sets up the service. systemd grants access to the service's user through an access control
    // list, whose mask replaces the group bits.
    let others: mode_t = isCredential ? 0o027 : 0o077
    guard status.st_mode & others == 0 else {
      throw Failure(
        reason: "the secret in \(path) can be read or changed by others",
        // Root can change the permissions of any file. The condition in this remedy matters if the
        // file was specified by mistake.
        remedy: "if the file contains only the secret: chmod 600 \(ShellText.quoted(path))"
      )
    }
    return Secret(try text(of: descriptor, at: path))
  }

  /// Checks that the file is readable, and returns its path. Used for a library that reads the file
  /// itself.
  public func checkedPath() throws(Failure) -> String {
    _ = try read()
    return try place().path
  }

  /// Returns whether a file contains a private key. Used for files that need not be secret, such as
  /// certificates.
  public static func holdsKey(_ path: String) -> Bool {
    guard
      let file = try? OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    else { return false }
    // A certificate and its chain take up several kilobytes.
    let bytes = (try? file.readAll(of: path, upTo: 1 << 20)) ?? []
    return String(decoding: bytes, as: UTF8.self).holds("PRIVATE KEY-----")
  }

  /// Reads a file that consists of a single line, such as a token.
  public func readLine() throws(Failure) -> Secret {
    let lines = try read().revealed.split(whereSeparator: \.isNewline)
    let line = lines.first.map(String.init) ?? ""
    let isPlain = line.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    guard lines.count == 1, !line.isEmpty, isPlain else {
      throw Failure(
        reason: "the secret in \(path) is not a single line without spaces",
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
