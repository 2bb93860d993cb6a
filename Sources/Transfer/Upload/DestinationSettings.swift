/// The user's settings of a destination. They contain no secrets, only paths to them.
public struct DestinationSettings: Hashable, Sendable {
  /// Ways to identify ourselves to the destination.
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
  public var credentials: Credentials = .none
  /// The login's e-mail address, if stored sessions belong to the user who signs in. It is part of
  /// the place, like the database. `nil` if no user signs in.
  public var account: String?
  /// A file of certificate authorities to trust instead of the system's.
  public var authorityFile: String?
  /// A file with our own certificate.
  public var certificateFile: String?
  /// A file with the key of our own certificate.
  public var certificateKeyFile: String?
  /// The proxy to use; `nil` for the environment's, if any.
  public var proxy: String?
  /// Whether to gzip bodies if that makes them smaller; stopped once the server refuses it.
  public var compresses = false
  /// Most bytes a second; `nil` for no limit.
  public var bytesPerSecond: Int?
  /// Most calls under way at a time; `nil` for the default of this kind of destination.
  public var parallel: Int?
  /// Whether the newest recording is sent first.
  public var newestFirst = false
  /// The hours for sending; `nil` for always.
  public var hours: UploadHours?

  /// Settings of a destination at this place, without credentials.
  public init(_ place: Place) {
    self.place = place
  }
}
