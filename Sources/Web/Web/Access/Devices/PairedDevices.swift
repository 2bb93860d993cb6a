internal import LinuxSystem
public import Values

/// The paired devices of a running gateway: those in the file, whoever changed it last.
///
/// Any thread may call it. A question looks at the file by one `stat`, and reads it when another
/// process has replaced it or written into it. So `footbridge web forget` counts from the next
/// question on. Answers that go on, such as a stream of events, ask once a second, or are called by
/// `observe`.
///
///     let devices = PairedDevices(DeviceFile(besides: store))
///     let token = try devices.pair("my phone", role: .look, at: nil, using: &generator)
///     let phone = devices.device(of: [token], at: nil)
public final class PairedDevices: Sendable {
  private struct State: ~Copyable {
    var list = DeviceList()
    /// The file that the list comes from; `nil` if there was none.
    var version: FileVersion?
    /// That file, open: while it is, its number belongs to no other file.
    var descriptor: OwnedDescriptor?
    /// The latest fault, until the file was read well again.
    var fault: DeviceFileFault?
    /// Whether the file is still there, and unreadable.
    var isUnreadable = false
    /// Devices that were seen and whose times are not in the file yet, the latest last.
    var sightings: [DeviceMark: UTCTime?] = [:]
    var order: [DeviceMark] = []
    var isWorthKeeping = false
    var generation = 0
    var observers: [Int: @Sendable () -> Void] = [:]
    var lastObserver = 0
  }

  /// The file.
  public let file: DeviceFile
  private let state = Guarded(State())

  /// The devices in a file, which is read now.
  public init(_ file: DeviceFile) {
    self.file = file
    refresh()
  }

  /// The devices, the one seen last first.
  public var list: [PairedDevice] {
    refresh()
    return state.withLock { $0.list.devices }
  }

  /// Why nobody is paired, or why a former list was lost.
  public var fault: DeviceFileFault? {
    refresh()
    return state.withLock { $0.fault }
  }

  /// A number that grows with each change of the devices, also with one by another process.
  public var generation: Int {
    refresh()
    return state.withLock { $0.generation }
  }

  /// The device with one of these tokens, of which a request may bring several. It counts as seen.
  ///
  /// - Parameter now: the present time; `nil` if the clock is not trusted.
  public func device(of tokens: [DeviceToken], at now: UTCTime?) -> PairedDevice? {
    refresh()
    let marks = tokens.map(\.mark)
    return state.withLock { state in
      guard let mark = marks.first(where: { state.list[$0] != nil }) else { return nil }
      if state.list.saw(mark, at: now) { state.isWorthKeeping = true }
      state.order.removeAll { $0 == mark }
      state.order.append(mark)
      if let now { state.sightings[mark] = now }
      return state.list[mark]
    }
  }

  /// Whether a device is still paired with the role that it had, for an answer that goes on.
  public func isStillPaired(_ device: PairedDevice) -> Bool {
    refresh()
    return state.withLock { $0.list[device.mark]?.role == device.role }
  }

  /// Pairs a browser: the token is for its cookie and kept nowhere else. Waits for the disk.
  public func pair(
    _ name: String, role: AccessRole, at now: UTCTime?,
    using generator: inout some RandomNumberGenerator
  ) throws(DeviceFileFault) -> DeviceToken {
    let token = DeviceToken(using: &generator)
    let device = PairedDevice(token.mark, name: name, role: role, at: now)
    try change { $0.add(device) }
    return token
  }

  /// Forgets the devices with this id, or else with this name. Returns them. Waits for the disk.
  public func forget(_ idOrName: String) throws(DeviceFileFault) -> [PairedDevice] {
    try change { $0.forget(idOrName) }
  }

  /// Forgets a device, as when its user leaves. Waits for the disk.
  public func forget(_ device: PairedDevice) throws(DeviceFileFault) {
    _ = try change { $0.forget(device.mark) }
  }

  /// Forgets all devices. Returns how many there were. Waits for the disk, and needs no room on it.
  public func forgetAll() throws(DeviceFileFault) -> Int {
    let count = list.count
    do throws(DeviceFileFault) {
      return try change { list in
        defer { list.forgetAll() }
        return list.devices.count
      }
    } catch {
      // A full disk must not keep a stolen phone paired.
      guard file.remove() else { throw error }
      refresh()
      return count
    }
  }

  /// Writes down when devices were seen, if that is worth a write: to be called now and then, and
  /// at the end, by a thread that may wait for the disk.
  public func keepSightings() throws(DeviceFileFault) {
    guard state.withLock({ $0.isWorthKeeping }) else { return }
    try change { _ in }
  }

  /// Calls `body` after each change of the devices, on the thread that made or noticed it. Returns
  /// a number for `stopObserving`.
  public func observe(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = body
      return state.lastObserver
    }
  }

  /// Ends calls that `observe` began. One may still be under way.
  public func stopObserving(_ number: Int) {
    state.withLock { $0.observers[number] = nil }
  }

  /// Reads the file again if another process has changed it.
  public func refresh() {
    // Compared without the lock, which must not be held while a disk is asked.
    let version = FileVersion(file.path)
    let isKnown = state.withLock { $0.version == version && !$0.isUnreadable }
    if isKnown { return }
    let reading = file.read()
    if case .damaged = reading.fault {
      take(file.setDamagedAside())
    } else {
      take(reading)
    }
  }

  @discardableResult
  private func change<Outcome: Sendable>(
    _ body: (inout DeviceList) -> Outcome
  ) throws(DeviceFileFault) -> Outcome {
    refresh()
    let (order, times) = state.withLock { ($0.order, $0.sightings) }
    let outcome = try file.change { list in
      for mark in order { list.saw(mark, at: times[mark] ?? nil) }
      return body(&list)
    }
    state.withLock { state in
      state.order.removeAll { order.contains($0) }
      for mark in order { state.sightings[mark] = nil }
      state.isWorthKeeping = false
    }
    refresh()
    return outcome
  }

  /// Takes over what was read. If an older reading comes last, the next question finds another file
  /// than that, and reads again.
  private func take(_ reading: consuming DeviceFile.Reading) {
    let list = reading.list
    let fault = reading.fault
    var descriptor = reading.descriptor.take()
    let version = reading.version
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      let former = state.list
      state.list = list
      // Sightings since the file was written count for the order.
      for mark in state.order { state.list.saw(mark, at: state.sightings[mark] ?? nil) }
      state.version = version
      state.descriptor = descriptor.take()
      if fault != nil || version != nil { state.fault = fault }
      state.isUnreadable = fault != nil && (version != nil || !Self.isSetAside(fault))
      guard Self.access(of: former) != Self.access(of: list) else { return [] }
      state.generation += 1
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Who may do what. When devices were seen is no change of that.
  private static func access(of list: DeviceList) -> [DeviceMark: AccessRole] {
    Dictionary(uniqueKeysWithValues: list.devices.map { ($0.mark, $0.role) })
  }

  private static func isSetAside(_ fault: DeviceFileFault?) -> Bool {
    if case .damaged(_, .some) = fault { true } else { false }
  }
}
