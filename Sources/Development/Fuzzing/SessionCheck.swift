internal import BoardDriver
internal import MetaWearProtocol
internal import Values

/// Passes events to one board's session in an order determined by the input.
///
/// An input is a byte that selects the sensors, a byte that selects the board, and events. An event
/// is a byte with the kind in its lower three bits and a number in the upper five.
struct SessionCheck {
  private var session: BoardSession
  private var board: ObligingBoard
  private var isReady = false
  /// The number of packets in each stream. `observes` is set once the session has requested these
  /// numbers.
  private var packets: [UInt64] = []
  private var observes = false
  private var isRunning = false
  private var hasEnded = false

  /// Runs one input. Returns whether the sensors ever ran, which is useful to authors of inputs.
  @discardableResult
  static func play(_ input: [UInt8]) -> Bool {
    var reader = ByteReader(input)
    let requests = sensors[Int(reader.byte()) % sensors.count]
    var check = SessionCheck(
      session: BoardSession(requests),
      board: ObligingBoard(BoardChoice.tables[BoardChoice.place(reader.byte())]))
    while !reader.isAtEnd { check.next(&reader) }
    check.finish()
    return check.isRunning
  }

  // Add new requests at the end. Otherwise, the bytes in the corpus would select different
  // requests.
  private static let sensors = [
    [
      SensorRequest(signal: "acceleration", rate: 100, range: 8),
      SensorRequest(signal: "angular_velocity", rate: 100, range: 2000),
    ],
    [SensorRequest(signal: "acceleration", rate: 125, range: 16)],
    [SensorRequest(signal: "angular_velocity", rate: 3200, range: 125)],
    [SensorRequest(signal: "acceleration", rate: .nan, range: -.infinity)],
    [SensorRequest(signal: "warmth", rate: 1, range: 1)],
    [
      SensorRequest(signal: "acceleration", rate: 50, range: 2),
      SensorRequest(signal: "acceleration", rate: 50, range: 2),
    ],
    [],
    [SensorRequest(signal: "temperature", rate: 1), SensorRequest(signal: "pressure", rate: 1)],
    [
      SensorRequest(signal: "quaternion", rate: 100),
      SensorRequest(signal: "linear_acceleration", rate: 100),
    ],
    [SensorRequest(signal: "acceleration", rate: 100, layout: .timed)],
    [
      SensorRequest(signal: "magnetic_field", rate: 25, layout: .packed),
      SensorRequest(signal: "acceleration", rate: 1_600, layout: .counted),
    ],
  ]

  private mutating func next(_ reader: inout ByteReader) {
    let byte = reader.byte()
    let number = Int(byte >> 3)
    switch byte & 7 {
    case 0: handle(.packet(reader.bytes(number)))
    case 1:
      handle(.timeout)
      if observes { observe(flowing: number) }
    case 2 where number > 15: handle(.malformed(reader.bytes(number - 16)))
    case 2: handle(.start)
    case 3: handle(.stop)
    case 4 where number > 23:
      handle(.abandoned(BoardFailure("there is no link", remedy: "bring one up")))
    case 4: handle(.linkLost)
    case 5:
      let firmware = ["1.7.2", "", "1.3.90", "x.y"][number >> 3]
      handle(.subscribed(DeviceInformation(modelNumber: "\(number & 7)", firmware: firmware)))
    case 6:
      for _ in 0...number {
        guard let answer = board.nextAnswer() else { break }
        handle(.packet(answer))
      }
    default:
      // A reply with one byte changed, or truncated at that byte.
      guard var answer = board.nextAnswer(), !answer.isEmpty else { break }
      let change = reader.byte()
      let position = number % answer.count
      if change == 0 { answer.removeSubrange(position...) } else { answer[position] ^= change }
      handle(.packet(answer))
    }
  }

  /// Reports packets to the session, for the streams that have their bits set in `flowing`.
  private mutating func observe(flowing: Int) {
    observes = false
    for index in packets.indices where flowing >> index & 1 == 1 { packets[index] += 1 }
    handle(.progress(packets))
  }

  private mutating func handle(_ event: BoardSession.Event) {
    let actions = session.handle(event)
    hold(actions.isEmpty || !hasEnded, "a session that has ended does nothing more")
    hold(actions.count <= 100, "an event leads to a bounded number of actions")
    for action in actions {
      hold(!hasEnded, "the end is the last action")
      check(action)
    }
  }

  private mutating func check(_ action: BoardSession.Action) {
    switch action {
    case .write(let command, _):
      hold(command.bytes.count <= Command.maximumLength, "a command fits into a packet")
      board.take(command)
    case .wait(let seconds):
      hold(seconds > 0 && seconds.isFinite, "a wait has a positive, finite length")
    case .ready(_, _, let streams):
      hold(!isRunning, "a board that has run is resumed instead of reported as ready")
      isReady = true
      check(streams)
    case .resumed(let streams, _, _):
      hold(isRunning, "only a board that has run is resumed")
      check(streams)
    case .restarting(let streams):
      hold(streams.allSatisfy(packets.indices.contains), "only existing streams start again")
    case .silent(let streams, _):
      hold(
        !streams.isEmpty && streams.allSatisfy(packets.indices.contains),
        "silent streams are existing streams")
    case .observe(let seconds):
      hold(seconds >= 0 && seconds.isFinite, "the next packet count has a valid delay")
      observes = true
    case .poll(let polls):
      hold(polls.allSatisfy { $0.seconds > 0 && $0.seconds.isFinite }, "polls are spaced apart")
    case .battery: hold(isRunning, "a board's battery is reported while the board runs")
    case .running:
      hold(isReady, "only a board that is ready runs")
      isRunning = true
    case .finished, .failed: hasEnded = true
    case .changeLink(_, let parameters):
      hold(parameters.violation == nil, "only valid parameters are requested for a link")
    case .cancelWait, .stillSilent, .tuned, .remark, .relink: break
    }
  }

  private mutating func check(_ streams: [BoardStream]) {
    if packets.isEmpty { packets = Array(repeating: 0, count: streams.count) }
    hold(packets.count == streams.count, "a board that is set up again has the same streams")
    for stream in streams {
      hold(
        StreamDecoder(stream.setup.samples, layout: stream.layout) != nil,
        "each stream can be decoded")
    }
  }

  /// Checks that the session ends when the user stops it, even if the board is silent.
  private mutating func finish() {
    handle(.stop)
    var silences = 0
    while !hasEnded {
      hold(silences < 200, "a stopped session ends even if the board is silent")
      silences += 1
      handle(.timeout)
    }
    for event in [BoardSession.Event.timeout, .start, .stop, .linkLost, .packet([3, 4])] {
      handle(event)
    }
  }
}
