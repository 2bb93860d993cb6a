import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation
import Values

/// Downloads a log as a gateway does. Samples are considered stored once their page is complete.
struct LogReader {
  var stored: [LogAssembler.Sample] = []
  /// The checkpoint that is stored with the samples.
  private(set) var checkpoint = LogAssembler.Checkpoint()
  /// The last page to be confirmed. The link drops before the next confirmation.
  var lastConfirmed = Int.max
  private(set) var pages = 0
  private(set) var isDrained = false
  /// The numbers of remaining entries that the board reported.
  private(set) var reports: [UInt32] = []
  private var download: LogDownload
  private var kept: [LogAssembler.Sample] = []

  init(_ triggers: [LogTrigger], after earlier: LogReader? = nil) {
    stored = earlier?.stored ?? []
    checkpoint = earlier?.checkpoint ?? checkpoint
    download = LogDownload(LogAssembler(triggers, after: checkpoint), revision: 3)
  }

  /// Downloads until the log is empty or `limit` packets have arrived.
  mutating func run(_ client: inout SimulatedBoardClient, limit: Int = .max) throws {
    let start = client.received.count
    var next = start
    client.write(download.begin.map(\.bytes))
    // A page takes no more than a few tenths of a second.
    for _ in 0..<100_000 where !isDrained {
      if next == client.received.count { client.wait(seconds: 0.005) }
      while next < client.received.count, next - start < limit {
        let packet = client.received[next].bytes
        next += 1
        let notification = try Notification(
          decoding: packet.span, from: client.board.model.modules)
        for action in download.receive(notification) { take(action, &client) }
      }
      if next - start >= limit || pages > lastConfirmed { return }
    }
    try #require(isDrained)
    store()
  }

  private mutating func take(
    _ action: LogDownload.Action, _ client: inout SimulatedBoardClient
  ) {
    switch action {
    case .write(let command): client.write(command)
    case .keep(let sample): kept.append(sample)
    case .report(let entry): Issue.record("unknown entry \(entry)")
    case .storeAndConfirm:
      pages += 1
      store()
      if pages <= lastConfirmed { client.write(Logging.confirmPage) }
    case .show(let left): reports.append(left)
    case .drained:
      isDrained = true
      client.wait(seconds: 0.1)
    }
  }

  private mutating func store() {
    stored += kept
    kept = []
    checkpoint = download.checkpoint
  }
}

@Suite(.computation) struct SimulatedBoardLoggingTests {
  static let models = [BoardModel.metaMotionS, .metaMotionRL]
  static let temperature = SignalSource(
    PacketHeader(.temperature, 0x01, isRead: true, isSilent: true), index: 0, length: 2)

  func sensor(_ client: SimulatedBoardClient) throws -> Accelerometer {
    try #require(client.board.model.modules.accelerometer)
  }

  /// Creates the triggers that log these signals.
  func trigger(
    _ client: inout SimulatedBoardClient, _ signals: [SignalSource]
  ) throws -> [LogTrigger] {
    var triggers: [LogTrigger] = []
    for source in signals.flatMap({ $0.pieces() }) {
      let id = try client.id(client.write(Logging.addTrigger(source)))
      triggers.append(LogTrigger(id: id, source: source))
    }
    return triggers
  }

  /// Returns a client of a board that has logged acceleration at 100 Hz for a few seconds and
  /// streamed the same samples.
  func logged(
    _ model: BoardModel, seconds: Double, flushes: Bool = true, _ signals: [SignalSource] = []
  ) throws -> (client: SimulatedBoardClient, triggers: [LogTrigger], streamed: [[UInt8]]) {
    var client = SimulatedBoardClient(model, wearer: GaitWearer(seed: 4))
    let sensor = try sensor(client)
    let triggers = try trigger(&client, [sensor.source] + signals)
    client.write(Settings.prefer(.fast))
    if !signals.isEmpty {
      let timer = try client.id(client.write(Timer.create(periodMilliseconds: 70)))
      let read = Command(Self.temperature.header, [0])
      _ = try client.id(client.write(Event.record(read, when: .timer(timer)).map(\.bytes)))
      client.write(Timer.start(timer))
    }
    client.write(Logging.start(isOverwriting: true).map(\.bytes))
    try client.start(sensor, rate: 100, range: 8, subscribing: sensor.sampleRegister)
    let streamed = client.wait(seconds: seconds).filter { $0.sampleCount == 1 }
    client.write(sensor.powerOff, sensor.disableDataReady, Logging.stop)
    if flushes, model.modules.has(.logging, revision: 3) { client.write(Logging.flush) }
    return (client, triggers, streamed.map { Array($0.bytes.dropFirst(2)) })
  }

  @Test func `a flush is ignored with a complaint on a board whose log does not support flushing`()
  {
    var client = SimulatedBoardClient(.metaWearC)
    client.write(.subscribe(.logging, 0x0d))
    #expect(client.board.complaints == [])
    client.write(Logging.flush)
    #expect(client.board.complaints.count == 1)
  }

  @Test(arguments: models + [.metaWearC])
  func `the log contains the same samples as a stream`(_ model: BoardModel) throws {
    var (client, triggers, streamed) = try logged(model, seconds: 20)
    #expect((1_998...2_006).contains(streamed.count))
    var reader = LogReader(triggers)
    try reader.run(&client)
    #expect(reader.stored.map(\.bytes) == streamed)
    #expect(reader.pages == (2 * streamed.count + 63) / 64)
    #expect(reader.reports == reader.reports.sorted(by: >))
    let ticks = reader.stored.map { Double($0.tick) * Logging.tickSeconds }
    for (index, tick) in ticks.enumerated() {
      #expect(abs(tick - ticks[0] - Double(index) * 0.01) < 2 * Logging.tickSeconds)
    }
    #expect(reader.stored.allSatisfy { $0.resetUID == 0 })
    client.write(LogDownload.finish.map(\.bytes))
    #expect(client.write(Logging.readLength) == [[0x0b, 0x85, 0, 0, 0, 0]])
    #expect(client.board.complaints == [])
  }

  @Test
  func `on the MetaMotion S, the entries of an incomplete page are missing until they are flushed`()
    throws
  {
    for (model, flushes, isWhole) in [
      (BoardModel.metaMotionS, false, false), (.metaMotionS, true, true),
      (.metaMotionRL, false, true),
    ] {
      var (client, triggers, streamed) = try logged(model, seconds: 1, flushes: flushes)
      var reader = LogReader(triggers)
      try reader.run(&client)
      let whole = isWhole ? streamed.count : streamed.count / 32 * 32
      #expect(reader.stored.map(\.bytes) == Array(streamed.prefix(whole)))
    }
  }

  @Test(arguments: [2, 17, 33, 34, 35, 36, 60, 100, 500])
  func `after a lost link the unconfirmed page is sent again, and no sample is stored twice`(
    _ packets: Int
  ) throws {
    var (client, triggers, streamed) = try logged(.metaMotionS, seconds: 10)
    var first = LogReader(triggers)
    try first.run(&client, limit: packets)
    client.board.linkDown(at: client.time)
    #expect(client.wait(seconds: 5).isEmpty)
    client.board.linkUp()
    #expect(client.wait(seconds: 1).isEmpty, "nothing is sent that was not asked for")
    var second = LogReader(triggers, after: first)
    try second.run(&client)
    #expect(second.stored.map(\.bytes) == streamed)
    #expect(client.board.complaints == [])
  }

  @Test func `a sample split across two pages survives a link loss between the pages`() throws {
    let (client, triggers, streamed) = try logged(.metaMotionS, seconds: 4, [Self.temperature])
    var splitPages = 0
    // The split occurs within the first pages, which have 64 entries each.
    for packets in stride(from: 1, through: 200, by: 3) {
      var client = client
      var first = LogReader(triggers)
      try first.run(&client, limit: packets)
      splitPages += first.checkpoint.waiting.isEmpty ? 0 : 1
      client.board.linkDown(at: client.time)
      client.board.linkUp()
      var second = LogReader(triggers, after: first)
      try second.run(&client)
      #expect(
        second.stored.filter { $0.signal == 0 }.map(\.bytes) == streamed,
        "the link was lost after \(packets) packets")
      #expect(second.checkpoint.waiting.isEmpty)
    }
    #expect(splitPages > 0)
  }

  @Test func `samples with the same tick are distinguished, even if the link is lost between them`()
    throws
  {
    var client = SimulatedBoardClient(.metaMotionS, wearer: GaitWearer(seed: 4))
    let sensor = try sensor(client)
    let triggers = try trigger(&client, [sensor.source])
    client.write(Logging.start(isOverwriting: true).map(\.bytes))
    // The rate yields more than two samples per tick.
    try client.start(sensor, rate: 1600, range: 8, subscribing: nil)
    client.wait(seconds: 0.5)
    client.write(sensor.powerOff, sensor.disableDataReady, Logging.stop, Logging.flush)
    var whole = client
    var reader = LogReader(triggers)
    try reader.run(&whole)
    #expect(reader.stored.count > 700)
    #expect(Set(reader.stored.map(\.tick)).count < reader.stored.count / 2)
    for page in 1...20 {
      for isConfirmed in [true, false] {
        var client = client
        var first = LogReader(triggers)
        if !isConfirmed { first.lastConfirmed = page - 1 }
        // A page with its notifications takes 34 packets.
        try first.run(&client, limit: 34 * page + 8)
        #expect(first.pages == page)
        client.board.linkDown(at: client.time)
        client.board.linkUp()
        var second = LogReader(triggers, after: first)
        try second.run(&client)
        #expect(second.stored == reader.stored, "page \(page), confirmed: \(isConfirmed)")
        #expect(client.board.complaints == [])
      }
    }
  }

  @Test(arguments: models)
  func `a sample may be split across two packets and two pages`(_ model: BoardModel) throws {
    var (client, triggers, streamed) = try logged(model, seconds: 20, [Self.temperature])
    client.received = []
    var reader = LogReader(triggers)
    try reader.run(&client)
    #expect(reader.stored.filter { $0.signal == 0 }.map(\.bytes) == streamed)
    let temperatures = reader.stored.filter { $0.signal == 1 }
    #expect((283...288).contains(temperatures.count))
    #expect(temperatures.allSatisfy { $0.bytes == [252, 0] })
    // The first half is the last entry of a page, and the second half is the first entry of the
    // next page.
    let packets = client.received.map(\.bytes).filter { $0[1] == 0x07 || $0[1] == 0x0d }
    let isSplit = zip(packets.dropFirst(), packets).contains { page, entries in
      guard page[1] == 0x0d else { return false }
      return entries[entries.count - 9] & 0x1f == triggers[0].id
    }
    #expect(isSplit)
    #expect(client.board.complaints == [])
  }

  @Test
  func `log entries survive a reset except those in the MetaMotion S's cache; triggers do not`()
    throws
  {
    for model in Self.models {
      var (client, triggers, streamed) = try logged(model, seconds: 1, flushes: false)
      client.board.reset(at: client.time)
      client.wait(seconds: 2)
      client.board.linkUp()
      #expect(client.write(Logging.queryTrigger(0)) == [])
      var reader = LogReader(triggers)
      try reader.run(&client)
      let whole = model == .metaMotionS ? streamed.count / 32 * 32 : streamed.count
      #expect(reader.stored.count == whole)
      // New entries contain the number of the reset.
      let sensor = try sensor(client)
      let anew = try trigger(&client, [sensor.source])
      client.write(Logging.start(isOverwriting: true).map(\.bytes))
      try client.start(sensor, rate: 100, range: 8, subscribing: nil)
      client.wait(seconds: 1)
      client.write(sensor.powerOff, Logging.stop.command)
      client.write(Logging.flush)
      var second = LogReader(anew)
      try second.run(&client)
      #expect((99...101).contains(second.stored.count))
      #expect(second.stored.allSatisfy { $0.resetUID == 1 })
    }
  }

  @Test func `a full log either stops logging or overwrites its oldest pages`() throws {
    for isOverwriting in [false, true] {
      for model in Self.models {
        var client = SimulatedBoardClient(model)
        client.board.log.capacity = 640
        let sensor = try sensor(client)
        let triggers = try trigger(&client, [sensor.source])
        client.write(Logging.start(isOverwriting: isOverwriting).map(\.bytes))
        try client.start(sensor, rate: 100, range: 8, subscribing: sensor.sampleRegister)
        let streamed = client.wait(seconds: 10).map { Array($0.bytes.dropFirst(2)) }
        client.write(sensor.powerOff, Logging.stop.command)
        client.write(Logging.flush)
        var reader = LogReader(triggers)
        try reader.run(&client)
        let read = reader.stored.map(\.bytes)
        if isOverwriting {
          #expect((288...320).contains(read.count))
          #expect(read == Array(streamed.suffix(read.count)))
          let answer = client.write([[0x0b, 0x8c]])[0]
          #expect((20...22).contains(answer.span.uint32(at: 2)))
        } else {
          #expect(read == Array(streamed.prefix(320)))
        }
      }
    }
  }

  @Test func `a download is paced and reports its progress`() throws {
    var (client, _, streamed) = try logged(.metaMotionRL, seconds: 10)
    client.write(
      .subscribe(.logging, 0x07), .subscribe(.logging, 0x08))
    let count = UInt32(2 * streamed.count)
    #expect(client.write(Logging.readLength) == [[0x0b, 0x85] + count.littleEndianBytes])
    client.received = []
    client.write(Logging.readOut(entries: 1_000, progressInterval: 300))
    client.wait(seconds: 10)
    let packets = client.received
    let times = packets.filter { $0.bytes[1] == 0x07 }.map(\.time)
    #expect(times.count == 500)
    for (early, late) in zip(times, times.dropFirst(4)) { #expect(late - early > 0.007_4) }
    #expect(
      packets.filter { $0.bytes[1] == 0x08 }.map { $0.bytes.span.uint32(at: 2) }
        == [700, 400, 100, 0])
    // No page was confirmed, so nothing was erased.
    #expect(client.write(Logging.readLength) == [[0x0b, 0x85] + count.littleEndianBytes])
    client.write(Logging.drop(entries: 1_000))
    #expect(
      client.write(Logging.readLength) == [[0x0b, 0x85] + (count - 1_000).littleEndianBytes])
  }

  @Test func `a board may announce the end of a download early and send entries late`() throws {
    for (isEarly, isLate) in [(false, false), (true, false), (false, true), (true, true)] {
      var (client, triggers, streamed) = try logged(.metaMotionRL, seconds: 3)
      client.board.logBehaviour.tellsEndFirst = isEarly
      client.board.logBehaviour.sendsEntriesLate = isLate
      client.received = []
      var reader = LogReader(triggers)
      try reader.run(&client)
      let order = client.received.map { $0.bytes[1] }
      let end = try #require(client.received.lastIndex { $0.bytes == [0x0b, 0x08, 0, 0, 0, 0] })
      #expect(order[end...].contains(0x0d) == isEarly)
      #expect(order[end...].contains(0x07) == isLate)
      let missing = isLate ? 1 : 0
      #expect(reader.stored.count >= streamed.count - missing)
    }
  }

  @Test func `a trigger can be read back, and an unused slot replies as on a real board`()
    throws
  {
    var client = SimulatedBoardClient(.metaMotionS)
    let source = try sensor(client).source
    let triggers = try trigger(&client, [source])
    #expect(triggers.map(\.source) == source.pieces())
    #expect(client.write(Logging.queryTrigger(0)) == [[0x0b, 0x82, 0x03, 0x04, 0xff, 0x60]])
    #expect(client.write(Logging.queryTrigger(1)) == [[0x0b, 0x82, 0x03, 0x04, 0xff, 0x24]])
    #expect(client.write(Logging.queryTrigger(2)) == [])
    client.board.logBehaviour.emptySlot = .header
    #expect(client.write(Logging.queryTrigger(2)) == [[0x0b, 0x82]])
    client.board.logBehaviour.emptySlot = .filler
    #expect(client.write(Logging.queryTrigger(2)) == [[0x0b, 0x82, 0xff, 0xff, 0xff, 0xff]])
    client.write(Logging.removeTrigger(0))
    #expect(client.write(Logging.addTrigger(Self.temperature)) == [[0x0b, 0x02, 0]])
    client.write(Logging.removeAllTriggers)
    #expect(client.write(Logging.addTrigger(Self.temperature)) == [[0x0b, 0x02, 0]])
    #expect(client.board.complaints == [])
  }

  static let mistakes = [
    MistakeCase(packets: [[0x0b, 0x02, 0x03, 0x04, 0xff, 0x80]], complaint: "at most 4 bytes"),
    MistakeCase(packets: [[0x0b, 0x02, 0x03, 0x04, 0xff, 0x26]], complaint: "only 6 bytes"),
    MistakeCase(packets: [[0x0b, 0x02, 0x03, 0x05, 0xff, 0x60]], complaint: "no value to record"),
    MistakeCase(packets: [[0x0b, 0x02, 0x09, 0x03, 0x00, 0x60]], complaint: "no value to record"),
    MistakeCase(packets: [[0x0b, 0x03, 0x00]], complaint: "no such trigger"),
    MistakeCase(packets: [[0x0b, 0x01, 0x01], [0x0b, 0x0a]], complaint: "while the log is on"),
    MistakeCase(
      packets: [[0x0b, 0x01, 0x01], [0x0b, 0x09, 0xff, 0xff, 0xff, 0xff]],
      complaint: "while the log is on"),
    MistakeCase(packets: [[0x0b, 0x0e]], complaint: "no page to confirm"),
    MistakeCase(
      packets: [[0x0b, 0x06, 1, 0, 0, 0, 0, 0, 0, 0]], complaint: "without a subscription"),
    MistakeCase(packets: [[0x0b, 0x06, 1, 0, 0, 0]], complaint: "not a command"),
    MistakeCase(packets: [[0x0b, 0x10, 0x00]], complaint: "not a command"),
  ]

  @Test(arguments: mistakes)
  func `an invalid logging command is ignored and reported`(_ mistake: MistakeCase) {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(Array(mistake.packets.dropLast()))
    #expect(client.board.complaints == [])
    #expect(client.write(Array(mistake.packets.suffix(1))) == [])
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains(mistake.complaint) == true)
  }

  @Test func `the ninth trigger gets no reply`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    for id in 0..<8 as Range<UInt8> {
      #expect(client.write(Logging.addTrigger(Self.temperature)) == [[0x0b, 0x02, id]])
    }
    #expect(client.write(Logging.addTrigger(Self.temperature)) == [])
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains("all 8 triggers") == true)
  }

  @Test func `of two concurrent create commands, only the first takes effect`() {
    var client = SimulatedBoardClient(.metaMotionS)
    let trigger = Logging.addTrigger(Self.temperature)
    let timer = Timer.create(periodMilliseconds: 10)
    client.board.receive(trigger.command.bytes, at: 0)
    #expect(client.write(timer) == [[0x0b, 0x02, 0]])
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains("wait for the reply") == true)
    #expect(client.write(timer) == [[0x0c, 0x02, 0]])
  }
}
