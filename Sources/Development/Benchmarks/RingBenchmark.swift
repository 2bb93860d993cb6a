internal import LinuxSystem
internal import RingBuffer

extension Benchmark {
  /// Compares the ring with a C++ queue, using the method that produced rigtorp/SPSCQueue's
  /// published figures. One pinned thread sends 32-bit numbers to another, through a queue with
  /// space for all the numbers. A second test sends single numbers back and forth through two
  /// queues.
  public static let ring = Benchmark(
    name: "ring",
    summary: "passing numbers between two threads: one by one, in batches, and as round trips",
    unit: "number", defaultCount: 20_000, defaultRepeats: 201,
    sides: { RingSides.all })
}

/// Creates the benchmark's sides: queues between two threads.
private enum RingSides {
  /// The capacity exceeds the number of values sent in one measurement, so no producer has to wait.
  static let capacity = 1 << 20

  static var all: [Side] {
    let processors = Processors.allowed
    let names = ["item", "batch", "round-trip", "item-c++", "round-trip-c++"]
    guard processors.count > 1 else {
      return names.map { Side($0, absentBecause: "two threads need two processors") }
    }
    let pair = (processors[0], processors[1])
    let ring = RingTrack(capacity: capacity, on: pair)
    let ours = [
      side("item", "item-c++") { (count) throws in try ring.items(count) },
      side("batch", "item-c++") { (count) throws in try ring.batches(count) },
      side("round-trip", "round-trip-c++") { (count) throws in try ring.roundTrips(count) },
    ]
    do {
      let queue = try PlainQueue(capacity: capacity, on: pair)
      return ours + [
        side("item-c++") { (count) throws in try queue.run("items", count) },
        side("round-trip-c++") { (count) throws in try queue.run("trips", count) },
      ]
    } catch {
      let reason = (error as? MeasurementError)?.problem ?? "\(error)"
      return ours + names.suffix(2).map { Side($0, absentBecause: reason) }
    }
  }

  private static func side(
    _ name: String, _ baselines: String..., work: @escaping (Int) throws -> Side.Work
  ) -> Side {
    Side(name, samplesPerUnit: 1, baselines: baselines) { (count) throws(MeasurementError) in
      try Side.tried(atMost: 1, name) { try work(count) }
    }
  }
}
