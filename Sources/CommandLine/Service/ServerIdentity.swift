internal import Coding
internal import HTTPServer
internal import LinuxSystem
internal import Terminal
internal import Upload
internal import Values

/// The certificate of a server with its key, from two files.
enum ServerIdentity {
  /// Reads both; `nil` unless both are named. Others may not read the key.
  static func read(
    certificate: String?, key: String?
  ) throws(Complaint) -> HTTPServer.Identity? {
    guard let certificate, let key else { return nil }
    let text = try text(of: certificate)
    if text.holds("PRIVATE KEY-----") {
      // Both may be in one file, which is then as secret as the key.
      _ = try secret { () throws(SecretFile.Failure) in try SecretFile(certificate).read() }
    }
    return HTTPServer.Identity(
      certificate: text,
      key: try secret { () throws(SecretFile.Failure) in try SecretFile(key).read() }.revealed)
  }

  /// Warns of a certificate that every client rejects now, which nobody would see here otherwise.
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
          "remedy": "renew it and restart the command; until then no gateway can upload",
        ])
    } else if now < dates.start {
      console.warning(
        "the certificate is not valid yet",
        [
          "file": file, "from": date(dates.start),
          "remedy": "check the clock of this computer; until then no gateway can upload",
        ])
    }
  }

  /// A secret, if nobody else may read its file.
  static func secret(
    _ read: () throws(SecretFile.Failure) -> Secret
  ) throws(Complaint) -> Secret {
    do {
      return try read()
    } catch {
      throw Complaint(error.reason, remedy: error.remedy)
    }
  }

  /// A small file that is not a secret.
  private static func text(of path: String) throws(Complaint) -> String {
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
      return String(decoding: try file.readAll(of: path, upTo: 1 << 20), as: UTF8.self)
    } catch {
      throw Complaint(explaining: error)
    }
  }
}
