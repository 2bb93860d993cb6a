import BoardDriver
import LinuxSystem
import MetaWearProtocol
import Recording
import RingBuffer
import TestSupport
import Testing
import Values

@Suite(.realTime) struct ReaderThreadTests {
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

  /// Reads until `count` readings have arrived or `patience` seconds have passed.
  private func take(
    _ count: Int, from consumer: inout RingConsumer<Reading>, _ bell: WakeUp
  ) -> [Reading] {
    var readings: [Reading] = []
    var polls = PollSet()
    polls.add(bell.number)
    let deadline = GivenTime.now.advanced(bySeconds: patience)
    while readings.count < count, GivenTime.now < deadline {
      while let reading = consumer.pop() { readings.append(reading) }
      if readings.count < count { polls.wait(seconds: 0.1) }
      bell.clear()
    }
    return readings
  }

  @Test func `samples arrive in order, with their numbers and with the time of their packet`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 1 << 12)
    var consumer = ends.consumer
    let bell = try WakeUp()
    let reader = try ReaderThread(into: ends.producer, bell: bell)
    let board = try OwnedDescriptor.packetSocketPair().split {
      reader.attach(3, $0) { _ in }
    }
    reader.route(3, [stream])
    let before = BootClock.now().advanced(bySeconds: -0.001)
    for number in 0..<100 { _ = board.send(packet(number)) }
    let readings = take(200, from: &consumer, bell)
    let after = BootClock.now()
    #expect(readings.map(\.counter) == Array(0..<200))
    #expect(readings.map(\.x) == Array(0..<200))
    #expect(readings.allSatisfy { $0.board == 3 && $0.stream == 0 && $0.kind == .sample })
    #expect(readings.allSatisfy { before <= $0.arrival && $0.arrival <= after })
    #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.arrival <= $1.arrival })
    let counts = await reader.detach(3)
    #expect(counts.notifications == 100)
    #expect(counts.decoded == 100)
    reader.stop()
  }

  @Test func `packets without samples, and the end of the link, are passed to the session`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 1 << 4)
    var consumer = ends.consumer
    let bell = try WakeUp()
    let reader = try ReaderThread(into: ends.producer, bell: bell)
    let (events, post) = AsyncStream<ReaderEvent>.makeStream()
    let board = try OwnedDescriptor.packetSocketPair().split {
      reader.attach(0, $0) { post.yield($0) }
    }
    reader.route(0, [stream])
    _ = board.send([0x0b, 0x84, 1, 2, 3, 4, 5])
    // An empty notification does not end the link.
    _ = board.send([])
    _ = board.send(packet(0))
    _ = board.send([UInt8](0..<30))
    _ = consume board
    var seen: [[UInt8]] = []
    for await event in events {
      if case .packet(let bytes) = event { seen.append(bytes) } else { break }
    }
    #expect(seen == [[0x0b, 0x84, 1, 2, 3, 4, 5], [UInt8](0..<21)])
    let readings = take(3, from: &consumer, bell)
    #expect(readings.map(\.kind) == [.sample, .sample, .linkLost])
    reader.stop()
  }

  @Test
  func `a truncated packet counts as the number of samples that it should have contained`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 1 << 4)
    var consumer = ends.consumer
    let bell = try WakeUp()
    let reader = try ReaderThread(into: ends.producer, bell: bell)
    let board = try OwnedDescriptor.packetSocketPair().split {
      reader.attach(0, $0) { _ in }
    }
    reader.route(0, [stream])
    _ = board.send(Array(packet(0).dropLast()))
    _ = board.send(packet(1))
    let readings = take(3, from: &consumer, bell)
    #expect(readings.map(\.kind) == [.malformed, .sample, .sample])
    #expect(readings.first?.counter == 2)
    reader.stop()
  }

  @Test
  func `samples in an overlong packet are used, and the packet is also passed to the session`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 1 << 4)
    var consumer = ends.consumer
    let bell = try WakeUp()
    let reader = try ReaderThread(into: ends.producer, bell: bell)
    let (events, post) = AsyncStream<ReaderEvent>.makeStream()
    let board = try OwnedDescriptor.packetSocketPair().split {
      reader.attach(0, $0) { post.yield($0) }
    }
    reader.route(0, [stream])
    let long = packet(0) + [1, 2, 3]
    _ = board.send(long)
    let readings = take(2, from: &consumer, bell)
    #expect(readings.map(\.kind) == [.sample, .sample])
    for await event in events {
      guard case .malformed(let bytes) = event else {
        Issue.record("\(event)")
        break
      }
      #expect(bytes == Array(long.prefix(21)))
      break
    }
    reader.stop()
  }

  @Test func `a stream's restart is reported only for that stream`() async throws {
    let ends = Ring<Reading>.make(capacity: 1 << 4)
    var consumer = ends.consumer
    let bell = try WakeUp()
    let reader = try ReaderThread(into: ends.producer, bell: bell)
    let board = try OwnedDescriptor.packetSocketPair().split {
      reader.attach(0, $0) { _ in }
    }
    var other = stream
    other.layout = .countedPair(processor: 3)
    reader.route(0, [stream, other])
    reader.restart([1], of: 0)
    _ = await reader.packets(of: 0)
    _ = board.send(packet(0))
    let readings = take(3, from: &consumer, bell)
    #expect(readings.map(\.kind) == [.restarted, .sample, .sample])
    #expect(readings.map(\.stream) == [1, 0, 0])
    reader.stop()
  }

  @Test func `samples lost to a full ring are counted, and reported once the ring has space`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 8)
    var consumer = ends.consumer
    let bell = try WakeUp()
    let reader = try ReaderThread(into: ends.producer, bell: bell)
    let (events, post) = AsyncStream<ReaderEvent>.makeStream()
    let board = try OwnedDescriptor.packetSocketPair().split {
      reader.attach(0, $0) { post.yield($0) }
    }
    reader.route(0, [stream])
    for number in 0..<10 { _ = board.send(packet(number)) }
    // The reply queued behind the samples shows that the reader has read them.
    _ = board.send([0x0b, 0x84, 0, 0, 0, 0, 0])
    for await _ in events { break }
    // The reader may report the overflow as soon as the ring has space.
    var readings = take(8, from: &consumer, bell)
    _ = board.send(packet(10))
    readings += take(11 - readings.count, from: &consumer, bell)
    #expect(readings.map(\.counter) == Array(0..<8) + [12, 20, 21])
    #expect(readings.dropFirst(8).map(\.kind) == [.overflow, .sample, .sample])
    reader.stop()
  }

  @Test func `a board detached while the ring is full does not delay the other boards`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 8)
    var consumer = ends.consumer
    let bell = try WakeUp()
    let reader = try ReaderThread(into: ends.producer, bell: bell)
    let (events, post) = AsyncStream<ReaderEvent>.makeStream()
    let full = try OwnedDescriptor.packetSocketPair().split { reader.attach(0, $0) { _ in } }
    let other = try OwnedDescriptor.packetSocketPair().split {
      reader.attach(1, $0) { post.yield($0) }
    }
    reader.route(0, [stream])
    reader.route(1, [stream])
    for number in 0..<10 { _ = full.send(packet(number)) }
    let isDetached = Guarded(false)
    let detaching = Task {
      let counts = await reader.detach(0, isEnd: false)
      isDetached.withLock { $0 = true }
      return counts
    }
    while await !reader.packets(of: 0).isEmpty {}
    for round in 0..<5 {
      _ = other.send([0x0b, 0x84, UInt8(round)])
      for await _ in events { break }
    }
    #expect(!isDetached.withLock { $0 })
    // The reports arrive as soon as the ring has space.
    let readings = take(10, from: &consumer, bell)
    #expect(readings.map(\.counter) == Array(0..<8) + [12, 0])
    #expect(readings.dropFirst(8).map(\.kind) == [.overflow, .linkLost])
    let counts = await detaching.value
    #expect(counts.notifications == 10)
    reader.stop()
  }

  @Test func `a request to a stopped reader still gets a reply`() async throws {
    let ends = Ring<Reading>.make(capacity: 8)
    let reader = try ReaderThread(into: ends.producer, bell: WakeUp())
    reader.stop()
    #expect(await reader.packets(of: 0).isEmpty)
    #expect(await reader.detach(0) == ReaderCounts())
  }

  @Test
  func `if a stream is routed again while the ring is full, its loss count is kept`() async throws {
    let ends = Ring<Reading>.make(capacity: 8)
    var consumer = ends.consumer
    let bell = try WakeUp()
    let reader = try ReaderThread(into: ends.producer, bell: bell)
    let (events, post) = AsyncStream<ReaderEvent>.makeStream()
    let board = try OwnedDescriptor.packetSocketPair().split {
      reader.attach(0, $0) { post.yield($0) }
    }
    reader.route(0, [stream])
    for number in 0..<10 { _ = board.send(packet(number)) }
    _ = board.send([0x0b, 0x84, 0, 0, 0, 0, 0])
    for await _ in events { break }
    reader.route(0, [stream], restart: .restarted)
    #expect(await reader.packets(of: 0) == [0])
    _ = take(8, from: &consumer, bell)
    _ = board.send(packet(0))
    let rest = take(4, from: &consumer, bell)
    #expect(rest.map(\.kind) == [.overflow, .restarted, .sample, .sample])
    #expect(rest.first?.counter == 12)
    reader.stop()
  }

  @Test func `a ring of two megabytes holds the samples that arrive during a 20-second sync`() {
    #expect(ReaderThread.ringCapacity >= 20 * 2_000)
    #expect(ReaderThread.ringCapacity * MemoryLayout<Reading>.stride <= 2 << 20)
  }
}
