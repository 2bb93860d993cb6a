package import LinuxSystem
public import Values

// Safety: one kernel thread runs everything that uses this object.
/// Simulates a computer whose time jumps from one event to the next. It runs everything on one
/// kernel thread: tasks, threads, pauses and clocks.
///
/// Two runs with the same seed are identical. Code that runs here must not block in the kernel.
public final class SimulatedTime: @unchecked Sendable {
  /// A thread and the time at which its loop is next due to run.
  private struct Entry {
    var thread: SimulatedThread
    /// Whether the thread belongs to the world outside the program.
    var isOutside: Bool
    /// Whether the thread is in the middle of its work, where it may wait for another thread to
    /// end.
    var isAtWork = false
    /// The time in nanoseconds at which the loop is next due; `nil` until `prepare` has determined
    /// it.
    var due: Int64?
  }

  /// An action to perform at a given time.
  private struct Event {
    var time: Int64
    /// The event's number, counting events as they are added. Events with the same time occur in
    /// the order of their numbers.
    var order: Int
    var isOutside: Bool
    var action: () -> Void
  }

  private static let second = 1_000_000_000.0
  /// The boot-clock time, in nanoseconds, at which the simulation starts: one hour after the
  /// computer's boot.
  private static let firstBoot: Int64 = 3_600_000_000_000
  /// The boot-clock time, in seconds, at which the simulation starts.
  public static let bootSeconds = Double(firstBoot) / second

  let tasks = SimulatedTasks()
  private var entries: [Entry] = []
  private var isOutside = false
  /// The thread that is checking for events.
  private var looking: SimulatedThread?
  private var descriptors = SimulatedDescriptors()
  /// The threads of killed programs. They are kept because a killed program does not clean up.
  private var killed: [SimulatedThread] = []
  private var events: [Event] = []
  private var order = 0
  private var random: SplitMix64
  private var boot = firstBoot
  /// System time minus boot time, in nanoseconds.
  private var offset: Int64
  /// True time minus boot time, in nanoseconds. It does not change when the system clock is set.
  private let trueOffset: Int64
  /// Called for each operation on a file, with the file's folder; see `SimulatedComputer.admit`.
  package var onFile: ((FileOperation, String) -> Int32?)?
  package private(set) var bootID: UniqueID

  /// Creates a computer whose system clock starts at this time.
  public init(seed: UInt64, at start: UTCTime = UTCTime(nanoseconds: 1_780_000_000_000_000_000)) {
    random = SplitMix64(seed: seed)
    trueOffset = start.nanoseconds - Self.firstBoot
    offset = trueOffset
    bootID = Self.id(&random)
  }

  /// The computer that the calling thread simulates.
  public static var current: SimulatedTime? { Computer.simulated as? SimulatedTime }

  /// Makes this computer run everything that the calling thread starts after this call.
  public func install() {
    Chance.simulate { Self.current?.random.next() }
    SimulatedTasks.hook
    Computer.simulate(self)
  }

  /// Returns the calling thread to the real computer. Threads and tasks that have not ended never
  /// resume.
  public func remove() {
    Computer.simulate(nil)
    tasks.removeAll()
    entries.removeAll()
    events.removeAll()
  }

  /// Seconds since the start of the simulation.
  public var elapsed: Double { Double(boot - Self.firstBoot) / Self.second }

  /// The time reported by satellites, which is not affected by changes to the system clock.
  public var trueTime: UTCTime { UTCTime(nanoseconds: boot + trueOffset) }

  /// Sets the system clock forward by this many seconds, or back if the number is negative.
  public func stepClock(bySeconds seconds: Double) {
    offset += Int64(seconds * Self.second)
  }

  /// Performs an action in the outside world after this many seconds.
  public func after(_ seconds: Double, _ action: @escaping () -> Void) {
    add(seconds, isOutside: true, action)
  }

  /// Runs a closure. The threads that it starts belong to the world outside the program.
  public func outside<Value>(_ body: () throws -> Value) rethrows -> Value {
    isOutside = true
    defer { isOutside = false }
    return try body()
  }

  /// Runs everything until a condition holds.
  public func run(until condition: () -> Bool) {
    while !condition() { step() }
  }

  /// Ends the program abruptly, like `kill -9`: none of its threads or tasks continues. The world
  /// outside the program keeps running.
  public func kill() {
    killed += entries.filter { !$0.isOutside }.map(\.thread)
    entries.removeAll { !$0.isOutside }
    events.removeAll { !$0.isOutside }
    tasks.removeAll()
  }

  /// Assigns a new boot id, as after a power failure. The boot clock continues, so that times from
  /// different boots never coincide.
  public func reboot() {
    bootID = Self.id(&random)
  }

  private static func id(_ random: inout SplitMix64) -> UniqueID {
    UniqueID(high: random.next(), low: random.next())
  }

  // MARK: Steps

  /// Runs one job of a task, or one iteration of a thread's loop. If neither is ready, jumps to the
  /// next event.
  private func step() {
    if tasks.count > 0 {
      // Ready jobs run in a random order, because a thread pool guarantees no order.
      tasks.run(draw(tasks.count))
    } else if !runThread() {
      advance()
    }
  }

  /// Returns a random number that is at least 0 and less than `count`.
  private func draw(_ count: Int) -> Int {
    count == 1 ? 0 : Int.random(in: 0..<count, using: &random)
  }

  /// Runs one round of a thread's loop if a thread has an event or is due. Returns `false`
  /// otherwise.
  private func runThread() -> Bool {
    guard !entries.isEmpty else { return false }
    let first = draw(entries.count)
    for index in entries.indices {
      let place = (first + index) % entries.count
      let thread = entries[place].thread
      guard !entries[place].isAtWork else { continue }
      guard let due = entries[place].due else {
        prepare(thread)
        return true
      }
      guard due <= boot || hasEvent(thread) else { continue }
      entries[place].due = nil
      work(thread) { thread.round() }
      return true
    }
    return false
  }

  private func hasEvent(_ thread: SimulatedThread) -> Bool {
    guard thread.mayBeReady else { return false }
    thread.mayBeReady = false
    looking = thread
    return thread.isReady()
  }

  /// Determines the time at which a thread's loop is next due to run. Removes a thread that has
  /// ended.
  private func prepare(_ thread: SimulatedThread) {
    let seconds = work(thread) { thread.pause() }
    thread.mayBeReady = true
    guard let place = entries.firstIndex(where: { $0.thread === thread }) else { return }
    if let seconds {
      entries[place].due = time(after: seconds)
    } else {
      entries.remove(at: place)
    }
  }

  /// Runs a thread's work, which may start other threads and wait for them to end.
  private func work<Value>(_ thread: SimulatedThread, _ body: () -> Value) -> Value {
    mark(thread, isAtWork: true)
    defer { mark(thread, isAtWork: false) }
    return body()
  }

  private func mark(_ thread: SimulatedThread, isAtWork: Bool) {
    guard let place = entries.firstIndex(where: { $0.thread === thread }) else { return }
    entries[place].isAtWork = isAtWork
  }

  /// Jumps to the time of the next event, and performs its action.
  private func advance() {
    let thread = entries.lazy.filter { !$0.isAtWork }.compactMap(\.due).min() ?? .max
    let event = events.last?.time ?? .max
    let next = min(thread, event)
    guard next < .max else { preconditionFailure("deadlock: no event is scheduled") }
    boot = max(boot, next)
    if event <= boot { events.removeLast().action() }
  }

  private func time(after seconds: Double) -> Int64 {
    guard seconds.isFinite, seconds < 1e9 else { return .max }
    return boot + Int64((max(0, seconds) * Self.second).rounded(.up))
  }

  /// Adds an event. The list is sorted from latest to earliest.
  private func add(_ seconds: Double, isOutside: Bool, _ action: @escaping () -> Void) {
    order += 1
    let event = Event(
      time: time(after: seconds), order: order, isOutside: isOutside, action: action)
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      if (events[middle].time, events[middle].order) > (event.time, event.order) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    events.insert(event, at: low)
  }
}

extension SimulatedTime: SimulatedComputer {
  package var bootTime: BootTime { BootTime(nanoseconds: boot) }
  package var systemTime: UTCTime { UTCTime(nanoseconds: boot + offset) }
  package var isSystemTimeSynchronised: Bool { true }

  package func start(_ thread: SimulatedThread) {
    entries.append(Entry(thread: thread, isOutside: isOutside))
  }

  package func join(_ thread: SimulatedThread) {
    while entries.contains(where: { $0.thread === thread }) { step() }
  }

  package func opened(_ descriptor: Int32) { descriptors.opened(descriptor) }

  package func connected(_ descriptor: Int32, _ other: Int32) {
    descriptors.connected(descriptor, other)
  }

  package func waits(for descriptor: Int32) {
    if let looking { descriptors.waits(looking, for: descriptor) }
  }

  package func watches(_ descriptor: Int32, in list: Int32) {
    descriptors.watches(descriptor, in: list)
  }

  package func wrote(to descriptor: Int32) { descriptors.wrote(to: descriptor) }

  package func sent(on descriptor: Int32) { descriptors.sent(on: descriptor, at: systemTime) }

  package func takeStamp(of descriptor: Int32) -> UTCTime? {
    descriptors.takeStamp(of: descriptor)
  }

  package func closes(_ descriptor: Int32) { descriptors.closes(descriptor) }

  package func admit(_ operation: FileOperation, in folder: String) -> Int32? {
    onFile?(operation, folder)
  }

  package func wake(_ sleeper: Pause.Sleeper, after seconds: Double) {
    add(seconds, isOutside: false) { sleeper.wake() }
  }
}
