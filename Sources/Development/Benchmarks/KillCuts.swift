internal import Glibc
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// Kills a recorder repeatedly while packets arrive, and checks the store after each kill.
public struct KillCuts: Sendable {
  /// The number of concurrent recorders, each with its own store. They are idle most of the time.
  private static let lanes = 6
  /// With three samples per packet, this is 1,200 samples per second. A chunk is full after 1.7 s,
  /// so half of the kills occur while the second chunk is being filled.
  private static let packetsPerSecond = 400.0
  private static let seconds = 0.2...3.5
  /// The number of kills, one per recording.
  public var cuts: Int
  public var seed: UInt64
  /// The maximum age in seconds of samples that may be lost when a recorder is killed.
  public var window: Double

  /// Creates a test with this many kills, at random times determined by the seed.
  public init(cuts: Int, seed: UInt64, window: Double) {
    self.cuts = cuts
    self.seed = seed
    self.window = window
  }

  /// Starts and kills all recorders. `program` is the path of the running `bench`, which is also
  /// the recorder.
  public func run(program: String) throws -> CutReport {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let report = Guarded(CutReport())
    let failure = Guarded<MeasurementError?>(nil)
    let lanes = min(Self.lanes, cuts)
    let threads = try (0..<lanes).map { lane in
      try NamedThread("lane \(lane)") { [self] in
        var generator = SplitMix64(seed: seed &+ UInt64(lane))
        for number in stride(from: lane, to: cuts, by: lanes) {
          do {
            let found = try cut(
              number, store: folder.path + "/lane\(lane)", program, &generator)
            report.withLock { $0.add(found) }
          } catch {
            let problem = (error as? MeasurementError) ?? MeasurementError("\(error)")
            failure.withLock { $0 = problem }
            return
          }
        }
      }
    }
    for thread in threads { thread.join() }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return report.withLock { $0 }
  }

  private func cut(
    _ number: Int, store: String, _ program: String, _ generator: inout SplitMix64
  ) throws -> CutReport {
    var started: ReceiverProcess?
    let socket = PatientSocket(
      try OwnedDescriptor.packetSocketPair().split { far in
        started = try ReceiverProcess(program, ["--record", store], socket: far.number)
      })
    guard let recorder = started else { throw MeasurementError("no recorder was started") }
    let packets = Int(Double.random(in: Self.seconds, using: &generator) * Self.packetsPerSecond)
    var times: [BootTime] = []
    var refused = 0
    PacketSender(rate: Self.packetsPerSecond).send(numbered: packets) { bytes in
      times.append(BootClock.now())
      if !socket.send(bytes) { refused += 1 }
    }
    // The kill happens at a random time between two packets.
    usleep(UInt32.random(in: 0..<2_500, using: &generator))
    let end = BootClock.now()
    recorder.kill()
    guard refused == 0 else { throw MeasurementError("the recorder missed \(refused) packets") }
    try Store.open(path: store).close()
    let reader = try StoreReader(path: store)
    guard let session = try reader.sessions().max(by: { $0.start < $1.start }) else {
      throw MeasurementError("the recorder started no session")
    }
    let stored = try NumberedSamples.stored(
      in: store, session: session.id, signal: "acceleration")
    let place = "kill \(number)"
    var report = NumberedSamples.compare(
      stored, sent: packets * NumberedSamples.perPacket, place)
    let first = (report.sent - report.newest) / NumberedSamples.perPacket
    let lost = first < times.count ? end.seconds(since: times[first]) : 0
    report.windows.append(lost)
    if lost > window {
      report.broken.append("\(place): the newest \(Int(lost * 1_000)) ms are missing")
    }
    return report
  }
}
