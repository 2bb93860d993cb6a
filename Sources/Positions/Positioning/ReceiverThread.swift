public import LinuxSystem
internal import NMEA
public import Recording
public import RingBuffer

/// Listens to a position source on the thread `gps`.
///
/// Fixes are pushed into a ring as they arrive. A source that disappears is opened again by its
/// name when it returns: the path should name the device itself and not its order of connection.
///
/// A listener keeps the latest fix of a source, here a fixed place:
///
///     let latest = Guarded<Fix?>(nil)
///     let place = PositionSource.FixedPosition(latitude: 53.168, longitude: 9.94)
///     let receiver = try ReceiverThread(.fixed(place), reports: nil, recorder: nil) { event in
///       if case .report(.fix(let fix)) = event { latest.withLock { $0 = fix } }
///     }
public final class ReceiverThread: Sendable {
  /// Receives reports and changes of the state, on the thread `gps`: it should not delay the
  /// thread.
  public typealias Listener = @Sendable (ReceiverEvent) -> Void

  private let board: ReceiverStatusBoard
  private let stopping: StopFlag
  private let wake: WakeUp
  private let thread: NamedThread

  /// Starts listening. A missing source is not an error: the thread waits for it.
  ///
  /// - Parameters:
  ///   - source: the source of positions.
  ///   - memory: the file with the speeds of serial ports; `nil` to keep none.
  ///   - reports: the end of the ring for every epoch; `nil` if only the listener wants them.
  ///   - recorder: rung after each round that pushed a report.
  ///   - listener: called for every epoch and for each change of the state.
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
        feed, producer: reports, recorder: recorder, board: board, until: stopping, wake: wake,
        listener: listener))
    self.board = board
    self.stopping = stopping
    self.wake = wake
    thread = try NamedThread("gps") { loop.take() }
  }

  deinit {
    stop()
  }

  /// The source's status at this moment.
  public var status: ReceiverStatus {
    board.status.withLock { $0 }
  }

  /// Seconds allowed for the thread's end.
  private static let endSeconds = 2.0

  /// Publishes the open epoch, closes the source and waits for the thread to end. It stops waiting
  /// if a name server that does not answer blocks the thread.
  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join(within: Self.endSeconds)
  }
}
