internal import LinuxSystem

extension Benchmark {
  /// A session of four streams exported from its store to a file, in a separate process whose
  /// memory is checked too.
  public static let export = Benchmark(
    name: "export",
    summary: "processor time for a sample from stored chunks to a file, in at most 30 MB",
    unit: "sample", defaultCount: 2_000_000, defaultRepeats: 5,
    sides: {
      // All sides read the same store, which is removed with the last of them.
      let stores = SampleStores()
      return [("csv", ["jsonl"]), ("jsonl", []), ("json", [])].map { format, baselines in
        Side(format, samplesPerUnit: 1, baselines: baselines) {
          (samples) throws(MeasurementError) in
          do {
            return try ExportProcess.run(try stores.store(of: samples), format, samples)
          } catch {
            throw error as? MeasurementError ?? MeasurementError("\(format): \(error)")
          }
        }
      }
    })
}

/// Stores by the number of their samples, created on first use.
private final class SampleStores {
  private var stores: [Int: SampleStore] = [:]

  func store(of samples: Int) throws -> String {
    if let store = stores[samples] { return store.path }
    let store = try SampleStore(samples: samples)
    stores[samples] = store
    return store.path
  }
}

/// A separate process that exports.
private enum ExportProcess {
  /// Bytes that an export may need at most, whatever the length of the session.
  private static let memoryLimit = 30_000_000
  /// Seconds to wait for the end of an export.
  private static let patience = 600.0

  static func run(_ store: String, _ format: String, _ samples: Int) throws -> Side.Work {
    let output = try ChildOutput()
    let child = try ChildProcess(
      ThisProcess.program, ["--export", store, format], inheriting: [(output.writing.number, 1)])
    defer { child.kill() }
    let words = output.closeWriting().firstLine(seconds: patience)?.split(separator: " ") ?? []
    guard words.count == 3, let written = Int(words[0]), let nanoseconds = Double(words[1]),
      let memory = Int(words[2])
    else { throw MeasurementError("\(format): the export failed") }
    // The debug build and the sanitizers need more memory, and are not the subject here.
    guard memory <= memoryLimit || !isOptimised else {
      throw MeasurementError("\(format): the export used \(memory) bytes of memory")
    }
    return Side.Work(samples: written, nanoseconds: nanoseconds)
  }

  private static var isOptimised: Bool {
    var isOptimised = true
    assert(
      {
        isOptimised = false
        return true
      }())
    return isOptimised
  }
}
