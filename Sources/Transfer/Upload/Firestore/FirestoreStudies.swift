internal import Recording
internal import Values

/// The studies and tasks in a set of definitions. Initially, they may be references to documents.
/// `resolveStudies` and then `resolveTasks` replace the references with the documents' content.
struct FirestoreStudies: Hashable, Sendable {
  private(set) var studies: [FirestoreValue]
  private(set) var tasks: [FirestoreValue]

  /// Takes the studies and tasks from a gateway document's fields.
  init(_ definitions: [FirestoreField]) throws(FirestoreFailure) {
    studies = definitions["studies"]?.array ?? []
    tasks = definitions["tasks"]?.array ?? []
    guard studies.count <= StudyLimits.studies else {
      throw .setback(
        Setback(
          .rejected, "'studies' has more than \(StudyLimits.studies) entries",
          remedy: "remove studies from the gateway's document"))
    }
  }

  /// Replaces the references to studies, and extends `tasks` with the references in their blocks.
  ///
  /// - Parameter documents: the studies' fields by full name, including `blocks`.
  mutating func resolveStudies(_ documents: [String: [FirestoreField]]) throws(FirestoreFailure) {
    studies = studies.map { $0.resolved(documents) }
    for (index, study) in studies.enumerated() {
      let blocks = study.elements(of: "blocks")
      guard blocks.count <= StudyLimits.blocks else {
        throw .setback(
          Setback(
            .rejected, "'studies[\(index)]' has more than \(StudyLimits.blocks) blocks",
            remedy: "divide the study into smaller studies"))
      }
      tasks += blocks.flatMap { $0.elements(of: "tasks") }.filter { $0.reference != nil }
    }
    var known: Set<String> = []
    tasks.removeAll { task in task.reference.map { !known.insert($0).inserted } ?? false }
    guard tasks.count <= StudyLimits.tasks else {
      throw .setback(
        Setback(
          .rejected, "the definitions have more than \(StudyLimits.tasks) tasks",
          remedy: "remove tasks from the studies"))
    }
  }

  /// Replaces each reference in `tasks` with the task, and each reference in a block with the
  /// task's id.
  mutating func resolveTasks(_ documents: [String: [FirestoreField]]) {
    tasks = tasks.map { $0.resolved(documents) }
    studies = studies.map { study in
      study.replacingElements(of: "blocks") { block in
        block.replacingElements(of: "tasks") { task in
          task.reference.flatMap { documents[$0]?["id"] } ?? task
        }
      }
    }
  }

  /// Returns the definitions with these studies and tasks. A value that is not an array is kept, so
  /// that a later check can reject it.
  func inserted(in definitions: [FirestoreField]) -> [FirestoreField] {
    var definitions = definitions
    for (name, values) in [("studies", studies), ("tasks", tasks)] {
      let former = definitions[name] ?? .null
      guard former.array != nil || (former == .null && !values.isEmpty) else { continue }
      definitions = definitions.setting(name, to: .array(values))
    }
    return definitions
  }

  /// Returns a study's blocks, sorted by number. Blocks without a number come last, sorted by id.
  static func blocks(_ documents: [[FirestoreField]]) -> FirestoreValue {
    func key(_ block: [FirestoreField]) -> (Double, String) {
      let order = block["order"]?.number ?? .infinity
      return (order.isNaN ? .infinity : order, block["id"]?.text ?? "")
    }
    let sorted = documents.sorted { key($0) < key($1) }
    return .array(sorted.map { block in .map(block.filter { $0.name != "order" }) })
  }
}

extension FirestoreAccess {
  /// The number of documents that are requested at once.
  private static let group = 100

  /// Replaces the references in a set of definitions with the content of the studies, their blocks
  /// and their tasks. Only these three levels are followed, so references cannot form a loop.
  func resolved(
    _ definitions: [FirestoreField]
  ) async throws(FirestoreFailure) -> [FirestoreField] {
    var content = try FirestoreStudies(definitions)
    var studies = try await documents(content.studies.compactMap(\.reference))
    for (name, study) in studies.sorted(by: { $0.key < $1.key })
    where (study["blocks"] ?? .null) == .null {
      // The database does not sort the blocks, because it would omit blocks without a number.
      let blocks = try await fields(
        of: FirestoreQuery(
          parent: database.path(ofName: name) ?? [], collection: "blocks",
          limit: StudyLimits.blocks + 1))
      studies[name] = study.setting(
        "blocks",
        to: FirestoreStudies.blocks(
          blocks.map { [FirestoreField](ofDefinitions: $0.fields, id: $0.path.last) }))
    }
    try content.resolveStudies(studies)
    content.resolveTasks(try await documents(content.tasks.compactMap(\.reference)))
    return content.inserted(in: definitions)
  }

  /// Reads the documents with these full names. Throws if one of them does not exist.
  private func documents(
    _ names: [String]
  ) async throws(FirestoreFailure) -> [String: [FirestoreField]] {
    var paths: [[String]] = []
    for name in names {
      guard let path = database.path(ofName: name), path.count.isMultiple(of: 2),
        database.name(path) == name
      else {
        throw .setback(
          Setback(
            .rejected,
            "the definitions refer to \(name), which is not a document in this database",
            remedy: "refer to a document in the database that contains the definitions"))
      }
      if !paths.contains(path) { paths.append(path) }
    }
    var documents: [String: [FirestoreField]] = [:]
    for start in stride(from: 0, to: paths.count, by: Self.group) {
      let group = Array(paths[start..<min(start + Self.group, paths.count)])
      for found in try await fields(of: group) {
        documents[database.name(found.path)] = [FirestoreField](
          ofDefinitions: found.fields, id: found.path.last)
      }
    }
    for path in paths where documents[database.name(path)] == nil {
      throw .setback(
        Setback(
          .rejected,
          "the definitions refer to \(path.joined(separator: "/")), which does not exist",
          remedy: "create the document, or remove the reference to it"))
    }
    return documents
  }
}

extension [FirestoreField] {
  /// Decodes a document's fields and sorts them by name. A value of an unknown type, perhaps from a
  /// later version, is replaced by `false`. No known field of these documents is a boolean, so the
  /// field is then rejected instead of being mistaken for an omitted field.
  ///
  /// - Parameter id: the value of `id` if the document does not contain a string `id`.
  init(ofDefinitions document: [String: JSON], id: String? = nil) {
    self = document.map { FirestoreField($0.key, FirestoreValue($0.value) ?? .bool(false)) }
      .sorted { $0.name < $1.name }
    if let id, self["id"]?.text == nil { self = setting("id", to: .string(id)) }
  }

  /// Returns the fields with one field added or changed, sorted by name.
  fileprivate func setting(_ name: String, to value: FirestoreValue) -> Self {
    (filter { $0.name != name } + [FirestoreField(name, value)]).sorted { $0.name < $1.name }
  }
}

extension FirestoreValue {
  fileprivate var reference: String? {
    if case .reference(let name) = self { name } else { nil }
  }

  /// Returns the content of the document to which the value refers, or the value itself.
  fileprivate func resolved(_ documents: [String: [FirestoreField]]) -> FirestoreValue {
    reference.flatMap { documents[$0] }.map { .map($0) } ?? self
  }

  fileprivate func elements(of name: String) -> [FirestoreValue] { map?[name]?.array ?? [] }

  /// Replaces each element of an array in a map. Returns any other value unchanged.
  fileprivate func replacingElements(
    of name: String, _ change: (FirestoreValue) -> FirestoreValue
  ) -> FirestoreValue {
    guard let map, let array = map[name]?.array else { return self }
    return .map(map.setting(name, to: .array(array.map(change))))
  }
}
