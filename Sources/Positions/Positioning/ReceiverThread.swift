public import LinuxSystem
internal import NMEA
public import Recording
public import RingBuffer

/// A position source, listened to by the thread `gps`.
///
/// Fixes go into a ring as they come. A source that goes away is opened again when it is back, by
/// its name: a path should be one that names the device rather than its place in line.
public final class ReceiverThread: Sendable {
  /// Who hears of reports and changes of the state, on the thread `gps`: it should not keep it
  /// waiting.
  public typealias Listener = @Sendable (ReceiverEvent) -> Void

  private let board: ReceiverStatusBoard
  private let stopping: StopFlag
  private let wake: WakeUp
  private let thread: NamedThread

  /// Starts listening. A source that is not there is no error: it is waited for.
  ///
  /// - Parameters:
  ///   - source: where positions come from.
  ///   - memory: where the speeds of serial ports are kept; `nil` to keep none.
  ///   - reports: the end of the ring into which every epoch goes; `nil` where only the listener
  ///       wants them.
  ///   - recorder: rung after each round that pushed something.
  ///   - listener: told of every epoch and of each change of the state.
  public convenience init(
    _ source: PositionSource, memory: SpeedMemory? = nil,
    reports: consuming RingProducer<PositionReport>?, recorder: WakeUp?,
    listener: @escaping Listener = { _ in }
  ) throws(SystemError) {
    let now = BootClock.now()
    switch source {
    case .serial(let path, let speed):
      let configuration = SerialFeed.Configuration(path: path, speed: speed, memory: memory)
      try self.init(
        SerialFeed(configuration, at: now), reports: reports, recorder: recorder,
        listener: listener)
    case .gpsd(let address):
      try self.init(
        GPSDFeed(address, at: now), reports: reports, recorder: recorder, listener: listener)
    case .file(let replay):
      try self.init(
        FileFeed(replay), reports: reports, recorder: recorder, listener: listener)
    case .fixed(let place):
      try self.init(
        FixedFeed(place, at: now), reports: reports, recorder: recorder, listener: listener)
    }
  }

  init<Feed: PositionFeed & ~Copyable>(
    _ feed: consuming Feed, reports: consuming RingProducer<PositionReport>?, recorder: WakeUp?,
    listener: @escaping Listener = { _ in }
  ) throws(SystemError) {
    let board = ReceiverStatusBoard()
    let stopping = StopFlag()
    let wake = try WakeUp()
    let loop = HandOver(
      ReceiverLoop(
        feed, producer: reports, recorder: recorder, board: board, listener: listener))
    self.board = board
    self.stopping = stopping
    self.wake = wake
    thread = try NamedThread("gps") {
      guard var loop = loop.take() else { return }
      loop.run(until: stopping, wake: wake)
    }
  }

  deinit {
    stop()
  }

  /// What the source is doing at this moment.
  public var status: ReceiverStatus {
    board.status.withLock { $0 }
  }

  /// Seconds that the thread has to end.
  private static let endSeconds = 2.0

  /// Publishes the epoch that is open, closes the source and waits for the thread to end, unless a
  /// name server that does not answer holds it.
  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join(within: Self.endSeconds)
  }
}
