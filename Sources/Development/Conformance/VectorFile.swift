public import FoundationEssentials
internal import Values

/// The error thrown if a file of vectors cannot be used.
public struct VectorFileError: Error, CustomStringConvertible {
  /// The error message, followed by the remedy.
  public let description: String
}

/// The supported formats of vector files. Each format has its own schemas.
public enum Format: String, Sendable, CaseIterable {
  /// Vectors with packets to and from MetaWear boards.
  case metawear
  /// Vectors with sentences from receivers and reports from gpsd.
  case nmea

  /// Runs the vectors in one file. Recorded streams must be in the same folder as the file.
  public func run(_ file: Data, named name: String) throws(VectorFileError) -> Verdict {
    let json: JSON
    do {
      json = try JSON(parsing: Array(file))
    } catch {
      throw VectorFileError(
        description: """
          error: cannot read \(name): it is not JSON
                 specify files of vectors, or folders with such files
          """)
    }
    switch self {
    case .metawear: return try Self.metawear(json, named: name)
    case .nmea: return NMEARunner(file: name, json: json).run()
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
                 specify files of MetaWear vectors
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

  /// Runs the given files, and all `.json` files in the given folders, sorted by name.
  ///
  /// If a path names a recorded stream, the file with its expectations is run instead, so any file
  /// in a folder can be given. Each file runs only once.
  public func run(paths: [String]) throws(VectorFileError) -> Verdict {
    var verdict = Verdict()
    var seen: Set<String> = []
    for path in paths {
      for file in try files(at: path) where seen.insert(file).inserted {
        guard let data = FileManager.default.contents(atPath: file) else {
          throw .unreadable(file)
        }
        verdict.add(try run(data, named: file))
      }
    }
    return verdict
  }

  private func files(at path: String) throws(VectorFileError) -> [String] {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw .unreadable(path)
    }
    guard isFolder else { return file(of: path).map { [$0] } ?? [] }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw .unreadable(path)
    }
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    return names.filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
  }

  /// Returns the file to run for a path: the path itself, or for a recorded stream the file with
  /// its expectations. Returns `nil` for other files next to the streams.
  private func file(of path: String) -> String? {
    guard self == .nmea, !path.hasSuffix(".json") else { return path }
    for ending in [".nmea", ".jsonl"] where path.hasSuffix(ending) {
      return path.dropLast(ending.count) + ".expected.json"
    }
    return nil
  }
}

extension VectorFileError {
  fileprivate static func unreadable(_ path: String) -> VectorFileError {
    VectorFileError(
      description: """
        error: cannot read \(path): it does not exist, or this user cannot read it
               specify files of vectors, or folders with such files
        """)
  }
}
