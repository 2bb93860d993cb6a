internal import LinuxSystem
public import Values

/// The paired devices of a running gateway. They always match the file, even if another process
/// changed it.
///
/// Any thread may use this object. A query checks the file with one `stat` call, and reads the file
/// again if another process has replaced or changed it. `footbridge web forget` therefore takes
/// effect at the next query. Long-lived responses, such as a stream of events, query once per
/// second, or are notified through `observe`.
///
///     let devices = PairedDevices(DeviceFile(besides: store))
///     let token = try devices.pair("my phone", role: .look, at: nil)
///     let phone = devices.device(of: [token], at: nil)
public final class PairedDevices: Sendable {
  private struct State: ~Copyable {
    var list = DeviceList()
    /// The version of the file that the list was read from; `nil` if there was no file.
    var version: FileVersion?
    /// The file that the list was read from. It stays open, so that no other file can get its inode
    /// number.
    var descriptor: OwnedDescriptor?
    /// The latest fault. Cleared when the file is read successfully.
    var fault: DeviceFileFault?
    /// Whether the file exists but is unreadable.
    var isUnreadable = false
    /// Devices seen since the file was written, the most recently seen last.
    var sightings: [DeviceMark: UTCTime?] = [:]
    var order: [DeviceMark] = []
    var isWorthKeeping = false
    var generation = 0
    var observers: [Int: @Sendable () -> Void] = [:]
    var lastObserver = 0
  }

  public let file: DeviceFile
  private let state = Guarded(State())

  public init(_ file: DeviceFile) {
    self.file = file
    refresh()
  }

  /// The devices, most recently seen first.
  public var list: [PairedDevice] {
    refresh()
    return state.withLock { $0.list.devices }
  }

  /// The reason that no device is paired, or that an earlier list was lost.
  public var fault: DeviceFileFault? {
    refresh()
    return state.withLock { $0.fault }
  }

  /// A number that increases with each change to the devices, including changes by other processes.
  public var generation: Int {
    refresh()
    return state.withLock { $0.generation }
  }

  /// Returns the device with one of these tokens, and records that the device was seen. A request
  /// may contain several tokens.
  ///
  /// - Parameter now: The current time; `nil` if the clock is not trusted.
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

  /// Returns whether a device is still paired with the same role. Long-lived responses check this
  /// repeatedly.
  public func isStillPaired(_ device: PairedDevice) -> Bool {
    refresh()
    return state.withLock { $0.list[device.mark]?.role == device.role }
  }

  /// Pairs a browser. Returns the token for its cookie, which is stored nowhere else. Waits for the
  /// disk.
  public func pair(
    _ name: String, role: AccessRole, at now: UTCTime?
  ) throws(DeviceFileFault) -> DeviceToken {
    let token = DeviceToken()
    let device = PairedDevice(token.mark, name: name, role: role, at: now)
    try change { $0.add(device) }
    return token
  }

  /// Removes and returns the devices with this id or, if there are none, with this name. Waits for
  /// the disk.
  public func forget(_ idOrName: String) throws(DeviceFileFault) -> [PairedDevice] {
    try change { $0.forget(idOrName) }
  }

  /// Removes a device, for example when its user signs out. Waits for the disk.
  public func forget(_ device: PairedDevice) throws(DeviceFileFault) {
    _ = try change { $0.forget(device.mark) }
  }

  /// Removes all devices and returns their number. Waits for the disk, but needs no free space.
  public func forgetAll() throws(DeviceFileFault) -> Int {
    let count = list.count
    do throws(DeviceFileFault) {
      return try change { list in
        defer { list.forgetAll() }
        return list.devices.count
      }
    } catch {
      // A full disk must not prevent a stolen phone from being removed.
      guard file.remove() else { throw error }
      refresh()
      return count
    }
  }

  /// Writes the sightings' times to the disk if they are worth writing. Call this periodically and
  /// before exit, on a thread that may wait for the disk.
  public func keepSightings() throws(DeviceFileFault) {
    guard state.withLock({ $0.isWorthKeeping }) else { return }
    try change { _ in }
  }

  /// Calls `body` after each change to the devices, on the thread that made or noticed the change.
  /// Returns a number for `stopObserving`.
  public func observe(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = body
      return state.lastObserver
    }
  }

  /// Stops the calls that `observe` requested. The last call may still be running when this method
  /// returns.
  public func stopObserving(_ number: Int) {
    state.withLock { $0.observers[number] = nil }
  }

  /// Reads the file again if another process has changed it.
  public func refresh() {
    // The versions are compared without holding the lock, because threads must not wait for a disk
    // while they hold the lock.
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

  /// Stores a reading of the device file. If an outdated reading is stored last, the next query
  /// detects that the file is newer and reads it.
  private func take(_ reading: consuming DeviceFile.Reading) {
    let list = reading.list
    let fault = reading.fault
    var descriptor = reading.descriptor.take()
    let version = reading.version
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      let former = state.list
      state.list = list
      // The order must also reflect devices seen since the file was written.
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

  /// Returns each device's role, without the times of sightings.
  private static func access(of list: DeviceList) -> [DeviceMark: AccessRole] {
    Dictionary(uniqueKeysWithValues: list.devices.map { ($0.mark, $0.role) })
  }

  private static func isSetAside(_ fault: DeviceFileFault?) -> Bool {
    if case .damaged(_, .some) = fault { true } else { false }
  }
}
