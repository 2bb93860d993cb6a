/// Work that the gateway does for each packet or sentence, with nothing around it: `bench` times it
/// beside others, and `.ci/count-instructions` counts its instructions.
///
///     let path = HotPath(named: "packed-ring")
///     let samples = path?.run(1_000)
public struct HotPath {
  /// Its name in reports and documents.
  public let name: String
  /// Samples that a packet has; 1 for a sentence.
  public let samplesPerUnit: Int
  private let work: (Int) -> Int

  init(_ name: String, samplesPerUnit: Int, work: @escaping (Int) -> Int) {
    self.name = name
    self.samplesPerUnit = samplesPerUnit
    self.work = work
  }

  /// A layout of packets, decoded or, with `-ring`, also pushed into a ring; or `merged` sentences.
  public init?(named name: String) {
    if name == Self.merged {
      self = .merging(SentenceLog())
      return
    }
    let streams = PacketStream.all
    guard let stream = streams.first(where: { name == $0.name || name == "\($0.name)-ring" })
    else { return nil }
    self = name == stream.name ? stream.decoding : stream.publishing
  }

  /// Does `units` of work and returns the number of samples or sentences produced.
  ///
  /// The function is never inlined, so that a profiler can be limited to it.
  @inline(never)
  public func run(_ units: Int) -> Int {
    work(units)
  }
}
