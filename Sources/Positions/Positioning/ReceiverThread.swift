public import LinuxSystem
internal import NMEA
public import Recording
public import RingBuffer

/// Reads a position source on the `gps` thread, and delivers its reports.
///
/// Fixes are pushed into a ring as they arrive. When a source disappears and returns, it is
/// reopened under the same path. The path should therefore identify the device itself, not the
/// order in which devices were connected.
///
/// In this example, a listener stores the latest fix from a fixed position:
///
///     let latest = Guarded<Fix?>(nil)
///     let place = PositionSource.FixedPosition(latitude: 53.168, longitude: 9.94)
///     let receiver = try ReceiverThread(.fixed(place), reports: nil, recorder: nil) { event in
///       if case .report(.fix(let fix)) = event { latest.withLock { $0 = fix } }
///     }
public final class ReceiverThread: Sendable {
  /// Receives reports and state changes. Called on the `gps` thread, so it must return quickly.
  public typealias Listener = @Sendable (ReceiverEvent) -> Void

  private let board: ReceiverStatusBoard
  private let stopping: StopFlag
  private let wake: WakeUp
  private let thread: NamedThread

  /// Starts reading from a source. A missing source is not an error; the thread waits until it
  /// appears.
  ///
  /// - Parameters:
  ///   - memory: The file that stores the speeds of serial ports, or `nil` to store no speeds.
  ///   - reports: The ring that receives a report of every epoch, or `nil` if only the listener
  ///     needs the reports.
  ///   - recorder: The recorder's bell, which is rung after each round that pushed a report.
  ///   - listener: Called for every epoch and for each state change.
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

  public var status: ReceiverStatus {
    board.status.withLock { $0 }
  }

  /// Maximum number of seconds to wait for the thread to end.
  private static let endSeconds = 2.0

  /// Publishes the open epoch, closes the source and waits for the thread to end. The wait is
  /// limited, because a name server that does not respond may block the thread.
  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join(within: Self.endSeconds)
  }
}
