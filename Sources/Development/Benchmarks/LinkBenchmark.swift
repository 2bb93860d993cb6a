internal import BoardDriver
internal import LinuxSystem
internal import Simulation

extension Benchmark {
  /// Measures the processor time needed to turn notifications from a descriptor into stored chunks.
  /// Simple C programs and bleak are measured for comparison.
  public static let link = Benchmark(
    name: "link",
    summary: "processor time to store 20-byte notifications in chunks, at 1,000 per second",
    unit: "packet", defaultCount: 4_000, defaultRepeats: 5,
    sides: { LinkSides(rate: 1_000, attempts: 5).all })

  /// Checks that no packet is lost at twice the packet rate of the benchmark `link`.
  public static let endurance = Benchmark(
    name: "endurance",
    summary: "2,000 notifications per second for a minute, without any loss",
    unit: "packet", defaultCount: 120_000, defaultRepeats: 1,
    sides: { [LinkSides(rate: 2_000, attempts: 1).ours("adaptive", [])] })
}

/// Creates the benchmark's sides: programs that receive notifications.
private struct LinkSides {
  /// Packets per second.
  let rate: Double
  /// The maximum number of attempts to complete a measurement without dropping a packet. On a busy
  /// processor, a receiver may wait so long that its socket buffer overflows.
  let attempts: Int

  var all: [Side] {
    let bleak = ["bleak-descriptor", "bleak-signals"]
    return [ours("each", ["plain-each"] + bleak), ours("tick", ["plain-tick"] + bleak)] + plain
      + BusSides(rate: rate).all
  }

  /// Creates a side that runs Footbridge's receiver at the given pace.
  func ours(_ pace: String, _ baselines: [String]) -> Side {
    side(pace, baselines, program: ThisProcess.program, ["--receive", pace]) {
      (receiver, packets) throws(MeasurementError) in
      try StoringReceiver.check(receiver.remark(), packets: packets)
    }
  }

  /// Sides that run C programs. Each program wakes up as often as Footbridge's receiver.
  private var plain: [Side] {
    do {
      let receiver = try PlainReceiver()
      return [("plain-each", 0), ("plain-tick", Int(ReaderPace.longestTick * 1_000))]
        .map { name, tick in
          // The closure retains the receiver, because the compiled program is deleted when the
          // receiver is released.
          side(name, [], program: receiver.program, ["\(tick)"]) { [receiver] _, _ in
            _ = receiver
          }
        }
    } catch {
      let reason = (error as? MeasurementError)?.problem ?? "\(error)"
      return ["plain-each", "plain-tick"].map { Side($0, absentBecause: reason) }
    }
  }

  /// Creates a side that runs a program receiving packets over a socket.
  private func side(
    _ name: String, _ baselines: [String], program: String, _ arguments: [String],
    check: @escaping (ReceiverProcess, Int) throws(MeasurementError) -> Void
  ) -> Side {
    Side(name, samplesPerUnit: PacketSender.samplesPerPacket, baselines: baselines) {
      [rate, attempts] (packets) throws(MeasurementError) in
      try Side.tried(atMost: attempts, name) {
        try Self.run(program, arguments, packets, rate, check)
      }
    }
  }

  private static func run(
    _ program: String, _ arguments: [String], _ packets: Int, _ rate: Double,
    _ check: (ReceiverProcess, Int) throws(MeasurementError) -> Void
  ) throws -> Side.Work {
    let pair = try OwnedDescriptor.packetSocketPair()
    let receiver = try ReceiverProcess(program, arguments, socket: pair.far.number)
    let socket = PatientSocket(pair.split { _ = consume $0 })
    let sender = PacketSender(rate: rate)
    var dropped = sender.send(PacketSender.warmingUp) { socket.send($0) }
    let before = receiver.nanoseconds
    dropped += sender.send(packets) { socket.send($0) }
    // When the measurement ends, some packets have not been stored yet. They make up for the
    // packets that were sent before the measurement but stored during it. Waiting for the unstored
    // packets would add about a second's packets to the count.
    let nanoseconds = receiver.nanoseconds - before
    // If the socket were closed now, packets would be lost.
    let received = receiver.packets { socket.send(PacketSender.end) }
    let sent = PacketSender.warmingUp + packets
    guard dropped == 0, received == sent else {
      throw MeasurementError(
        "\(program) received \(received ?? 0) of \(sent); \(dropped) arrived after it had exited")
    }
    try check(receiver, sent)
    return Side.Work(
      samples: packets * PacketSender.samplesPerPacket, nanoseconds: nanoseconds)
  }
}
