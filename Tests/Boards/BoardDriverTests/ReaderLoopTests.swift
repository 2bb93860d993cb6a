@testable import BoardDriver
import LinuxSystem
import MetaWearProtocol
import Recording
import RingBuffer
import TestSupport
import Testing
import Values

/// Runs the reader thread's body one round at a time, so a test controls when the reader stalls.
@Suite(.realTime) struct ReaderLoopTests {
  /// A reader loop, the other ends of its rings, and its boards.
  private struct Rig: ~Copyable {
    var loop: ReaderLoop
    let mailbox: Mailbox<ReaderRequest>
    var samples: RingConsumer<Reading>
    var control: RingConsumer<ControlPacket>
    /// The sockets of attached boards.
    private var sockets: [Int32] = []

    init(capacity: Int = 1 << 12, pace: ReaderPace = ReaderPace(fixed: nil)) throws {
      let samples = Ring<Reading>.make(capacity: capacity)
      let control = Ring<ControlPacket>.make(capacity: 1 << 10)
      let ends = ReaderEnds(
        samples: samples.producer, samplesBell: try WakeUp(), control: control.producer,
        controlBell: try WakeUp(), watched: try WatchList())
      let mailbox = try Mailbox<ReaderRequest>()
      loop = ReaderLoop(mailbox, ends, pace)
      self.mailbox = mailbox
      self.samples = samples.consumer
      self.control = control.consumer
    }

    /// Attaches a board, and routes its streams if it has any. Returns the daemon's end of the
    /// socket.
    mutating func attach(_ board: UInt16, _ streams: [BoardStream]) throws -> OwnedDescriptor {
      let daemon = try OwnedDescriptor.packetSocketPair().split {
        sockets.append($0.number)
        _ = mailbox.post(.attach(board, NotifySocket($0), attachment: UInt32(board) + 1))
      }
      if !streams.isEmpty { _ = mailbox.post(.route(board, streams, restart: nil, counts: [])) }
      round()
      return daemon
    }

    mutating func round() {
      if let seconds = loop.pause() { _ = loop.wait(seconds: seconds) }
      loop.round()
    }

    /// Runs rounds until no packet remains. After a wake-up, the reader reads one packet before it
    /// checks for more.
    mutating func drain() {
      while true {
        var polls = PollSet()
        for socket in sockets { polls.add(socket) }
        polls.wait(seconds: 0)
        guard sockets.indices.contains(where: { polls.isReadable($0) }) else { return }
        round()
      }
    }

    mutating func takeReadings() -> [Reading] {
      var readings: [Reading] = []
      while let reading = samples.pop() { readings.append(reading) }
      return readings
    }

    mutating func takeControl() -> [ControlPacket] {
      var packets: [ControlPacket] = []
      while let packet = control.pop() { packets.append(packet) }
      return packets
    }
  }

  private let stream: BoardStream

  init() throws {
    let sensor = Accelerometer(chip: .bmi270, revision: 0)
    let modules = ModuleTable([
      .accelerometer: ModuleInfo(
        implementation: sensor.chip.rawValue, revision: sensor.revision)
    ])
    let setup = try #require(modules.sensors.first).setup(rate: 100, range: 8)
    stream = BoardStream(setup, layout: .countedPair(processor: 1))
  }

  /// A packet of two samples, each with its own number as the x value.
  private func packet(_ count: Int) -> [UInt8] {
    func low(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: value) }
    func sample(_ number: Int) -> [UInt8] { [low(number), low(number >> 8), 0, 0, 1, 0] }
    return [0x09, 0x03, 1, low(count), low(count >> 8), low(count >> 16), 0]
      + sample(2 * count) + sample(2 * count + 1)
  }

  /// Returns the recorder's account of the readings: the samples stored in chunks, and the losses
  /// by reason.
  private func account(_ readings: [Reading]) throws -> (stored: Int, lost: [LossReason: UInt64]) {
    let address = try #require(BoardAddress("C0:00:00:00:00:01"))
    var chunker = Chunker(
      session: .random(), bootID: .random(),
      board: BoardIdentity(address: address, name: "board", model: "", firmware: ""),
      stream: stream.description)
    for reading in readings {
      switch reading.kind {
      case .sample: _ = chunker.append(reading)
      case .overflow: chunker.note(lost: UInt64(reading.counter), reason: .overflow)
      case .malformed: chunker.note(lost: UInt64(reading.counter), reason: .malformed)
      case .linkLost: chunker.noteLinkLost()
      case .restarted, .rebooted: chunker.noteRestart()
      case .silent: chunker.noteSilence(at: reading.arrival)
      case .tally: chunker.tally(reading)
      }
    }
    let chunk = chunker.finish(at: try #require(readings.last).arrival, fixes: [])
    return (chunk?.count ?? 0, chunker.lost)
  }

  @Test func `fd reader stalls: packets dropped by a full socket are counted as lost in transit`()
    throws
  {
    var rig = try Rig()
    let daemon = try rig.attach(0, [stream])
    // The real daemon drops packets that do not fit, and this test does the same.
    let taken = (0..<400).count { daemon.send(packet($0)) > 0 }
    #expect(taken < 400, "a socket holds some \(ReaderPace.queue)")
    rig.drain()
    _ = daemon.send(packet(400))
    rig.drain()
    let (stored, lost) = try account(rig.takeReadings())
    #expect(stored == 2 * (taken + 1))
    #expect(lost == [.link: UInt64(2 * (400 - taken))])
  }

  @Test
  func `fd reader stalls: a socket queues at least as many packets as the reader's tick requires`()
    throws
  {
    let pair = try OwnedDescriptor.packetSocketPair()
    let taken = (0..<400).count { pair.near.send(packet($0)) > 0 }
    // A system with a higher limit queues more packets.
    #expect(taken >= ReaderPace.queue)
  }

  @Test
  func `recorder stalls: samples rejected by a full ring are counted exactly, as an internal loss`()
    throws
  {
    var rig = try Rig(capacity: 64)
    let daemon = try rig.attach(0, [stream])
    for number in 0..<100 { #expect(daemon.send(packet(number)) > 0) }
    rig.drain()
    var readings = rig.takeReadings()
    #expect(readings.count == 64)
    _ = daemon.send(packet(100))
    rig.drain()
    readings += rig.takeReadings()
    let (stored, lost) = try account(readings)
    #expect(stored == 66)
    #expect(lost == [.overflow: 136])
  }

  @Test func `reader and recorder stall: each kind of loss is counted separately`() throws {
    var rig = try Rig(capacity: 64)
    let daemon = try rig.attach(0, [stream])
    let taken = (0..<500).count { daemon.send(packet($0)) > 0 }
    // All queued packets and one more are read while the ring is full.
    rig.drain()
    _ = daemon.send(packet(500))
    rig.drain()
    var readings = rig.takeReadings()
    _ = daemon.send(packet(501))
    rig.drain()
    readings += rig.takeReadings()
    let (stored, lost) = try account(readings)
    let dropped = UInt64(2 * (500 - taken))
    #expect(stored == 64 + 2)
    #expect(lost == [.link: dropped, .overflow: UInt64(2 * 502 - 66) - dropped])
  }

  @Test func `an empty notification does not end the link`() throws {
    var rig = try Rig()
    let daemon = try rig.attach(0, [stream])
    _ = daemon.send([])
    rig.drain()
    _ = daemon.send(packet(0))
    rig.drain()
    let readings = rig.takeReadings()
    #expect(readings.map(\.kind) == [.sample, .sample])
    let control = rig.takeControl()
    #expect(control.isEmpty)
  }

  @Test(arguments: [nil, 0.005])
  func `packets sent before the link was lost are read before the loss is reported`(tick: Double?)
    throws
  {
    var rig = try Rig(pace: ReaderPace(fixed: tick))
    let daemon = try rig.attach(0, [stream])
    for number in 0..<200 {
      _ = daemon.send(packet(number))
      if number % 10 == 0 { _ = daemon.send([]) }
    }
    _ = consume daemon
    var control: [ControlPacket] = []
    while control.isEmpty {
      rig.round()
      control = rig.takeControl()
    }
    #expect(control.map(\.kind) == [.hangUp])
    let readings = rig.takeReadings()
    #expect(readings.map(\.kind) == Array(repeating: .sample, count: 400) + [.linkLost])
    #expect(readings.dropLast().map(\.counter) == Array(0..<400))
  }

  @Test
  func `a packet longer than any notification is malformed, even if it begins like a valid one`()
    throws
  {
    var rig = try Rig()
    let daemon = try rig.attach(0, [stream])
    #expect(daemon.send(packet(0) + [UInt8](repeating: 0, count: 1_000)) > 0)
    _ = daemon.send(packet(1))
    rig.drain()
    let control = rig.takeControl()
    #expect(control.map(\.kind) == [.malformed])
    let readings = rig.takeReadings()
    #expect(readings.map(\.counter) == [2, 3])
  }

  @Test
  func `between ticks, the reader reads a board in set-up at once, but not a streaming board`()
    throws
  {
    // A tick too long to expire during the test.
    var rig = try Rig(pace: ReaderPace(fixed: 3_600))
    let streaming = try rig.attach(0, [stream])
    let new = try rig.attach(1, [])
    _ = streaming.send(packet(0))
    _ = new.send([0x0b, 0x84])
    rig.round()
    let control = rig.takeControl()
    #expect(control.map(\.board) == [1])
    let readings = rig.takeReadings()
    #expect(readings.isEmpty)
  }

  @Test
  func `between ticks, replies from a board in set-up, or shortly after it, are read at once`()
    throws
  {
    var rig = try Rig(pace: ReaderPace(fixed: 3_600))
    let daemon = try rig.attach(0, [])
    for isRouted in [false, true] {
      if isRouted {
        _ = rig.mailbox.post(.route(0, [stream], restart: nil, counts: []))
        rig.round()
      }
      _ = daemon.send([0x0b, 0x84])
      rig.round()
      let control = rig.takeControl()
      #expect(control.count == 1)
    }
  }

  @Test func `between ticks, the reader serves a request at once`() throws {
    var rig = try Rig(pace: ReaderPace(fixed: 3_600))
    let daemon = try rig.attach(0, [])
    _ = daemon.send([0x0b, 0x84])
    rig.round()
    _ = rig.mailbox.post(.stop)
    rig.round()
    let isRunning = rig.loop.pause() != nil
    #expect(!isRunning)
  }

  @Test func `a packet keeps its own arrival time even if other packets are read before it`()
    async throws
  {
    var rig = try Rig(pace: ReaderPace(fixed: 3_600))
    let streaming = try rig.attach(0, [stream])
    let new = try rig.attach(1, [])
    let before = BootClock.now()
    _ = streaming.send(packet(0))
    let sent = BootClock.now()
    while BootClock.now().seconds(since: sent) < 0.02 {
      _ = new.send([0x0b, 0x84])
      rig.round()
    }
    let counts = await Reply<ReaderCounts>.wait { reply in
      _ = rig.mailbox.post(.detach(0, isEnd: true, reply))
      rig.round()
    }
    #expect(counts.notifications == 1 && counts.mostWaiting == 1)
    let readings = rig.takeReadings()
    let arrival = try #require(readings.first).arrival
    // The kernel's clock and this program's clock are read one after the other.
    #expect(arrival.seconds(since: before) > -0.001 && arrival.seconds(since: sent) < 0.001)
  }
}
