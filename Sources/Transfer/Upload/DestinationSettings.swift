/// The user's settings for a destination. They contain the paths of files with secrets, but not the
/// secrets themselves.
public struct DestinationSettings: Hashable, Sendable {
  /// The credentials that the gateway uses to sign in to the destination.
  public enum Credentials: Hashable, Sendable {
    case none
    /// A bearer token, read from this file.
    case token(file: String)
    /// A service account's key, read from this file.
    case key(file: String)
    /// An e-mail address and a password, read from this file.
    case login(file: String)
  }

  public var place: Place
  public var credentials: Credentials = .none
  /// The e-mail address of the user who signs in and owns the stored sessions; `nil` if no user
  /// signs in. Like the database, the account is part of the destination's identity.
  public var account: String?
  /// A file of certificate authorities to trust instead of the system's.
  public var authorityFile: String?
  /// The file that contains the client certificate.
  public var certificateFile: String?
  /// The file that contains the client certificate's private key.
  public var certificateKeyFile: String?
  /// The proxy to use. If `nil`, the environment determines the proxy, or none is used.
  public var proxy: String?
  /// Whether to compress bodies with gzip if that makes them smaller. Once the server has rejected
  /// a compressed body, later bodies are not compressed.
  public var compresses = false
  /// The maximum sending rate in bytes per second; `nil` for no limit.
  public var bytesPerSecond: Int?
  /// The maximum number of concurrent calls; `nil` for this destination kind's default.
  public var parallel: Int?
  public var newestFirst = false
  /// The hours during which to send; `nil` to send at any time.
  public var hours: UploadHours?

  public init(_ place: Place) {
    self.place = place
  }
}
