internal import LinuxSystem
internal import Recording
internal import RingBuffer

/// An event that the reader reports to a board's session.
public enum ReaderEvent: Sendable {
  /// A notification arrived that is not a sample.
  case packet([UInt8])
  /// A stream's packet was unreadable (and has already been counted), or too long.
  case malformed([UInt8])
  /// The descriptor hung up, and every earlier packet has been delivered.
  case hungUp
}

/// Carries an event from the reader to a session through a ring. The event is a hang-up, or a
/// packet that is malformed or not a sample.
struct ControlPacket: BitwiseCopyable {
  enum Kind: UInt8, BitwiseCopyable {
    case hangUp, packet, malformed
  }

  /// Maximum number of bytes copied from a packet. This is one more than the firmware's limit for a
  /// notification, so that overlong packets are detected.
  static let longest = 21

  var kind: Kind
  var board: UInt16
  /// Number of the descriptor that received the packet. Prevents late packets from an old link from
  /// being mistaken for packets from the new one.
  var attachment: UInt32
  var length: UInt8
  var bytes: InlineArray<21, UInt8>

  init(hangUpOf board: UInt16, attachment: UInt32) {
    kind = .hangUp
    self.board = board
    self.attachment = attachment
    length = 0
    bytes = InlineArray(repeating: 0)
  }

  /// The packet is truncated to `longest` bytes.
  init(_ kind: Kind, board: UInt16, attachment: UInt32, _ packet: Span<UInt8>) {
    self.init(hangUpOf: board, attachment: attachment)
    self.kind = kind
    length = UInt8(min(packet.count, Self.longest))
    for index in 0..<Int(length) { bytes[index] = packet[index] }
  }

  var event: ReaderEvent {
    let packet = (0..<Int(length)).map { bytes[$0] }
    return switch kind {
    case .hangUp: .hungUp
    case .packet: .packet(packet)
    case .malformed: .malformed(packet)
    }
  }
}

/// Delivers control packets from the reader thread to the sessions' handlers.
///
/// The reader only pushes into a ring and rings a bell. The `control` thread delivers the packets
/// to the handlers, so the reader neither locks nor allocates.
final class ControlChannel: Sendable {
  typealias Handler = @Sendable (ReaderEvent) -> Void

  private typealias Handlers = Guarded<[UInt16: (attachment: UInt32, handler: Handler)]>

  let bell: WakeUp
  private let handlers = Handlers([:])
  /// Number of attachments made since the start.
  private let attachments = Guarded<UInt32>(0)
  private let stopping = StopFlag()
  private let thread: NamedThread

  init(_ consumer: consuming RingConsumer<ControlPacket>) throws(SystemError) {
    let bell = try WakeUp()
    let consumer = HandOver(consumer)
    self.bell = bell
    thread = try NamedThread("control") { [handlers, stopping] () -> Loop? in
      guard let consumer = consumer.take() else { return nil }
      return Loop(consumer, bell, stopping, handlers)
    }
  }

  deinit {
    stopping.raise()
    bell.ring()
    thread.join()
  }

  /// Directs the events from a board's next descriptor to `handler`. Returns the attachment number
  /// for that descriptor. Events from older descriptors that are still in the ring are discarded.
  func handle(_ board: UInt16, _ handler: @escaping Handler) -> UInt32 {
    let attachment = attachments.withLock { attachments in
      attachments &+= 1
      return attachments
    }
    handlers.withLock { $0[board] = (attachment, handler) }
    return attachment
  }

  func forget(_ board: UInt16) {
    handlers.withLock { $0[board] = nil }
  }

  /// The body of the `control` thread.
  private struct Loop: ThreadLoop, ~Copyable {
    private var consumer: RingConsumer<ControlPacket>
    private let bell: WakeUp
    private let stopping: StopFlag
    private let handlers: Handlers
    private var polls = PollSet()

    init(
      _ consumer: consuming RingConsumer<ControlPacket>, _ bell: WakeUp, _ stopping: StopFlag,
      _ handlers: Handlers
    ) {
      self.consumer = consumer
      self.bell = bell
      self.stopping = stopping
      self.handlers = handlers
      polls.add(bell.number)
    }

    borrowing func pause() -> Double? { stopping.isRaised ? nil : .infinity }

    mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

    mutating func round() {
      bell.clear()
      while let packet = consumer.pop() { deliver(packet) }
    }

    private borrowing func deliver(_ packet: ControlPacket) {
      let current = handlers.withLock { $0[packet.board] }
      guard let current, current.attachment == packet.attachment else { return }
      current.handler(packet.event)
    }
  }
}
