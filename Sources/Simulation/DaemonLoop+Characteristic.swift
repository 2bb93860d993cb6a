internal import DBus
internal import LinuxSystem
internal import MetaWearProtocol

extension DaemonLoop {
  func serveCharacteristic(_ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    let found = devices.indices.lazy.compactMap { [devices] index in
      devices[index].attribute(at: call.path).map { (index, $0) }
    }.first
    guard let (index, attribute) = found else { throw .unknownObject(call) }
    guard devices[index].link == .up else { throw .failed("Not connected") }
    switch call.member {
    case "ReadValue": return [.bytes(try read(index, attribute))]
    case "WriteValue": try write(index, attribute, call)
    case "AcquireNotify": return try acquireNotify(index, attribute)
    case "StartNotify": try startNotify(index, attribute, call)
    case "StopNotify": try stopNotify(index, call)
    case "AcquireWrite": throw .notSupported
    default: throw .unknownMethod(call)
    }
    return []
  }

  private func read(_ index: Int, _ attribute: GATTTable.Attribute) throws(DaemonError) -> [UInt8] {
    switch attribute.role {
    case .text(let text): Array(text.utf8)
    case .batteryLevel: [devices[index].board.battery.percent]
    case .command, .notify, .firmwareUpdate: throw .notSupported
    }
  }

  private func write(
    _ index: Int, _ attribute: GATTTable.Attribute, _ call: DaemonCall
  ) throws(DaemonError) {
    guard case .command = attribute.role else { throw .notSupported }
    guard let bytes = call.arguments.first?.byteArray else { throw .invalidArguments }
    guard bytes.count <= Int(SimulatedDaemon.mtu) - 3 else {
      throw .failed("Failed to initiate write")
    }
    advance(index)
    devices[index].board.receive(bytes, at: now)
    advance(index)
  }

  // MARK: Notifications

  private func acquireNotify(
    _ index: Int, _ attribute: GATTTable.Attribute
  ) throws(DaemonError) -> [BusValue] {
    guard case .notify = attribute.role else { throw .notSupported }
    switch devices[index].listener {
    case .socket: throw .notifyAcquired
    case .signals: throw .inProgress
    case .nobody: break
    }
    do {
      var given: DescriptorBox?
      let kept = try OwnedDescriptor.packetSocketPair().split { given = DescriptorBox($0) }
      guard let given else { throw DaemonError.failed("no descriptor") }
      devices[index].listener = .socket(NotifyEnd(kept))
      listen(index, true)
      return [.descriptor(given), .uint16(SimulatedDaemon.mtu)]
    } catch {
      throw .failed("\(error)")
    }
  }

  private func startNotify(
    _ index: Int, _ attribute: GATTTable.Attribute, _ call: DaemonCall
  ) throws(DaemonError) {
    guard case .notify = attribute.role else { throw .notSupported }
    switch devices[index].listener {
    case .socket: throw .notifyAcquired
    case .signals(var clients):
      guard clients.insert(call.sender).inserted else { throw .inProgress }
      devices[index].listener = .signals(clients)
    case .nobody:
      devices[index].listener = .signals([call.sender])
      listen(index, true)
    }
  }

  private func stopNotify(_ index: Int, _ call: DaemonCall) throws(DaemonError) {
    guard case .signals(let clients) = devices[index].listener, clients.contains(call.sender)
    else { throw .failed("No notify session started") }
    removeListener(call.sender, from: index)
  }

  func removeListener(_ client: String, from index: Int) {
    guard case .signals(var clients) = devices[index].listener,
      clients.remove(client) != nil
    else { return }
    devices[index].listener = clients.isEmpty ? .nobody : .signals(clients)
    if clients.isEmpty { listen(index, false) }
  }

  /// The holder of the notify socket closed it.
  func releaseNotify(_ index: Int) {
    guard case .socket = devices[index].listener else { return }
    devices[index].listener = .nobody
    listen(index, false)
  }

  /// Switches the board's notifications and tells everybody.
  private func listen(_ index: Int, _ isOn: Bool) {
    devices[index].board.isNotifying = isOn
    guard let path = devices[index].notifyPath else { return }
    changed(
      BlueZInterface.characteristic, of: path,
      [
        "NotifyAcquired": .boolean(devices[index].isAcquired), "Notifying": .boolean(isOn),
      ])
  }

  /// Hands a notification to whoever listens. A full socket drops it without a word, as the real
  /// daemon does.
  func deliver(_ bytes: [UInt8], from index: Int) {
    switch devices[index].listener {
    case .nobody:
      break
    case .socket(let end):
      if end.descriptor.send(bytes) != bytes.count { devices[index].dropped += 1 }
    case .signals:
      devices[index].lastValue = bytes
      guard let path = devices[index].notifyPath else { return }
      changed(BlueZInterface.characteristic, of: path, ["Value": .bytes(bytes)])
    }
  }
}
