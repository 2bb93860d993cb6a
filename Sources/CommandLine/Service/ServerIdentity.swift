internal import Coding
internal import HTTPServer
internal import LinuxSystem
internal import Terminal
internal import Upload
internal import Values

/// Reads a server's certificate and private key from two files.
enum ServerIdentity {
  /// Reads the certificate and the key. Returns `nil` unless both files are given. Throws if other
  /// users may read the key.
  static func read(
    certificate: String?, key: String?
  ) throws(Complaint) -> HTTPServer.Identity? {
    guard let certificate, let key else { return nil }
    let text = try text(of: certificate)
    if text.holds("PRIVATE KEY-----") {
      // One file may contain both the certificate and the key, and must then be as secret as a key
      // file.
      _ = try secret { () throws(SecretFile.Failure) in try SecretFile(certificate).read() }
    }
    return HTTPServer.Identity(
      certificate: text,
      key: try secret { () throws(SecretFile.Failure) in try SecretFile(key).read() }.revealed)
  }

  /// Warns if the certificate has expired or is not yet valid. Every client would reject it, but
  /// the server itself would not notice.
  static func warn(ofDatesIn identity: HTTPServer.Identity?, file: String?, _ console: Console) {
    guard let identity, let file, let dates = CertificateDates(pem: identity.certificate) else {
      return
    }
    let now = BootClock.systemTime().nanoseconds / 1_000_000_000
    func date(_ seconds: Int) -> String {
      UTCTime(nanoseconds: Int64(seconds) &* 1_000_000_000).iso8601()
    }
    if now > dates.end {
      console.warning(
        "the certificate has expired",
        [
          "file": file, "since": date(dates.end),
          "remedy": "renew the certificate and restart the command; until then no gateway can "
            + "upload",
        ])
    } else if now < dates.start {
      console.warning(
        "the certificate is not valid yet",
        [
          "file": file, "from": date(dates.start),
          "remedy": "check this computer's clock; "
            + "no gateway can upload until the certificate is valid",
        ])
    }
  }

  /// Runs `read`, and converts its error to a complaint.
  static func secret(
    _ read: () throws(SecretFile.Failure) -> Secret
  ) throws(Complaint) -> Secret {
    do {
      return try read()
    } catch {
      throw Complaint(error.reason, remedy: error.remedy)
    }
  }

  /// Reads a small file that need not be secret.
  private static func text(of path: String) throws(Complaint) -> String {
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
      return String(decoding: try file.readAll(of: path, upTo: 1 << 20), as: UTF8.self)
    } catch {
      throw Complaint(explaining: error)
    }
  }
}
