internal import DBus
internal import LinuxSystem
internal import MetaWearProtocol

extension DaemonLoop {
  /// Seconds that a client has to notice that a link has dropped.
  private static let hearsaySeconds = 1.0

  func serveCharacteristic(_ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    let found = devices.indices.lazy.compactMap { [devices] index in
      devices[index].attribute(at: call.path).map { (index, $0) }
    }.first
    guard let (index, attribute) = found else {
      judge(lost: call)
      throw .unknownObject(call)
    }
    guard devices[index].link == .up else { throw .linkLost }
    if devices[index].peripheral.demandsBonding, !devices[index].isPaired { throw .notPaired }
    switch (call.member, call.signature) {
    case ("ReadValue", "a{sv}"): try read(index, attribute, call)
    case ("WriteValue", "aya{sv}"): return try write(index, attribute, call)
    case ("AcquireNotify", "a{sv}"): try acquireNotify(index, attribute, call)
    case ("StartNotify", ""): try startNotify(index, attribute, call)
    case ("StopNotify", ""): try stopNotify(index, call)
    case ("AcquireWrite", "a{sv}"): throw .notSupported
    default: throw .unknownMethod(call)
    }
    return nil
  }

  private func judge(lost call: DaemonCall) {
    let device = devices.first { call.path.hasPrefix($0.path + "/") }
    if let device, device.link == .down, now > device.lastLinked + Self.hearsaySeconds {
      complain("\(call.member) on \(call.path): the link was lost some time ago")
    }
  }

  // MARK: Values

  private func read(
    _ index: Int, _ attribute: GATTTable.Attribute, _ call: DaemonCall
  ) throws(DaemonError) {
    guard attribute.flags.contains("read") else { throw .notSupported }
    guard devices[index].calls.request == nil else { throw .inProgress }
    devices[index].calls.request = call
    after(settings.latencySeconds, .finish(call, .read(attribute)), index)
  }

  /// Writes a command or a request. A command is answered as soon as it is queued, and overtakes
  /// pending requests. A request is answered once it has reached the board.
  private func write(
    _ index: Int, _ attribute: GATTTable.Attribute, _ call: DaemonCall
  ) throws(DaemonError) -> [BusValue]? {
    guard case .command = attribute.role else { throw .notSupported }
    guard let bytes = call.arguments.first?.byteArray else { throw .invalidArguments }
    let type = call.arguments[1].properties?["type"]?.text ?? "request"
    guard ["command", "request"].contains(type) else { throw .invalidArguments }
    guard bytes.count <= Int(SimulatedDaemon.mtu) - 3 else {
      throw .failed("Failed to initiate write")
    }
    judge(write: call, index)
    if type == "command" {
      if let request = devices[index].calls.request, request.sender == call.sender,
        request.path == call.path
      {
        complain("WriteValue on \(call.path): a command overtakes a pending request")
      }
      give(bytes, to: index)
      return []
    }
    guard devices[index].calls.request == nil else { throw .inProgress }
    devices[index].calls.request = call
    after(settings.latencySeconds, .finish(call, .write(bytes)), index)
    return nil
  }

  private func judge(write call: DaemonCall, _ index: Int) {
    guard !devices[index].isComplainedOf, !devices[index].peripheral.isAcquiredByOther else {
      return
    }
    switch devices[index].listener {
    case .nobody, .acquiring:
      devices[index].isComplainedOf = true
      complain("WriteValue on \(call.path): the first replies are lost; subscribe first")
    case .socket, .signals: break
    }
  }

  private func give(_ bytes: [UInt8], to index: Int) {
    guard let board = peripherals.firstIndex(where: { $0 === devices[index].peripheral }) else {
      return
    }
    advance(board)
    peripherals[board].board.receive(bytes, at: now)
    advance(board)
  }

  /// Handles the board's response when it arrives.
  func finish(_ call: DaemonCall, _ operation: GATTOperation, _ index: Int) {
    devices[index].calls.subscriptions.removeAll { $0 === call }
    switch operation {
    case .read(let attribute):
      devices[index].calls.request = nil
      let value = value(of: attribute, index)
      // Clients that are waiting for notifications of this characteristic also receive the value.
      changed(BlueZInterface.characteristic, of: call.path, ["Value": .bytes(value)])
      answer(call, [.bytes(value)])
    case .write(let bytes):
      devices[index].calls.request = nil
      give(bytes, to: index)
      answer(call)
    case .acquireNotify: finishAcquiring(index, call)
    case .startNotify:
      if case .signals = devices[index].listener { listen(index, true) }
      answer(call)
    case .stopNotify:
      if !faults.swallows(.stopNotify) { answer(call) }
    }
  }

  private func value(of attribute: GATTTable.Attribute, _ index: Int) -> [UInt8] {
    switch attribute.role {
    case .text(let text): Array(text.utf8)
    case .batteryLevel: [devices[index].board.battery.percent]
    case .command, .notify, .firmwareUpdate: []
    }
  }
}
