/// Work that the gateway does for each packet or sentence, isolated from everything else. `bench`
/// measures its speed, and `.ci/count-instructions` counts its instructions.
///
///     let path = HotPath(named: "packed-ring")
///     let samples = path?.run(1_000)
public struct HotPath {
  /// The name in reports and documents.
  public let name: String
  /// The number of samples per packet; 1 for a sentence.
  public let samplesPerUnit: Int
  private let work: (Int) -> Int

  init(_ name: String, samplesPerUnit: Int, work: @escaping (Int) -> Int) {
    self.name = name
    self.samplesPerUnit = samplesPerUnit
    self.work = work
  }

  /// Finds a hot path by the name of a packet layout, such as `packed`. With the suffix `-ring`,
  /// samples are also pushed into a ring. The name `merged` selects the merging of sentences.
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

  /// Processes `units` packets or sentences, and returns the number of samples or sentences
  /// produced.
  ///
  /// Never inlined, so that a profiler can be limited to this function.
  @inline(never)
  public func run(_ units: Int) -> Int {
    work(units)
  }
}
