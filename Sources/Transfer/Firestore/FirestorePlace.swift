public import Upload

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
  /// Whose login has to be used there; `nil` for anybody's.
  public var account: String?

  /// A database, normally the project's first one.
  public init(
    project: String, database: String = "(default)",
    layout: DestinationSettings.FirestoreLayout, gateway: String, account: String? = nil
  ) {
    self.project = project
    self.database = database
    self.layout = layout
    self.gateway = gateway
    self.account = account
  }

  /// Whose login is in a file, which has to be that of a certain account where one is named.
  public static func account(
    ofLogin file: SecretFile, expecting account: String? = nil
  ) throws(Setback) -> String {
    try LoginFile(file, of: account).account
  }

  /// Refuses a key file that is not that of a service account.
  public static func check(keyOf file: SecretFile) throws(Setback) {
    _ = try ServiceAccountKey(try file.text())
  }

  /// Why there can be no such database; `nil` if there can.
  public var obstacle: String? {
    func isPlain(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.count <= 128
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.:".contains($0)) }
    }
    if !isPlain(project) { return "'\(project)' is no name of a Google Cloud project" }
    if database != "(default)", !isPlain(database) {
      return "'\(database)' is no name of a database"
    }
    return nil
  }
}

/// Packs a body as gzip; `nil` where that would save nothing.
public typealias FirestorePacking = @Sendable ([UInt8]) -> [UInt8]?
