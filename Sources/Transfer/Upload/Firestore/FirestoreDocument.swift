internal import Values

struct FirestoreDocument: Hashable, Sendable {
  /// Collections and ids in turn, from the root of the database.
  var path: [String]
  var fields: [FirestoreField]

  /// Bytes the database counts for the document, plus `overhead` for each map in it. The database
  /// itself adds none; some of its descriptions say 32.
  func size(perMap overhead: Int = 0) -> Int {
    Self.size(ofName: path) + 32 + fields.size(perMap: overhead)
  }

  /// Bytes the database counts for a name.
  static func size(ofName path: [String]) -> Int {
    path.reduce(16) { $0 + $1.utf8.count + 1 }
  }

  /// The largest size the database accepts.
  static let limit = 1_048_576
  /// The largest size we send, by the cautious figure.
  static let cautiousLimit = 900_000
  /// Bytes per map in the cautious figure.
  static let cautiousOverhead = 32
  /// The limits in bytes: for a document's name, and for an id or a field's name.
  static let longestName = 6_144
  static let longestID = 1_500

  /// The reason why the database would refuse the document; `nil` if it should accept it.
  var obstacle: String? {
    if Self.size(ofName: path) > Self.longestName { return "the document's name is too long" }
    for id in path {
      if let obstacle = Self.obstacle(inID: id) { return obstacle }
    }
    if fields.contains(where: { $0.name.isEmpty || $0.name.utf8.count > Self.longestID }) {
      return "the name of a field is empty or too long"
    }
    let size = size(perMap: Self.cautiousOverhead)
    if size > Self.cautiousLimit {
      return
        "the document would have \(size) bytes; the limit here is \(Self.cautiousLimit)"
        + ", since Firestore refuses documents of more than \(Self.limit)"
    }
    return nil
  }

  /// The reason why no document can have this id; `nil` if one can.
  static func obstacle(inID id: String) -> String? {
    if id.isEmpty || id.utf8.count > longestID { return "an id is empty or too long" }
    if id == "." || id == ".." || id.contains("/") { return "'\(id)' cannot be an id" }
    if id.utf8.count >= 4, id.hasPrefix("__"), id.hasSuffix("__") {
      return "ids such as '\(id)' are reserved"
    }
    return nil
  }
}

/// A database and the names of its documents.
struct FirestoreDatabase: Hashable, Sendable {
  let project: String
  let database: String

  /// The root of all documents, with which resource names begin.
  var root: String { "projects/\(project)/databases/\(database)/documents" }

  /// The full name of a document or collection.
  func name(_ path: [String]) -> String { ([root] + path).joined(separator: "/") }

  /// The path of a full name; `nil` if the name belongs to another database.
  func path(ofName name: String) -> [String]? {
    guard name.hasPrefix(root + "/") else { return nil }
    return name.dropFirst(root.count + 1).split(separator: "/").map(String.init)
  }

  /// Reads a document in its REST form; `nil` if it is malformed or belongs to another database.
  func document(_ json: JSON) -> FirestoreDocument? {
    guard let path = json["name"]?.text.flatMap({ path(ofName: $0) }),
      let fields = [FirestoreField](json["fields"] ?? .object([:]))
    else { return nil }
    return FirestoreDocument(path: path, fields: fields)
  }
}

/// A change to one document.
struct FirestoreWrite: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    /// Writes a document that must not exist yet.
    case create(FirestoreDocument)
    /// Writes a document, whether it exists or not.
    case replace(FirestoreDocument)
    /// Changes the fields at these paths of an existing document.
    case update(FirestoreDocument, paths: [String])
    /// Removes a document, if it exists.
    case delete(path: [String])
  }

  var action: Action

  init(_ action: Action) {
    self.action = action
  }

  /// The document to send; `nil` for a removal.
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

  /// The body of a commit.
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

  /// A path of field names, each in backticks unless it is a plain word.
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
