public import FoundationEssentials

/// A file of vectors that cannot be used.
public struct VectorFileError: Error, CustomStringConvertible {
  /// What failed, on what, and what to do about it.
  public let description: String
}

/// The formats that have vectors. Each has its own schema; sentences of receivers are to follow.
public enum Format: String, Sendable, CaseIterable {
  /// Packets of MetaWear boards.
  case metawear

  /// Runs the vectors of one file.
  public func run(_ file: Data, named name: String) throws(VectorFileError) -> Verdict {
    let json: JSON
    do {
      json = try JSONDecoder().decode(JSON.self, from: file)
    } catch {
      throw VectorFileError(
        description: """
          error: cannot read \(name): it is no JSON
                 give files of vectors, or folders of them
          """)
    }
    switch self {
    case .metawear: return try Self.metawear(json, named: name)
    }
  }

  private static func metawear(
    _ json: JSON, named name: String
  ) throws(VectorFileError) -> Verdict {
    let schema = "metawear-vectors/1"
    guard json["schema"]?.text == schema, let vectors = json["vectors"]?.list else {
      throw VectorFileError(
        description: """
          error: cannot run \(name): it does not follow the schema \(schema)
                 give files of MetaWear vectors
          """)
    }
    var verdict = Verdict()
    for vector in vectors {
      let runner = MetaWearRunner(
        vector: MetaWearVector(module: json["module"]?.text ?? "", json: vector))
      verdict.record(vector["id"]?.text ?? "a vector of \(name)") { () throws(Objection) in
        try runner.check()
      }
    }
    return verdict
  }

  /// Runs files, and the files ending in `.json` of folders, in the order of their names.
  public func run(paths: [String]) throws(VectorFileError) -> Verdict {
    var verdict = Verdict()
    for path in paths {
      for file in try Self.files(at: path) {
        guard let data = FileManager.default.contents(atPath: file) else {
          throw .unreadable(file)
        }
        verdict.add(try run(data, named: file))
      }
    }
    return verdict
  }

  private static func files(at path: String) throws(VectorFileError) -> [String] {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw .unreadable(path)
    }
    guard isFolder else { return [path] }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw .unreadable(path)
    }
    return names.filter { $0.hasSuffix(".json") }.sorted().map { "\(path)/\($0)" }
  }
}

extension VectorFileError {
  fileprivate static func unreadable(_ path: String) -> VectorFileError {
    VectorFileError(
      description: """
        error: cannot read \(path): it is missing or closed to this user
               give files of vectors, or folders of them
        """)
  }
}
