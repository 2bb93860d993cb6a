/// The address of a Firestore, and the account that uses it.
public struct FirestorePlace: Hashable, Sendable {
  public var project: String
  public var database: String
  public var layout: DestinationSettings.FirestoreLayout
  /// The gateway's permanent name, used as the user of all documents sent without an account.
  public var gateway: String
  /// The account whose login must be used; `nil` for any.
  public var account: String?

  /// A database, by default the project's first one.
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

  /// The account of a login file. If `account` is given, the login must be that account's.
  public static func account(
    ofLogin file: SecretFile, expecting account: String? = nil
  ) throws(Setback) -> String {
    try LoginFile(file, of: account).account
  }

  /// Refuses a key file that does not belong to a service account.
  public static func check(keyOf file: SecretFile) throws(Setback) {
    _ = try ServiceAccountKey(try file.text())
  }

  /// The reason why such a database cannot exist; `nil` if it can.
  public var obstacle: String? {
    func isPlain(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.count <= 128
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.:".contains($0)) }
    }
    if !isPlain(project) { return "'\(project)' is not a valid name of a Google Cloud project" }
    if database != "(default)", !isPlain(database) {
      return "'\(database)' is not a valid name of a database"
    }
    return nil
  }
}

/// Compresses a body with gzip; `nil` if that would save nothing.
public typealias FirestorePacking = @Sendable ([UInt8]) -> [UInt8]?
