/// Runs `conformance FORMAT FILE-OR-FOLDER…` without starting a separate process.
public struct ConformanceCommand: Sendable {
  public static let usage = """
    usage: conformance FORMAT FILE-OR-FOLDER...
           FORMAT is one of: \(Format.allCases.map(\.rawValue).joined(separator: ", "))
           conformance \(GaitRunner.name) FOLDER
           conformance \(StepRunner.name) FOLDER
           conformance \(AuditRunner.name) FOLDER
    """

  public struct Outcome: Hashable, Sendable {
    /// Lines for standard output.
    public var output: [String] = []
    /// Lines for standard error.
    public var complaint: [String] = []
    /// 0 if no vector failed, 1 if a vector failed or there were no vectors, 2 for invalid
    /// arguments or unreadable files.
    public var status: Int32
  }

  /// Runs the conformance vectors in the given files.
  public static func run(_ arguments: [String]) -> Outcome {
    if arguments == ["--help"] { return Outcome(output: [usage], status: 0) }
    switch arguments.first {
    case GaitRunner.name: return judge(arguments.dropFirst(), by: GaitRunner.run(folder:))
    case StepRunner.name: return judge(arguments.dropFirst(), by: StepRunner.run(folder:))
    case AuditRunner.name: return judge(arguments.dropFirst(), by: AuditRunner.run(folder:))
    default: break
    }
    guard let format = arguments.first.flatMap(Format.init(rawValue:)), arguments.count > 1 else {
      return Outcome(complaint: [usage], status: 2)
    }
    do throws(VectorFileError) {
      let verdict = try format.run(paths: Array(arguments.dropFirst()))
      return Outcome(output: verdict.lines, status: verdict.status)
    } catch {
      return Outcome(complaint: [error.description], status: 2)
    }
  }

  /// Evaluates the recordings in one folder. The output has a table above the verdict.
  private static func judge(
    _ folders: ArraySlice<String>,
    by run: (String) throws(VectorFileError) -> (table: [String], verdict: Verdict)
  ) -> Outcome {
    guard let folder = folders.first, folders.count == 1 else {
      return Outcome(complaint: [usage], status: 2)
    }
    do throws(VectorFileError) {
      let (table, verdict) = try run(folder)
      return Outcome(output: table + verdict.lines, status: verdict.status)
    } catch {
      return Outcome(complaint: [error.description], status: 2)
    }
  }
}
