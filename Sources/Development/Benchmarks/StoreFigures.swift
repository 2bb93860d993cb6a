internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Storage
internal import Values

/// `bench store`: measures the cost of storing samples in bytes, syncs and processor time, compared
/// with storing one row per sample. Also measures the time to open a store with many chunks.
///
/// The bytes and syncs of all files, including the tail, are counted on a simulated disk. Processor
/// time is measured on a real disk, with real syncs. The ways to store samples are measured
/// alternately, using the same simulated walk.
public struct StoreFigures {
  private static let turns = 5
  /// The number of chunks in the store that is used to measure the opening time.
  private static let manyChunks = 10_000

  public static func run(_ arguments: ArraySlice<String>) -> BenchCommand.Outcome {
    guard arguments.isEmpty else {
      return BenchCommand.Outcome(
        complaint: ["error: 'bench store' takes no options", "       try 'bench --help'"], status: 2
      )
    }
    do {
      var lines: [String] = []
      for load in [
        StoreLoad(boards: 1, chunksPerStream: 100), StoreLoad(boards: 10, chunksPerStream: 20),
      ] {
        lines += try self.lines(load)
      }
      lines.append(
        "opening a store of \(manyChunks) chunks after a crash: "
          + "\(Int(try openingSeconds() * 1_000)) ms")
      return BenchCommand.Outcome(output: lines)
    } catch {
      let problem = (error as? MeasurementError)?.problem ?? "\(error)"
      return BenchCommand.Outcome(complaint: ["error: \(problem)"], status: 1)
    }
  }

  private static func lines(_ load: StoreLoad) throws -> [String] {
    let payload = Double(load.payload)
    let samples = Double(load.samples)
    let our = try StoreCost.counted { try load.record(into: $0) }
    let row = try StoreCost.counted { try load.insertRows(into: $0, .eachSecond) }
    let alike = try StoreCost.counted { try load.insertRows(into: $0, .asOurs) }
    var times: (our: [Double], row: [Double], alike: [Double]) = ([], [], [])
    for _ in 0..<turns {
      times.our.append(try StoreCost.processorNanoseconds { try load.record(into: $0) })
      times.row.append(
        try StoreCost.processorNanoseconds { try load.insertRows(into: $0, .eachSecond) })
      times.alike.append(
        try StoreCost.processorNanoseconds { try load.insertRows(into: $0, .asOurs) })
    }
    let time = (
      our: median(times.our), row: median(times.row), alike: median(times.alike)
    )
    func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    return [
      "\(load.streams) streams, \(load.streams * 100) samples per second: \(load.chunkCount) chunks, "
        + "\(load.samples) samples, payload \(load.payload) bytes, "
        + "\(rounded(2 * payload / samples)) a pair",
      "  database \(rounded(our.fileBytes / payload)) x payload",
      "  written \(rounded(our.writtenBytes / payload)) x payload, including the tail's "
        + rounded(our.tailBytes / payload),
      "  syncs other than the tail's: \(rounded(our.syncs / Double(load.chunkCount))) per chunk; the "
        + "tail's \(rounded(our.tailSyncs / load.seconds)) a second",
      "  processor time \(Int(time.our / samples)) ns per sample",
      "  one row per sample, committed once a second: written "
        + "\(rounded(row.writtenBytes / our.writtenBytes)) x ours, processor time "
        + "\(rounded(time.row / time.our)) x ours",
      "  the same, committed and synced as often as Footbridge's tail: written "
        + "\(rounded(alike.writtenBytes / our.writtenBytes)) x ours, processor time "
        + "\(rounded(time.alike / time.our)) x ours",
    ]
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// Returns the number of seconds needed to open a store after its last recorder was killed.
  private static func openingSeconds() throws -> Double {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/store"
    let model = SimulatedChunks.make(GaitWearer(seed: 1), perSignal: 1)
    var store = try StoreLoad.begin(model, path)
    var sequence: UInt32 = 0
    while sequence < manyChunks / 2 {
      var chunks: [Chunk] = []
      for _ in 0..<50 {
        for chunk in model {
          var copy = chunk
          copy.id = .random()
          copy.sequence = sequence
          chunks.append(copy)
        }
        sequence += 1
      }
      try store.commit(chunks: chunks, fixes: [], clock: [])
    }
    // Leave the session open, as after a crash.
    try store.close()
    let start = BootClock.now()
    try Store.open(path: path).close()
    return BootClock.now().seconds(since: start)
  }
}
