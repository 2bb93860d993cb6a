internal import LinuxSystem
internal import Simulation

/// Compares clients that receive a simulated board's notifications over a real D-Bus connection.
/// Measures the processor time of the client and of the bus.
///
/// bleak receives notifications through a descriptor (`AcquireNotify`) or through signals
/// (`StartNotify`). dbus-fast, the library that bleak is built on, is also measured; it receives
/// signals. Footbridge falls back to signals if the daemon provides no descriptor.
struct BusSides {
  /// The Python environment that `.ci/setup --tests` installs, which includes bleak.
  private static let python = ".build/test-environment/bin/python"

  /// The maximum number of attempts to measure a client without losing a packet. On a busy machine,
  /// any client may miss packets.
  private static let attempts = 3

  /// Packets per second.
  let rate: Double

  var all: [Side] {
    let ours = side("signals", ["dbus-fast-signals"], refusesDescriptor: true) {
      (ThisProcess.program, ["--receive", "adaptive", $0])
    } check: { (receiver, packets) throws(MeasurementError) in
      try StoringReceiver.check(receiver.remark(), packets: packets)
    }
    let kinds = ["bleak-descriptor", "bleak-signals", "dbus-fast-signals"]
    do {
      let client = try PythonClient(Self.python)
      return [ours]
        + kinds.map { kind in
          side(kind) { (Self.python, client.arguments(kind: kind, bus: $0)) }
        }
    } catch {
      return [ours] + kinds.map { Side($0, absentBecause: error.problem) }
    }
  }

  /// Creates a side that runs a program connecting to the board over a bus.
  private func side(
    _ name: String, _ baselines: [String] = [], refusesDescriptor: Bool = false,
    program: @escaping (_ bus: String) -> (String, [String]),
    check: @escaping (ReceiverProcess, Int) throws(MeasurementError) -> Void = { _, _ in }
  ) -> Side {
    Side(name, samplesPerUnit: PacketSender.samplesPerPacket, baselines: baselines) {
      [rate] (packets) throws(MeasurementError) in
      try Side.tried(atMost: Self.attempts, name) {
        try Self.run(name, packets, rate, refusesDescriptor, program, check)
      }
    }
  }

  private static func run(
    _ name: String, _ packets: Int, _ rate: Double, _ refusesDescriptor: Bool,
    _ program: (_ bus: String) -> (String, [String]),
    _ check: (ReceiverProcess, Int) throws(MeasurementError) -> Void
  ) throws -> Side.Work {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    defer { world.stop() }
    if refusesDescriptor { world.inject(.noReply(.acquireNotify)) }
    let (path, arguments) = program(world.busAddress)
    let receiver = try ReceiverProcess(path, arguments)
    func nanoseconds() -> Double {
      receiver.nanoseconds + ProcessorClock.nanoseconds(ofRunning: world.busProcess)
    }
    let sender = PacketSender(rate: rate)
    let put: ([UInt8]) -> Bool = {
      world.notify($0, board: 0)
      return true
    }
    _ = sender.send(PacketSender.warmingUp, put: put)
    let before = nanoseconds()
    _ = sender.send(packets, put: put)
    let spent = nanoseconds() - before
    let received = receiver.packets { world.notify(PacketSender.end, board: 0) }
    let sent = PacketSender.warmingUp + packets
    guard received == sent else {
      throw MeasurementError("\(name) received \(received ?? 0) of \(sent)")
    }
    try check(receiver, sent)
    return Side.Work(samples: packets * PacketSender.samplesPerPacket, nanoseconds: spent)
  }
}
