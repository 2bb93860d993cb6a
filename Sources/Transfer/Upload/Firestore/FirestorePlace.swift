/// The address of a Firestore database, and the account that accesses it.
public struct FirestorePlace: Hashable, Sendable {
  public var project: String
  public var database: String
  public var layout: DestinationSettings.FirestoreLayout
  /// The gateway's permanent name. All documents that are sent without an account name it as their
  /// user.
  public var gateway: String
  /// The account that the login must belong to; `nil` to allow any account.
  public var account: String?

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

  /// Returns the account in a login file. Throws if `account` is given and the login belongs to
  /// another account.
  public static func account(
    ofLogin file: SecretFile, expecting account: String? = nil
  ) throws(Setback) -> String {
    try LoginFile(file, of: account).account
  }

  /// Throws if a key file does not contain a service account's key.
  public static func check(keyOf file: SecretFile) throws(Setback) {
    _ = try ServiceAccountKey(try file.text())
  }

  /// The reason this is not a valid database address; `nil` if it is valid.
  public var obstacle: String? {
    func isPlain(_ text: String) -> Bool {
      !text.isEmpty && text.utf8.count <= 128
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.:".contains($0)) }
    }
    if !isPlain(project) { return "'\(project)' is not a valid Google Cloud project name" }
    if database != "(default)", !isPlain(database) {
      return "'\(database)' is not a valid database name"
    }
    return nil
  }
}

/// Compresses a body with gzip. Returns `nil` if the result would not be smaller.
public typealias FirestorePacking = @Sendable ([UInt8]) -> [UInt8]?
