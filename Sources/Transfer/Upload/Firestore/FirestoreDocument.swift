internal import Values

struct FirestoreDocument: Hashable, Sendable {
  /// The alternating collection names and document ids that lead from the database's root to the
  /// document.
  var path: [String]
  var fields: [FirestoreField]

  /// Returns the document's size in bytes as counted by the database, plus `overhead` for each map
  /// in the document. The database itself adds nothing for a map, although some of its
  /// documentation says that it adds 32 bytes.
  func size(perMap overhead: Int = 0) -> Int {
    Self.size(ofName: path) + 32 + fields.size(perMap: overhead)
  }

  /// Returns the size of a document's name in bytes, as counted by the database.
  static func size(ofName path: [String]) -> Int {
    path.reduce(16) { $0 + $1.utf8.count + 1 }
  }

  /// The maximum size, in bytes, of a document that the database accepts.
  static let limit = 1_048_576
  /// The maximum size, in bytes, of a document that this program sends, counted with
  /// `cautiousOverhead`.
  static let cautiousLimit = 900_000
  /// The number of bytes that the cautious count adds for each map.
  static let cautiousOverhead = 32
  /// The maximum length, in bytes, of a document's full name. `longestID` also limits field names.
  static let longestName = 6_144
  static let longestID = 1_500

  /// The reason the database would reject the document; `nil` if no such reason is known.
  var obstacle: String? {
    if Self.size(ofName: path) > Self.longestName { return "the document's name is too long" }
    for id in path {
      if let obstacle = Self.obstacle(inID: id) { return obstacle }
    }
    if fields.contains(where: { $0.name.isEmpty || $0.name.utf8.count > Self.longestID }) {
      return "a field name is empty or too long"
    }
    let size = size(perMap: Self.cautiousOverhead)
    if size > Self.cautiousLimit {
      return
        "the document would have \(size) bytes; Footbridge's limit is \(Self.cautiousLimit)"
        + ", because Firestore rejects documents of more than \(Self.limit)"
    }
    return nil
  }

  /// Returns the reason `id` is not a valid document id, or `nil` if it is valid.
  static func obstacle(inID id: String) -> String? {
    if id.isEmpty || id.utf8.count > longestID { return "an id is empty or too long" }
    if id == "." || id == ".." || id.contains("/") { return "'\(id)' cannot be an id" }
    if id.utf8.count >= 4, id.hasPrefix("__"), id.hasSuffix("__") {
      return "ids such as '\(id)' are reserved"
    }
    return nil
  }
}

/// Identifies a database, and constructs its documents' full names.
struct FirestoreDatabase: Hashable, Sendable {
  let project: String
  let database: String

  /// The root of all documents. Every document's full name begins with it.
  var root: String { "projects/\(project)/databases/\(database)/documents" }

  func name(_ path: [String]) -> String { ([root] + path).joined(separator: "/") }

  /// Returns the path that a full name contains, or `nil` if the name belongs to another database.
  func path(ofName name: String) -> [String]? {
    guard name.hasPrefix(root + "/") else { return nil }
    return name.dropFirst(root.count + 1).split(separator: "/").map(String.init)
  }

  /// Decodes a document in its REST form. Returns `nil` if it is malformed or belongs to another
  /// database.
  func document(_ json: JSON) -> FirestoreDocument? {
    guard let path = json["name"]?.text.flatMap({ path(ofName: $0) }),
      let fields = [FirestoreField](json["fields"] ?? .object([:]))
    else { return nil }
    return FirestoreDocument(path: path, fields: fields)
  }
}

/// A change to a single document.
struct FirestoreWrite: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    /// Write a document. The commit fails if the document already exists.
    case create(FirestoreDocument)
    /// Write a document, whether it already exists or not.
    case replace(FirestoreDocument)
    /// Change the fields at these paths in an existing document.
    case update(FirestoreDocument, paths: [String])
    /// Remove a document if it exists.
    case delete(path: [String])
  }

  var action: Action

  init(_ action: Action) {
    self.action = action
  }

  /// The document that the change writes; `nil` for a removal.
  var document: FirestoreDocument? {
    switch action {
    case .create(let document), .replace(let document), .update(let document, _): document
    case .delete: nil
    }
  }

  func append(to text: inout JSONBytes, of database: FirestoreDatabase) {
    switch action {
    case .delete(let path):
      text.append(#"{"delete":"#)
      text.append(quoted: database.name(path))
    case .create(let document), .replace(let document), .update(let document, _):
      text.append(#"{"update":{"name":"#)
      text.append(quoted: database.name(document.path))
      text.append(#","fields":"#)
      text.append(document.fields)
      text.append("}")
    }
    switch action {
    case .create: text.append(#","currentDocument":{"exists":false}"#)
    case .update(_, let paths):
      text.append(#","updateMask":{"fieldPaths":["#)
      for (position, path) in paths.enumerated() {
        if position > 0 { text.append(",") }
        text.append(quoted: path)
      }
      text.append(#"]},"currentDocument":{"exists":true}"#)
    case .replace, .delete: break
    }
    text.append("}")
  }

  /// Returns a commit request's body.
  static func body(_ writes: [FirestoreWrite], of database: FirestoreDatabase) -> [UInt8] {
    var text = JSONBytes(
      capacity: writes.reduce(1_024) { $0 + ($1.document.map { $0.size() * 3 } ?? 0) })
    text.append(#"{"writes":["#)
    for (position, write) in writes.enumerated() {
      if position > 0 { text.append(",") }
      write.append(to: &text, of: database)
    }
    text.append("]}")
    return text.bytes
  }

  /// Returns a path of field names. Names that are not plain words are quoted with backticks.
  static func fieldPath(_ names: String...) -> String {
    names.map { name in
      let isPlain =
        name.first.map { $0.isASCII && ($0.isLetter || $0 == "_") } ?? false
        && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard !isPlain else { return name }
      var quoted = ""
      for character in name {
        if character == "`" || character == "\\" { quoted += "\\" }
        quoted.append(character)
      }
      return "`\(quoted)`"
    }.joined(separator: ".")
  }
}
