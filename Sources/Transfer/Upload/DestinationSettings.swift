/// The user's settings of a destination. They contain no secrets, only paths to them.
public struct DestinationSettings: Hashable, Sendable {
  /// How we identify ourselves to the destination.
  public enum Credentials: Hashable, Sendable {
    /// Without identification.
    case none
    /// With a bearer token in this file.
    case token(file: String)
    /// With a service account's key in this file.
    case key(file: String)
    /// With e-mail and password in this file.
    case login(file: String)
  }

  /// Kind and address of the destination.
  public var place: Place
  /// How we identify ourselves to the destination.
  public var credentials: Credentials = .none
  /// The login's e-mail address, if stored sessions belong to the user who signs in. It is as much
  /// a part of the place as the database. `nil` if no user signs in.
  public var account: String?
  /// A file of certificates to trust in place of the system's.
  public var authorityFile: String?
  /// A file with our own certificate.
  public var certificateFile: String?
  /// A file with the key of our own certificate.
  public var certificateKeyFile: String?
  /// The proxy to use; `nil` for the environment's, if any.
  public var proxy: String?
  /// Whether bodies are gzipped if that makes them smaller; no longer done once the server refuses
  /// it.
  public var compresses = false
  /// The most bytes a second; `nil` for no limit.
  public var bytesPerSecond: Int?
  /// Calls under way at a time at most; `nil` for the usual number of this kind of destination.
  public var parallel: Int?
  /// Whether the newest recording goes first.
  public var newestFirst = false
  /// The hours for sending; `nil` for always.
  public var hours: UploadHours?

  /// Settings of a destination at this place, without credentials.
  public init(_ place: Place) {
    self.place = place
  }
}
