/// What the user said of a destination. It has no secrets, only where they are.
public struct DestinationSettings: Hashable, Sendable {
  /// What and where it is: this makes it the same destination or another.
  public enum Place: Hashable, Sendable {
    /// An endpoint of the upload protocol.
    case http(url: String)
    /// A Firestore database.
    case firestore(project: String, database: String, layout: FirestoreLayout)
    /// A folder.
    case folder(path: String)
  }

  /// How a session looks in Firestore.
  public enum FirestoreLayout: String, CaseIterable, Hashable, Sendable {
    /// `records` and `realtime_data`, a map for each sample, as the researchers' programs read it.
    case researchers
    /// The same below `users/{user_id}`.
    case researchersPerUser = "researchers-per-user"
    /// `sessions` and `chunks`, the bytes as they were recorded.
    case compact
  }

  /// By what it knows us.
  public enum Credentials: Hashable, Sendable {
    /// By nothing.
    case none
    /// A bearer token in this file.
    case token(file: String)
    /// A service account's key in this file.
    case key(file: String)
    /// E-mail and password in this file.
    case login(file: String)
  }

  /// What and where it is.
  public var place: Place
  /// By what it knows us.
  public var credentials: Credentials = .none
  /// The login's e-mail address, where stored sessions belong to the user who signs in. It is as
  /// much a part of the place as the database is. `nil` where no user signs in.
  public var account: String?
  /// Certificates to trust in place of the system's; a file.
  public var authorityFile: String?
  /// Our own certificate; a file.
  public var certificateFile: String?
  /// The key of our own certificate; a file.
  public var certificateKeyFile: String?
  /// The proxy to go through; `nil` for the one that the environment names, if it does.
  public var proxy: String?
  /// Whether bodies are sent gzipped, where that makes them smaller; given up where the server does
  /// not take it.
  public var compresses = false
  /// Bytes a second at most; `nil` for as many as there are.
  public var bytesPerSecond: Int?
  /// Calls under way at a time, at most; `nil` for as many as suit the kind of destination.
  public var parallel: Int?
  /// Whether the newest recording goes first.
  public var newestFirst = false
  /// When it is sent to; `nil` for always.
  public var hours: UploadHours?

  /// Settings of a destination there, without credentials.
  public init(_ place: Place) {
    self.place = place
  }
}
