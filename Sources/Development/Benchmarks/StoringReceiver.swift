internal import BlueZ
internal import BoardDriver
internal import DBus
internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

/// A program that runs Footbridge's complete path from a descriptor to stored chunks: `bench
/// --receive PACE [BUS]`.
///
/// The program reads packets from standard input. If a bus is given, it connects to the board on
/// that bus and reads from the link's descriptor instead. A packet that is not a sample ends the
/// run.
public struct StoringReceiver {
  /// Each reader's pace, by the name of its side in the benchmark.
  static let paces: [String: ReaderPace] = [
    "each": ReaderPace(fixed: nil), "tick": ReaderPace(fixed: ReaderPace.longestTick),
    "adaptive": ReaderPace(),
  ]

  private let recorder: RecorderThread
  private let reader: ReaderThread

  /// Starts a reader and a recorder that store one stream at `path`.
  private init(
    into path: String, _ pace: ReaderPace, _ description: StreamDescription
  ) async throws {
    let readings = Ring<Reading>.make(capacity: ReaderThread.ringCapacity)
    let positions = Ring<PositionReport>.make(capacity: 1 << 10)
    recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    reader = try ReaderThread(into: readings.producer, bell: recorder.bell, pace: pace)
    let session = Session(bootID: try BootClock.bootID(), start: BootClock.now(), note: "")
    // With a seal interval of one second, chunks are also committed within one second instead of
    // one minute.
    _ = try await recorder.open(.store(path), for: session, sealSeconds: 1)
    let identity = BoardIdentity(
      address: BoardAddress(value: 0xc8_4b_aa_97_50_05), name: "bench", model: "", firmware: "")
    await recorder.addBoard(0, identity, [description])
  }

  private func attach(
    _ descriptor: consuming OwnedDescriptor, _ handler: @escaping @Sendable (ReaderEvent) -> Void
  ) async {
    reader.attach(0, descriptor, handler)
    reader.route(0, [Self.stream])
    // This call returns only after the reader has been set up to decode the stream.
    _ = await reader.packets(of: 0)
  }

  /// Records packets from standard input into a store, at the given sample rate, until the end mark
  /// arrives or the process is killed.
  public static func record(_ arguments: ArraySlice<String>) async throws -> Int32 {
    guard let path = arguments.first else { return 2 }
    var description = stream.description
    description.rate = arguments.dropFirst().first.flatMap(Double.init) ?? 1_200
    let receiver = try await StoringReceiver(into: path, ReaderPace(), description)
    return await receiver.receive(from: OwnedDescriptor(owning: 0))
  }

  /// Receives packets until the end mark. Prints the number of packets, then the numbers of stored
  /// and lost samples.
  public static func run(_ arguments: ArraySlice<String>) async throws -> Int32 {
    guard let pace = arguments.first.flatMap({ paces[$0] }) else { return 2 }
    var link: DeviceLink?
    if arguments.count > 1, let bus = arguments.last { link = try await Self.link(on: bus) }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let receiver = try await StoringReceiver(
      into: folder.path + "/store.sqlite", pace, description)
    let status = await receiver.receive(
      from: link?.notifications.take() ?? OwnedDescriptor(owning: 0))
    withExtendedLifetime(link) {}
    return status
  }

  /// Reads packets from a descriptor until one is not a sample.
  private func receive(from descriptor: consuming OwnedDescriptor) async -> Int32 {
    let output = OwnedDescriptor(owning: 1)
    let begun = BootClock.now()
    let (ends, end) = AsyncStream<Void>.makeStream()
    await attach(descriptor) { event in
      if case .packet = event { end.yield() }
    }
    Self.write("ready\n", to: output)
    for await _ in ends { break }
    let counts = await reader.detach(0)
    let samples = UInt64(counts.decoded * Self.stream.layout.samplesPerPacket)
    await Self.waitUntilStored(samples, by: recorder)
    Self.write("done \(counts.decoded)\n", to: output)
    // The sender has sent all its packets, so the silence afterwards must not be treated as a loss.
    recorder.noteStop(at: begun)
    let totals = await recorder.finish()
    reader.stop()
    let stored = totals.streams.reduce(0) { $0 + $1.stored }
    let lost = totals.streams.reduce(0) { $0 + $1.lost.values.reduce(0, +) }
    Self.write(
      "stored \(stored) lost \(lost) waiting \(counts.mostWaiting)\n", to: output)
    return 0
  }

  /// Checks in the parent process that the program's last line reports no lost samples.
  static func check(_ remark: String?, packets: Int) throws(MeasurementError) {
    let samples = packets * PacketSender.samplesPerPacket
    guard let remark, remark.hasPrefix("stored \(samples) lost 0 ") else {
      throw MeasurementError("expected \(samples) stored samples, got: \(remark ?? "no output")")
    }
  }

  /// Connects to the first board found on a bus.
  private static func link(on bus: String) async throws -> DeviceLink {
    let radio = try await BlueZRadio(.at(bus), Radio.Settings(shape: .metaWear))
    let devices = try await radio.scan(seconds: 10) { !$0.isEmpty }
    guard let board = devices.first else { throw MeasurementError("no board was found on \(bus)") }
    return try await radio.link(to: board.address, Radio.Patience())
  }

  /// Acceleration with three samples per packet. These are the longest packets that a board sends.
  private static let stream: BoardStream = {
    let sensor = Accelerometer(chip: .bmi270, revision: 0)
    let modules = ModuleTable([
      .accelerometer: ModuleInfo(implementation: sensor.chip.rawValue, revision: sensor.revision)
    ])
    guard let setup = try? modules.sensors.first?.setup(rate: 1_600, range: 8) else {
      preconditionFailure("this accelerometer supports 1,600 Hz")
    }
    return BoardStream(setup, layout: .packed)
  }()

  /// The packets arrive faster than at the sensor's 1,600 Hz. Losses are inferred from the rate, so
  /// the description must contain the actual one.
  private static var description: StreamDescription {
    var description = stream.description
    description.rate = 3_000
    return description
  }

  /// Waits until the recorder has stored all full chunks. The remaining samples are stored when the
  /// session ends.
  private static func waitUntilStored(_ samples: UInt64, by recorder: RecorderThread) async {
    let chunks = samples / UInt64(Chunk.capacity)
    // Reading the status uses more processor time than the recorder's complete cycle. The recorder
    // needs slightly more than a second, so wait before the first reading.
    try? await Task.sleep(for: .milliseconds(1_300))
    while true {
      let stream = recorder.liveStatus.boards.first?.streams.first
      if let stream, stream.received >= samples, stream.storedChunks >= chunks { return }
      try? await Task.sleep(for: .milliseconds(200))
    }
  }

  private static func write(_ text: String, to output: borrowing OwnedDescriptor) {
    _ = output.write(Array(text.utf8))
  }
}
