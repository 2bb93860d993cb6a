public import Upload

/// The text of a secret file, read when it is needed. What it throws says nothing of the text.
public struct FirestoreSecret: Sendable {
  private let read: @Sendable () throws(Setback) -> String

  /// A secret that is read by this.
  public init(_ read: @escaping @Sendable () throws(Setback) -> String) {
    self.read = read
  }

  func text() throws(Setback) -> String { try read() }
}

/// By what a Firestore knows us.
public enum FirestoreCredentials: Sendable {
  /// By nothing, which only an emulator takes.
  case none
  /// The JSON key of a service account.
  case key(FirestoreSecret)
  /// E-mail and password of a user, with the project's key for the web.
  case login(FirestoreSecret)
}

/// Where a Firestore is, and who speaks to it.
public struct FirestorePlace: Hashable, Sendable {
  /// The project.
  public var project: String
  /// The database in it.
  public var database: String
  /// How sessions look there.
  public var layout: DestinationSettings.FirestoreLayout
  /// The name this gateway has for ever, the user of everything that no account signs in for.
  public var gateway: String

  /// A database, normally the project's first one.
  public init(
    project: String, database: String = "(default)",
    layout: DestinationSettings.FirestoreLayout, gateway: String
  ) {
    self.project = project
    self.database = database
    self.layout = layout
    self.gateway = gateway
  }
}
