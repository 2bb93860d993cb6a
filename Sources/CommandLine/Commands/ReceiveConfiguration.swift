public import LinuxSystem

/// What `footbridge receive` was asked to do.
public struct ReceiveConfiguration: Hashable, Sendable {
  /// The store or folder that gets what comes in.
  public var into: String?
  /// Where it listens.
  public var address = standardAddress
  /// The file with what gateways have to know; everybody may send if there is none.
  public var tokenFile: String?
  /// The file with a certificate, for TLS.
  public var certificateFile: String?
  /// The file with the certificate's key.
  public var keyFile: String?
  /// Whether start and outcome are JSON instead of text.
  public var reportsJSON = false

  /// Only programs of this computer reach it.
  static let standardAddress = ListenAddress(host: "127.0.0.1", port: 8_420)

  /// The defaults.
  public init() {}

  /// Its options, in the order of the help.
  public static let options: [Option<ReceiveConfiguration>] = [
    .path(
      "into", Argument("PATH", .file),
      help: "keep what is received in this store, if its name ends in .sqlite, or else in this "
        + "folder",
      sets: \.into),
    .listenAddress(
      "listen", default: standardAddress, help: "listen at this address; port 0 takes a free one",
      sets: \.address),
    .path(
      "token-file", Argument("FILE", .file),
      help: "accept only gateways that send the token in this file", sets: \.tokenFile),
    .path(
      "certificate", Argument("FILE", .file),
      help: "serve HTTPS with this certificate and its chain (PEM)",
      sets: \.certificateFile),
    .path(
      "certificate-key", Argument("FILE", .file), help: "the certificate's key (PEM)",
      sets: \.keyFile),
    .flag(
      "json", help: "print the address at the start, and the outcome, as JSON",
      sets: \.reportsJSON),
  ]

  static func command(body: @escaping Commands.Body<ReceiveConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "receive", summary: "receive what gateways upload, until interrupted",
        discussion: """
          An endpoint for 'footbridge upload', for a laboratory and for tests. It checks what it \
          receives, and confirms it when it is safely on the disk. What is sent twice is kept \
          once. Its store is like any other: 'footbridge sessions' and 'footbridge export' read \
          it at any time.

          Other computers reach it with --listen 0.0.0.0:8420 or an address of this one. That \
          needs --token-file, and should have --certificate or a TLS proxy in front. Token and \
          key are read only from files that nobody else may read. docs/upload-protocol.md \
          describes the protocol.

          Example: footbridge receive --into walks.sqlite
          """,
        initial: { _ in ReceiveConfiguration() }, options: options, body: body))
  }
}
