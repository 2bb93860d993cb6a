internal import DBus

extension DaemonLoop {
  /// Seconds after which the controller itself aborts a connection attempt.
  private static let abortSeconds = 0.1

  func serveDevice(_ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    guard
      let index = devices.firstIndex(where: { device in
        device.path == call.path && device.isKnown && adapters[device.adapter].isPresent
      })
    else { throw .unknownObject(call) }
    switch (call.member, call.signature) {
    case ("Connect", ""): return try connect(index, call)
    case ("Disconnect", ""): return try disconnect(index, call)
    case ("Pair", ""): return try pair(index, call)
    case ("CancelPairing", ""): return try cancelPairing(index)
    default: throw .unknownMethod(call)
    }
  }

  /// Schedules an action for a device's link. The action is skipped if the link has changed by
  /// then.
  func after(_ seconds: Double, _ action: DaemonTimers.LinkAction, _ index: Int) {
    timers.add(
      .link(action, device: index, generation: devices[index].generation), at: now + seconds)
  }

  // MARK: Connect

  private func connect(_ index: Int, _ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    judge(connect: call, index)
    guard adapters[devices[index].adapter].isPowered else { throw .notReady }
    switch devices[index].link {
    case .up: return []
    case .connecting: throw settings.version.connectIsRunning
    case .disconnecting: throw .notConnected
    case .down: break
    }
    if faults.swallows(.connect) {
      devices[index].link = .connecting
      return nil
    }
    try attempt(index)
    devices[index].calls.connect = call
    return nil
  }

  /// Starts a connection attempt. Throws if the controller has no free slot for a link.
  func attempt(_ index: Int) throws(DaemonError) {
    let adapter = devices[index].adapter
    let taken = devices(of: adapter).count { devices[$0].takesSlot }
    if let slots = settings.slots, taken >= slots { throw settings.version.controllerIsFull }
    devices[index].link = .connecting
    if faults.takeConnectAbort() || adapters[adapter].confusion != nil {
      after(Self.abortSeconds, .fail(.connectAborted), index)
      return
    }
    after(settings.connectSeconds, .fail(.connectAborted), index)
    if devices[index].peripheral.isAdvertising(at: now) {
      after(Self.linkSeconds, .up, index)
    } else {
      devices[index].awaitsBoard = true
    }
  }

  /// Complains about client behaviour that the daemon allows but that causes connection failures in
  /// the field.
  private func judge(connect call: DaemonCall, _ index: Int) {
    let adapter = devices[index].adapter
    if adapters[adapter].discoverers.contains(call.sender) {
      complain("Connect on \(call.path): the client's own discovery is still running")
    }
    let others = devices(of: adapter).filter { $0 != index }
    if others.contains(where: { devices[$0].calls.connect?.sender == call.sender }) {
      complain("Connect on \(call.path): another Connect is running on this adapter")
    }
  }

  // MARK: Disconnect

  private func disconnect(_ index: Int, _ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    switch devices[index].link {
    case .down:
      throw .notConnected
    case .connecting:
      // Disconnecting cancels the connection attempt. Its pending call fails with
      // br-connection-canceled.
      linkEnded(index, .local)
      return []
    case .disconnecting:
      devices[index].calls.disconnects.append(call)
    case .up:
      devices[index].calls.disconnects.append(call)
      devices[index].link = .disconnecting
      after(settings.graceSeconds + faults.disconnectDelay, .disconnect, index)
    }
    return nil
  }

  // MARK: Pairing

  private func pair(_ index: Int, _ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    let device = devices[index]
    guard adapters[device.adapter].isPowered else { throw .notReady }
    guard !device.isPaired else { throw .alreadyExists }
    guard device.calls.pair == nil else { throw .inProgress }
    switch device.link {
    case .up: after(settings.pairingSeconds, .pair, index)
    case .down: try attempt(index)
    case .connecting: break
    case .disconnecting: throw .notConnected
    }
    devices[index].calls.pair = call
    return nil
  }

  private func cancelPairing(_ index: Int) throws(DaemonError) -> [BusValue] {
    guard let call = devices[index].calls.pair else { throw .doesNotExist }
    devices[index].calls.pair = nil
    refuse(call, .authenticationCanceled)
    return []
  }

  /// Completes a pairing after the board's response. An agent must be registered, although it is
  /// never called.
  func finishPairing(_ index: Int) {
    guard let call = devices[index].calls.pair else { return }
    devices[index].calls.pair = nil
    guard agents.serves(call.sender) else {
      refuse(call, .authenticationFailed)
      return
    }
    devices[index].isPaired = true
    deviceChanged(index, "Paired", "Bonded")
    answer(call)
  }
}
