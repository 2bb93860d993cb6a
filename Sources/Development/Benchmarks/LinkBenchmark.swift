internal import BoardDriver
internal import LinuxSystem
internal import Simulation

extension Benchmark {
  /// Notifications from a descriptor to stored chunks, compared with programs that do less and with
  /// the common alternative.
  public static let link = Benchmark(
    name: "link",
    summary: "processor time for a notification of 20 bytes, 1,000 a second, up to stored chunks",
    unit: "packet", defaultCount: 4_000, defaultRepeats: 5,
    sides: { LinkSides(rate: 1_000, attempts: 5).all })

  /// A check that nothing is lost at twice the rate.
  public static let endurance = Benchmark(
    name: "endurance",
    summary: "the same at 2,000 a second for a minute, in which none may be lost",
    unit: "packet", defaultCount: 120_000, defaultRepeats: 1,
    sides: { [LinkSides(rate: 2_000, attempts: 1).ours("adaptive", [])] })
}

/// The paths for notifications.
private struct LinkSides {
  /// Packets a second.
  let rate: Double
  /// Tries until every packet finds room. On a busy processor any receiver may wait longer than its
  /// socket's buffer lasts.
  let attempts: Int

  var all: [Side] {
    let bleak = ["bleak-descriptor", "bleak-signals"]
    return [ours("each", ["plain-each"] + bleak), ours("tick", ["plain-tick"] + bleak)] + plain
      + BusSides(rate: rate).all
  }

  /// Our own receiver at a pace.
  func ours(_ pace: String, _ baselines: [String]) -> Side {
    side(pace, baselines, program: ThisProcess.program, ["--receive", pace]) {
      (receiver, packets) throws(MeasurementError) in
      try StoringReceiver.check(receiver.remark(), packets: packets)
    }
  }

  /// C programs that wake in the same way.
  private var plain: [Side] {
    do {
      let receiver = try PlainReceiver()
      return [("plain-each", 0), ("plain-tick", Int(ReaderPace.longestTick * 1_000))]
        .map { name, tick in
          // The closure keeps the compiled program, which is removed with its object.
          side(name, [], program: receiver.program, ["\(tick)"]) { [receiver] _, _ in
            _ = receiver
          }
        }
    } catch {
      let reason = (error as? MeasurementError)?.problem ?? "\(error)"
      return ["plain-each", "plain-tick"].map { Side($0, absentBecause: reason) }
    }
  }

  /// A side whose program receives packets over a socket.
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
    // The packets now on their way to the disk balance those under way when the count began.
    // Counting the end as well would add the cost of a second of packets.
    let nanoseconds = receiver.nanoseconds - before
    // Hanging up would lose packets.
    let received = receiver.packets { socket.send(PacketSender.end) }
    let sent = PacketSender.warmingUp + packets
    guard dropped == 0, received == sent else {
      throw MeasurementError(
        "\(program) received \(received ?? 0) of \(sent); it was gone when \(dropped) arrived")
    }
    try check(receiver, sent)
    return Side.Work(
      samples: packets * PacketSender.samplesPerPacket, nanoseconds: nanoseconds)
  }
}
