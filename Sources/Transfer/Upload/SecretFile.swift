internal import Glibc
internal import LinuxSystem

/// A file with a secret, which is read when it is needed and only if nobody else could have read or
/// written it.
///
/// `credential:NAME` is the file of a systemd credential (`LoadCredential=` of the unit), and so is
/// a name without a slash if the unit has a credential of this name.
public struct SecretFile: Hashable, Sendable {
  /// The path as the user gave it.
  public let path: String
  /// Where systemd keeps credentials of this process; `nil` where it does not.
  private let credentials: String?

  /// Bytes in a secret at most; the key of a service account has about 2,400.
  private static let largest = 65_536

  /// The file at this path.
  public init(_ path: String) {
    self.init(path, credentials: Environment.variables["CREDENTIALS_DIRECTORY"])
  }

  /// The file at this path, with credentials in this folder.
  public init(_ path: String, credentials: String?) {
    self.path = path
    self.credentials = credentials
  }

  /// Why a secret could not be read. It never has a part of it.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, with the file's name.
    public var reason: String
    /// The remedy, for a person.
    public var remedy: String

    /// The failure.
    public var description: String { reason }

    /// As an upload meets it: somebody has to see to the file.
    public var setback: Setback { Setback(.rejected, reason, remedy: remedy) }
  }

  /// What the file has in it now.
  public func read() throws(Failure) -> Secret {
    let (path, isCredential) = try place()
    let descriptor: OwnedDescriptor
    do throws(SystemError) {
      // Not waiting: a named pipe without a writer would hold us for ever.
      descriptor = try .open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    } catch {
      throw Failure(
        reason: "cannot read the secret in \(path): \(error.reason)",
        remedy: error.number == ENOENT
          ? "see that the file exists" : "see that its owner is the user who runs this")
    }
    var status = stat()
    guard unsafe fstat(descriptor.number, &status) == 0 else {
      throw Failure(reason: "cannot look at \(path)", remedy: "see that the file exists")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(reason: "the secret \(path) is no file", remedy: "name a file")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw Failure(
        reason: "the secret in \(path) belongs to another user",
        remedy: "sudo chown \(geteuid()) \(path)")
    }
    // systemd lets the service's user in by an access list, whose mask stands where the group's
    // rights do.
    let others: mode_t = isCredential ? 0o027 : 0o077
    guard status.st_mode & others == 0 else {
      throw Failure(
        reason: "the secret in \(path) can be read or changed by others",
        // Without a word of warning, root would do it to any file that was named by mistake.
        remedy: "if the file is there for the secret alone: chmod 600 \(path)"
      )
    }
    return Secret(try text(of: descriptor, at: path))
  }

  /// Where the file lies, for a library that reads it by itself, once it could be read.
  public func checkedPath() throws(Failure) -> String {
    _ = try read()
    return try place().path
  }

  /// Whether there is a private key in a file that need not be secret, such as one with a
  /// certificate.
  public static func holdsKey(_ path: String) -> Bool {
    guard
      let file = try? OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    else { return false }
    // A certificate with its chain has some kilobytes.
    let bytes = (try? file.readAll(of: path, upTo: 1 << 20)) ?? []
    return String(decoding: bytes, as: UTF8.self).contains("PRIVATE KEY-----")
  }

  /// The one line that the file has in it, as for a token.
  public func readLine() throws(Failure) -> Secret {
    let lines = try read().revealed.split(whereSeparator: \.isNewline)
    let line = lines.first.map(String.init) ?? ""
    let isPlain = line.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    guard lines.count == 1, !line.isEmpty, isPlain else {
      throw Failure(
        reason: "the secret in \(path) is not one line without blanks",
        remedy: "write the token, and nothing else, into the file")
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
      reason: "the secret in \(path) is no text, or longer than 64 KiB",
      remedy: "see that it is the right file")
  }

  /// Where the file lies, and whether systemd put it there.
  private func place() throws(Failure) -> (path: String, isCredential: Bool) {
    let prefix = "credential:"
    if path.hasPrefix(prefix) {
      let name = path.dropFirst(prefix.count)
      guard let credentials, !name.isEmpty, !name.contains("/") else {
        throw Failure(
          reason: "there is no credential '\(name)'",
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
