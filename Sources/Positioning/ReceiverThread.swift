public import LinuxSystem
public import NMEA
public import Recording
public import RingBuffer
internal import Synchronization

/// A receiver on a serial port, listened to by the thread `gps`.
///
/// Fixes go into a ring as they come. A receiver that is unplugged is opened again by its path when
/// it is back, so the path should be one that names the device rather than its place in line.
public final class ReceiverThread: Sendable {
  private let board: ReceiverStatusBoard
  private let stopping: StopFlag
  private let wake: WakeUp
  private let thread: NamedThread

  /// Starts listening. A port that is not there is no error: it is waited for.
  ///
  /// - Parameters:
  ///   - path: the port, such as `/dev/serial/by-id/…`.
  ///   - speed: its speed; a USB receiver that emulates no real line takes any.
  ///   - reports: the end of the ring into which every epoch goes.
  ///   - recorder: rung after each round that pushed something.
  ///   - floor: dates before it are taken for a wrapped week.
  public convenience init(
    path: String, speed: SerialSpeed = .baud9600,
    reports: consuming RingProducer<PositionReport>, recorder: WakeUp,
    floor: UTCTime = WeekRollover.liveFloor
  ) throws(SystemError) {
    let configuration = ReceiverLoop.Configuration(
      path: path, speed: speed, floor: floor, timing: ReceiverWatch.Timing())
    try self.init(configuration, reports: reports, recorder: recorder)
  }

  init(
    _ configuration: ReceiverLoop.Configuration,
    reports: consuming RingProducer<PositionReport>, recorder: WakeUp
  ) throws(SystemError) {
    let board = ReceiverStatusBoard()
    let stopping = StopFlag()
    let wake = try WakeUp()
    let loop = HandOver(
      ReceiverLoop(configuration, producer: reports, recorder: recorder, board: board))
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

  /// What the receiver is doing at this moment.
  public var status: ReceiverStatus {
    board.status.withLock { $0 }
  }

  /// Publishes the epoch that is open, closes the port and waits for the thread to end.
  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join()
  }
}
