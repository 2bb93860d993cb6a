internal import DBus
internal import LinuxSystem

// Delivers notifications, either over a socket to one client or as signals to several clients.
extension DaemonLoop {
  func acquireNotify(
    _ index: Int, _ attribute: GATTTable.Attribute, _ call: DaemonCall
  ) throws(DaemonError) {
    guard case .notify = attribute.role else { throw .notSupported }
    guard !devices[index].isAcquired else { throw .notifyAcquired }
    guard case .nobody = devices[index].listener else { throw .inProgress }
    if faults.swallows(.acquireNotify) {
      devices[index].isStuckAcquired = settings.version.keepsAcquired
      return
    }
    devices[index].listener = .acquiring
    devices[index].calls.subscriptions.append(call)
    // The board may send notifications before its response to the subscription arrives.
    if faults.earlySeconds > 0 { devices[index].board.isNotifying = true }
    after(settings.latencySeconds + faults.earlySeconds, .finish(call, .acquireNotify), index)
  }

  func finishAcquiring(_ index: Int, _ call: DaemonCall) {
    do {
      var given: DescriptorBox?
      let kept = try OwnedDescriptor.packetSocketPair().split { given = DescriptorBox($0) }
      devices[index].listener = .socket(NotifyEnd(kept, of: call.sender))
      listen(index, true)
      if let given { answer(call, [.descriptor(given), .uint16(SimulatedDaemon.mtu)]) }
    } catch {
      devices[index].listener = .nobody
      refuse(call, .failed("\(error)"))
    }
  }

  func startNotify(
    _ index: Int, _ attribute: GATTTable.Attribute, _ call: DaemonCall
  ) throws(DaemonError) {
    guard case .notify = attribute.role else { throw .notSupported }
    guard !devices[index].isAcquired else { throw .notifyAcquired }
    var clients: Set<String> = []
    if case .signals(let others) = devices[index].listener { clients = others }
    guard clients.insert(call.sender).inserted else { throw .inProgress }
    devices[index].listener = .signals(clients)
    devices[index].rearmed.insert(call.sender)
    devices[index].calls.subscriptions.append(call)
    after(settings.latencySeconds, .finish(call, .startNotify), index)
  }

  func stopNotify(_ index: Int, _ call: DaemonCall) throws(DaemonError) {
    guard case .signals(let clients) = devices[index].listener, clients.contains(call.sender)
    else { throw .failed("No notify session started") }
    devices[index].rearmed.remove(call.sender)
    removeListener(call.sender, from: index)
    devices[index].calls.subscriptions.append(call)
    after(settings.latencySeconds + faults.stopNotifyDelay, .finish(call, .stopNotify), index)
  }

  func removeListener(_ client: String, from index: Int) {
    guard case .signals(var clients) = devices[index].listener,
      clients.remove(client) != nil
    else { return }
    devices[index].listener = clients.isEmpty ? .nobody : .signals(clients)
    if clients.isEmpty { listen(index, false) }
  }

  /// Stops notifications after the client has closed the notify socket.
  func releaseNotify(_ index: Int) {
    guard case .socket = devices[index].listener else { return }
    devices[index].listener = .nobody
    listen(index, false)
  }

  /// Handles a client's write to the notify socket, which has no effect.
  func takeWritten(_ index: Int) {
    guard case .socket(let end) = devices[index].listener else { return }
    var bytes = [UInt8](repeating: 0, count: 512)
    while end.descriptor.read(into: &bytes) > 0 {}
    complain("the notify socket of \(devices[index].path) was written to, which has no effect")
  }

  /// Restarts the notifications that clients started on earlier links and never stopped.
  func rearm(_ index: Int) {
    guard !devices[index].rearmed.isEmpty else { return }
    devices[index].listener = .signals(devices[index].rearmed)
    listen(index, true)
  }

  /// Switches the board's notifications on or off, and signals the change.
  func listen(_ index: Int, _ isOn: Bool) {
    devices[index].board.isNotifying = isOn
    if isOn { devices[index].subscribedAt = now }
    guard let path = devices[index].notifyPath else { return }
    changed(
      BlueZInterface.characteristic, of: path,
      [
        "NotifyAcquired": .boolean(devices[index].isAcquired), "Notifying": .boolean(isOn),
      ])
  }

  /// Delivers a notification to its listener. Returns `false` if no listener received it. If the
  /// socket is full, the notification is dropped silently, as with the real daemon.
  @discardableResult
  func deliver(_ bytes: [UInt8], from index: Int) -> Bool {
    switch devices[index].listener {
    case .nobody:
      return false
    case .acquiring:
      devices[index].peripheral.dropped += 1
      return false
    case .socket(let end):
      guard end.descriptor.send(bytes) != bytes.count else { return true }
      devices[index].peripheral.dropped += 1
      return false
    case .signals:
      devices[index].lastValue = bytes
      guard let path = devices[index].notifyPath else { return false }
      changed(BlueZInterface.characteristic, of: path, ["Value": .bytes(bytes)])
      return true
    }
  }
}
