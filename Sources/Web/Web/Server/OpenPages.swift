internal import HTTPServer
internal import LinuxSystem
internal import Values

/// The open pages, and the `pages` thread that sends them events. The thread sleeps while no page
/// is open.
final class OpenPages: Sendable {
  private struct State: Sendable {
    var streams: [UInt64: PageStream] = [:]
    var last: UInt64 = 0
    var isStopped = false
  }

  /// Maximum number of open pages.
  static let most = 16
  /// Maximum number of open pages per device. An additional page replaces the device's oldest page,
  /// so that no device can block the others.
  static let mostOfDevice = 3
  /// Seconds between checks for new samples.
  private static let tick = 0.05
  /// Number of checks between state events.
  private static let looksPerState = 20
  /// Number of checks without an event before a keep-alive is sent.
  private static let looksPerBeat = 100

  private let content: any PageContent
  private let isPaired: @Sendable (PairedDevice) -> Bool
  private let log = EventLog()
  private let state = Guarded(State())
  private let bell: WakeUp
  private let thread = Guarded<NamedThread?>(nil)

  /// Starts the thread that sends the content's events to pages. A stream ends when `isPaired`
  /// returns `false` for its device.
  init(
    _ content: any PageContent, isPaired: @escaping @Sendable (PairedDevice) -> Bool
  ) throws(SystemError) {
    self.content = content
    self.isPaired = isPaired
    bell = try WakeUp()
    let thread = try NamedThread("pages") { [weak self] in self?.run() }
    self.thread.withLock { $0 = thread }
  }

  /// Opens a stream for a page; `nil` if the maximum number of pages is already open, or after
  /// `stop`.
  func open(for device: PairedDevice?) -> PageStream? {
    let (stream, former) = state.withLock { state -> (PageStream?, PageStream?) in
      var former: PageStream?
      let own = state.streams.values.filter { $0.device?.mark == device?.mark }
      if device != nil, own.count >= Self.mostOfDevice {
        former = own.min { $0.number < $1.number }
        if let former { state.streams[former.number] = nil }
      }
      guard state.streams.count < Self.most, !state.isStopped else { return (nil, former) }
      state.last += 1
      // The last state sent to a page is outdated.
      if state.streams.isEmpty { log.clear() }
      let stream = PageStream(state.last, for: device, log) { [weak self] in self?.leave($0) }
      state.streams[stream.number] = stream
      return (stream, former)
    }
    former?.finish()
    bell.ring()
    return stream
  }

  private func leave(_ number: UInt64) {
    state.withLock { $0.streams[number] = nil }
  }

  /// Ends all streams and the thread.
  func stop() {
    state.withLock { $0.isStopped = true }
    bell.ring()
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
  }

  private var streams: [PageStream] { state.withLock { Array($0.streams.values) } }

  private func run() {
    var polls = PollSet()
    polls.add(bell.number)
    var isWatched = false
    var look = 0
    var quiet = 0
    while !state.withLock({ $0.isStopped }) {
      let open = streams
      if open.isEmpty == isWatched {
        isWatched = !open.isEmpty
        content.watch(isWatched)
        look = 0
      }
      guard isWatched else {
        polls.wait(seconds: nil)
        bell.clear()
        continue
      }
      let isStateDue = look % Self.looksPerState == 0
      let hadEvent = tell(isStateDue: isStateDue)
      quiet = hadEvent ? 0 : quiet + 1
      if quiet == Self.looksPerBeat {
        quiet = 0
        log.beat()
      }
      look += 1
      for stream in open {
        if isStateDue, let device = stream.device, !isPaired(device) { stream.finish() }
        stream.ring()
      }
      polls.removeAll()
      polls.wait(seconds: Self.tick)
      polls.add(bell.number)
    }
    if isWatched { content.watch(false) }
    for stream in streams { stream.finish() }
  }

  /// Appends new events to the log. Returns `false` if there are none.
  private func tell(isStateDue: Bool) -> Bool {
    let columns = content.newColumns()
    if let columns { log.append(.columns, "columns", columns.text) }
    if isStateDue { log.append(.state, "status", content.state().text) }
    return columns != nil || isStateDue
  }
}
