import Boards
import MetaWearProtocol
import Recording
import Simulation

/// Plays a board's session against a simulated board, without threads and without waiting.
struct SessionPlay {
  var session: BoardSession
  var board: SimulatedBoard
  /// Answers for which this returns false are lost on the way.
  var lets: ([UInt8]) -> Bool = { _ in true }
  /// Whether the sensors are started as soon as the board is ready.
  var startsWhenReady = true

  private(set) var time = 0.0
  private(set) var streams: [BoardStream] = []
  private(set) var model: Model?
  private(set) var written: [[UInt8]] = []
  private(set) var remarks: [String] = []
  private(set) var isRunning = false
  private(set) var isFinished = false
  private(set) var failure: BoardFailure?
  /// Notifications with samples in them.
  private(set) var samplePackets: [[UInt8]] = []

  private var waitsUntil: Double?
  private var notifications: [SimulatedNotification] = []

  init(_ requests: [SensorRequest], model: BoardModel = .metaMotionS) {
    session = BoardSession(requests)
    board = SimulatedBoard(
      model, address: BoardAddress(value: 0xc84b_aa97_5005), wearer: StillWearer())
    board.linkUp()
  }

  var hasEnded: Bool { isFinished || failure != nil }

  mutating func subscribe() {
    feed(
      .subscribed(
        DeviceInformation(modelNumber: board.model.modelNumber, firmware: "1.7.2")))
  }

  /// Lets `seconds` of the world pass, timeouts included, or less if the session ends.
  mutating func live(_ seconds: Double) {
    let end = time + seconds
    while time < end, !hasEnded {
      time = min(end, time + 0.005)
      board.advance(to: time, into: &notifications)
      deliver()
      if let deadline = waitsUntil, time >= deadline {
        waitsUntil = nil
        feed(.timeout)
      }
    }
  }

  mutating func feed(_ event: BoardSession.Event) {
    for action in session.handle(event) { perform(action) }
  }

  private mutating func deliver() {
    let arrived = notifications
    notifications.removeAll()
    for notification in arrived {
      if notification.sampleCount > 0 {
        samplePackets.append(notification.bytes)
      } else if lets(notification.bytes) {
        feed(.packet(notification.bytes))
      }
    }
  }

  private mutating func perform(_ action: BoardSession.Action) {
    switch action {
    case .write(let command, _):
      written.append(command.bytes)
      board.receive(command.bytes, at: time)
    case .wait(let seconds): waitsUntil = time + seconds
    case .cancelWait: waitsUntil = nil
    case .ready(let model, _, let streams):
      self.model = model
      self.streams = streams
      if startsWhenReady { feed(.start) }
    case .running: isRunning = true
    case .remark(let text): remarks.append(text)
    case .finished: isFinished = true
    case .failed(let failure): self.failure = failure
    }
  }
}
