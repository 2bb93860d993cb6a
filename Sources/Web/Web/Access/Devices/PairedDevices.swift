internal import LinuxSystem
public import Values

/// The paired devices of a running gateway, as in the file, whichever process changed it last.
///
/// Any thread may call it. A query checks the file with one `stat`, and reads it when another
/// process has replaced it or written to it. So `footbridge web forget` takes effect at the next
/// query. Lasting answers, such as a stream of events, query once a second, or are called by
/// `observe`.
///
///     let devices = PairedDevices(DeviceFile(besides: store))
///     let token = try devices.pair("my phone", role: .look, at: nil, using: &generator)
///     let phone = devices.device(of: [token], at: nil)
public final class PairedDevices: Sendable {
  private struct State: ~Copyable {
    var list = DeviceList()
    /// The version of the file that the list comes from; `nil` if there was none.
    var version: FileVersion?
    /// That file, kept open so that no other file gets its inode number.
    var descriptor: OwnedDescriptor?
    /// The latest fault, until the file is read successfully.
    var fault: DeviceFileFault?
    /// Whether the file exists but is unreadable.
    var isUnreadable = false
    /// Devices seen since the file was written, latest last.
    var sightings: [DeviceMark: UTCTime?] = [:]
    var order: [DeviceMark] = []
    var isWorthKeeping = false
    var generation = 0
    var observers: [Int: @Sendable () -> Void] = [:]
    var lastObserver = 0
  }

  public let file: DeviceFile
  private let state = Guarded(State())

  /// The devices in a file, which is read at once.
  public init(_ file: DeviceFile) {
    self.file = file
    refresh()
  }

  /// The devices, most recently seen first.
  public var list: [PairedDevice] {
    refresh()
    return state.withLock { $0.list.devices }
  }

  /// The reason why no device is paired, or why a former list was lost.
  public var fault: DeviceFileFault? {
    refresh()
    return state.withLock { $0.fault }
  }

  /// A number that grows with each change of the devices, including changes by another process.
  public var generation: Int {
    refresh()
    return state.withLock { $0.generation }
  }

  /// The device with one of these tokens, since a request may carry several. It counts as seen.
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

  /// Whether a device is still paired with the same role, for a lasting answer.
  public func isStillPaired(_ device: PairedDevice) -> Bool {
    refresh()
    return state.withLock { $0.list[device.mark]?.role == device.role }
  }

  /// Pairs a browser. The token is for its cookie, and stored nowhere else. Waits for the disk.
  public func pair(
    _ name: String, role: AccessRole, at now: UTCTime?,
    using generator: inout some RandomNumberGenerator
  ) throws(DeviceFileFault) -> DeviceToken {
    let token = DeviceToken(using: &generator)
    let device = PairedDevice(token.mark, name: name, role: role, at: now)
    try change { $0.add(device) }
    return token
  }

  /// Forgets the devices with this id, or else with this name, and returns them. Waits for the
  /// disk.
  public func forget(_ idOrName: String) throws(DeviceFileFault) -> [PairedDevice] {
    try change { $0.forget(idOrName) }
  }

  /// Forgets a device, for example when its user leaves. Waits for the disk.
  public func forget(_ device: PairedDevice) throws(DeviceFileFault) {
    _ = try change { $0.forget(device.mark) }
  }

  /// Forgets all devices and returns their number. Waits for the disk, and needs no free space.
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

  /// Writes the times of sightings, if that is worth a write. To be called from time to time and at
  /// the end, on a thread that may wait for the disk.
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

  /// Ends the calls of an `observe`. One call may still be under way.
  public func stopObserving(_ number: Int) {
    state.withLock { $0.observers[number] = nil }
  }

  /// Reads the file again if another process has changed it.
  public func refresh() {
    // Compared without the lock, which must not be held while waiting for a disk.
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

  /// Stores a reading. If an older one arrives last, the next query finds a newer file and reads
  /// again.
  private func take(_ reading: consuming DeviceFile.Reading) {
    let list = reading.list
    let fault = reading.fault
    var descriptor = reading.descriptor.take()
    let version = reading.version
    let observers = state.withLock { state -> [@Sendable () -> Void] in
      let former = state.list
      state.list = list
      // Sightings since the file was written affect the order.
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

  /// The roles by device. Times of sightings are not part of this.
  private static func access(of list: DeviceList) -> [DeviceMark: AccessRole] {
    Dictionary(uniqueKeysWithValues: list.devices.map { ($0.mark, $0.role) })
  }

  private static func isSetAside(_ fault: DeviceFileFault?) -> Bool {
    if case .damaged(_, .some) = fault { true } else { false }
  }
}
