internal import LinuxSystem

extension Benchmark {
  /// Exports a session of four streams from a store to a file. The export runs in a separate
  /// process, so that its memory use can be checked.
  public static let export = Benchmark(
    name: "export",
    summary: "processor time per sample for an export to a file, in at most 30 MB of memory",
    unit: "sample", defaultCount: 2_000_000, defaultRepeats: 5,
    sides: {
      // All sides share one store, which is deleted when the last side is released.
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

/// Stores of different sizes, each created on first use.
private final class SampleStores {
  private var stores: [Int: SampleStore] = [:]

  func store(of samples: Int) throws -> String {
    if let store = stores[samples] { return store.path }
    let store = try SampleStore(samples: samples)
    stores[samples] = store
    return store.path
  }
}

/// Runs exports in a separate process.
private enum ExportProcess {
  /// The memory limit in bytes for exporting a session of any length.
  private static let memoryLimit = 30_000_000
  /// Seconds to wait for an export to finish.
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
    // Debug builds and sanitizers need more memory, so they are not checked.
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
