import BoardDriver
import MetaWearProtocol
import Simulation
import Values

/// Runs a board session against a simulated board, without threads and without waiting. This type
/// also replaces the reader: it decodes packets of running streams and stores the sample numbers.
/// All other packets go to the session.
struct SessionPlay {
  /// The samples received on one stream from one start of its numbering to the next.
  struct Segment {
    var decoder: StreamDecoder
    var packets: UInt64 = 0
    var numbers: [UInt32] = []
    var samples: [CountedSample] = []
    /// The number of packets that could not be decoded.
    var malformed = 0

    /// The number of samples that never arrived, according to the board's numbering from 0.
    var missing: Int {
      let distinct = Set(numbers)
      return distinct.max().map { Int($0) + 1 - distinct.count } ?? 0
    }
  }

  /// Seconds between two connection events.
  static let connectionInterval = 0.0075

  private struct Poll {
    var command: Command
    var period: Double
    var next: Double
  }

  var session: BoardSession
  var board: SimulatedBoard
  /// Returns whether a packet without samples arrives. If not, the packet is lost in transit.
  var lets: ([UInt8]) -> Bool = { _ in true }
  /// Whether the sensors start as soon as the board is ready.
  var startsWhenReady = true
  /// Seconds until a requested link comes up if the board advertises; `nil` if no link ever comes
  /// up.
  var relinkSeconds: Double? = 1

  private(set) var time = 0.0
  private(set) var streams: [BoardStream] = []
  private(set) var model: Model?
  private(set) var written: [[UInt8]] = []
  private(set) var remarks: [String] = []
  /// Link changes that the session requested from this computer.
  private(set) var changed: [(method: LinkMethod, parameters: ConnectionParameters)] = []
  private(set) var linkReports: [LinkReport] = []
  private(set) var isRunning = false
  private(set) var isFinished = false
  private(set) var failure: BoardFailure?
  /// Notifications that contain samples.
  private(set) var samplePackets: [[UInt8]] = []
  /// The segments of each stream, one per set-up.
  private(set) var segments: [[Segment]] = []
  /// Whether the board had been reset before each repeated set-up.
  private(set) var resumptions: [Bool] = []
  /// The board's own sample counts just before each repeated set-up.
  private(set) var counts: [[UInt32?]] = []
  private(set) var batteries: [Battery] = []
  /// Streams whose sensors were restarted, once per restart.
  private(set) var restarted: [Int] = []
  /// Streams that were reported as silent, once per report.
  private(set) var silenced: [Int] = []
  /// The number of links that the session requested.
  private(set) var relinks = 0

  private var waitsUntil: Double?
  private var observesAt: Double?
  private var relinksAt: Double?
  private var wasLinkUp = true
  private var polls: [Poll] = []
  private var notifications: [SimulatedNotification] = []

  init(
    _ requests: [SensorRequest], model: BoardModel = .metaMotionS,
    tuning: ConnectionTuning = ConnectionTuning(.fast), wearer: any Wearer = StillWearer()
  ) {
    session = BoardSession(requests, tuning: tuning)
    board = SimulatedBoard(
      model, address: BoardAddress(value: 0xc84b_aa97_5005), wearer: wearer)
    board.linkUp()
  }

  var hasEnded: Bool { isFinished || failure != nil }

  /// Distinct samples received.
  var received: Int {
    segments.joined().reduce(0) { $0 + Set($1.numbers).count }
  }

  /// The number of samples missing according to the board's numbering.
  var missing: Int {
    segments.joined().reduce(0) { $0 + $1.missing }
  }

  mutating func subscribe() {
    feed(
      .subscribed(
        DeviceInformation(
          modelNumber: board.model.modelNumber, firmware: board.model.firmwareRevision)))
  }

  /// Lets `seconds` of simulated time pass, including timeouts; stops early if the session ends.
  mutating func live(_ seconds: Double) {
    let end = time + seconds
    while time < end, !hasEnded {
      // Packets written now arrive at the next connection event.
      let turns = [board.nextEvent, waitsUntil, observesAt, relinksAt] + polls.map(\.next)
      time = min(end, max(turns.compactMap(\.self).min() ?? end, time + Self.connectionInterval))
      board.advance(to: time, into: &notifications)
      deliver()
      followLink()
      poll()
      if let deadline = waitsUntil, time >= deadline {
        waitsUntil = nil
        feed(.timeout)
      }
      if let due = observesAt, time >= due { observe() }
    }
  }

  private mutating func observe() {
    observesAt = nil
    feed(.progress(segments.map { $0.last?.packets ?? 0 }))
  }

  mutating func feed(_ event: BoardSession.Event) {
    for action in session.handle(event) { perform(action) }
  }

  // MARK: The link

  private mutating func followLink() {
    if wasLinkUp, !board.isLinkUp { feed(.linkLost) }
    wasLinkUp = board.isLinkUp
    guard let due = relinksAt, time >= due, board.isAdvertising(at: time) else { return }
    relinksAt = nil
    wasLinkUp = true
    board.linkUp()
    subscribe()
  }

  private mutating func relink() {
    relinks += 1
    polls = []
    board.linkDown(at: time)
    wasLinkUp = false
    relinksAt = relinkSeconds.map { time + $0 }
  }

  // MARK: Packets

  private mutating func deliver() {
    let arrived = notifications
    notifications.removeAll()
    for notification in arrived {
      if notification.sampleCount > 0 { samplePackets.append(notification.bytes) }
      if decode(notification.bytes) { continue }
      if lets(notification.bytes) { feed(.packet(notification.bytes)) }
    }
  }

  /// Returns `true` for a packet of a running stream.
  private mutating func decode(_ bytes: [UInt8]) -> Bool {
    var batch = SampleBatch()
    for index in segments.indices {
      let last = segments[index].count - 1
      guard segments[index][last].decoder.claims(bytes.span) else { continue }
      do {
        try segments[index][last].decoder.decode(bytes.span, into: &batch)
        segments[index][last].packets += 1
        for position in 0..<batch.count {
          segments[index][last].numbers.append(batch[position].counter)
          segments[index][last].samples.append(batch[position])
        }
      } catch {
        segments[index][last].malformed += 1
        feed(.malformed(bytes))
      }
      return true
    }
    return false
  }

  private mutating func route(_ streams: [BoardStream]) {
    self.streams = streams
    let decoders = streams.compactMap { StreamDecoder($0.setup.samples, layout: $0.layout) }
    precondition(decoders.count == streams.count, "a stream that is set up can be decoded")
    if segments.isEmpty { segments = Array(repeating: [], count: streams.count) }
    for (index, decoder) in decoders.enumerated() {
      segments[index].append(Segment(decoder: decoder))
    }
  }

  private mutating func poll() {
    for index in polls.indices where time >= polls[index].next {
      polls[index].next += polls[index].period
      write(polls[index].command)
    }
  }

  // MARK: Actions

  private mutating func write(_ command: Command) {
    written.append(command.bytes)
    board.receive(command.bytes, at: time)
  }

  private mutating func perform(_ action: BoardSession.Action) {
    switch action {
    case .write(let command, _): if board.isLinkUp { write(command) }
    case .wait(let seconds):
      waitsUntil = time + seconds
      observesAt = nil
    case .cancelWait:
      waitsUntil = nil
      observesAt = nil
    case .poll(let commands):
      polls = commands.map { Poll(command: $0, period: $1, next: time) }
    case .observe(let seconds):
      waitsUntil = nil
      observesAt = time + seconds
      if seconds == 0 { observe() }
    case .ready(let model, _, let streams):
      self.model = model
      route(streams)
      if startsWhenReady { feed(.start) }
    case .resumed(let streams, let interruption, let counts):
      self.counts.append(counts)
      resumptions.append(interruption == .reboot)
      route(streams)
    case .running: isRunning = true
    case .battery(let battery): batteries.append(battery)
    case .restarting(let streams): restarted += streams
    case .silent(let streams, _): silenced += streams
    case .stillSilent: break
    case .relink: relink()
    case .changeLink(let method, let parameters): changed.append((method, parameters))
    case .tuned(let report): linkReports.append(report)
    case .remark(let text): remarks.append(text)
    case .finished: isFinished = true
    case .failed(let failure): self.failure = failure
    }
  }
}
