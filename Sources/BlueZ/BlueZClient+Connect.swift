internal import DBus
internal import LinuxSystem

extension BlueZClient {
  /// Attempts at a link before giving up; the first ones often fail at range or near Wi-Fi.
  static let connectAttempts = 4

  /// Links a device and waits until its services are known.
  ///
  /// Call it for one device of an adapter at a time, with discovery off.
  public func connect(
    _ device: Device, onRetry: @Sendable (_ attempt: Int, _ reason: String) -> Void = { _, _ in }
  ) async throws(BlueZError) -> DeviceLink {
    var reason = "given up"
    for number in 1...Self.connectAttempts {
      if Task.isCancelled { break }
      do throws(BusError) {
        try await askForLink(device)
        let link = try await resolve(device)
        // Nobody would take a link that came up while it was being given up.
        if Task.isCancelled { break }
        return link
      } catch {
        guard case .retry(let pause) = ConnectFailure(error) else {
          await giveUp(device)
          throw BlueZError(error)
        }
        reason = error.message
        onRetry(number, reason)
        try? await Task.sleep(for: .seconds(pause))
      }
    }
    await giveUp(device)
    throw BlueZError(
      .connectFailed, "cannot connect to \(device.address): \(reason)",
      remedy: "bring the board nearer, check its battery, and see that no phone holds it")
  }

  /// Asks for the link; when our task is cancelled meanwhile, the asking is too.
  private func askForLink(_ device: Device) async throws(BusError) {
    let connect = BusCall(
      "Connect", on: device.path, of: BlueZName.device, at: BlueZName.service, deadline: 40)
    let withdrawal = Guarded<Task<Void, Never>?>(nil)
    let outcome = await withTaskCancellationHandler {
      do throws(BusError) {
        return Result<[BusValue], BusError>.success(
          try await attempt(connect))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      withdrawal.withLock { $0 = Task { await giveUp(device) } }
    }
    // It must not reach the daemon after whatever our caller does next.
    await withdrawal.withLock { $0 }?.value
    _ = try outcome.get()
  }

  /// Takes the wish for a link back, whether it is up by now or not: the daemon would keep it.
  private func giveUp(_ device: Device) async {
    _ = try? await attempt(
      BusCall(
        "Disconnect", on: device.path, of: BlueZName.device, at: BlueZName.service, deadline: 6))
  }

  private func resolve(_ device: Device) async throws(BusError) -> DeviceLink {
    let path = device.path
    // The answer to Connect may overtake the signals that tell what it brought.
    _ = await wait(seconds: 2) { $0.device(at: path)?.isConnected == true }
    // A link that goes away again ends the wait at once.
    _ = await wait(seconds: 15) { tree in
      guard let device = tree.device(at: path), device.isConnected else { return true }
      return device.areServicesResolved
    }
    guard let now = objects.device(at: path), now.isConnected, now.areServicesResolved else {
      throw BusError(
        name: BlueZName.errorPrefix + "Failed", message: "services were not resolved",
        operation: "Connect on \(path)")
    }
    return DeviceLink(
      client: self, device: now, characteristics: objects.characteristics(ofDevice: path))
  }
}

/// What to do about a `Connect` that failed.
enum ConnectFailure {
  /// Try again after a pause of this many seconds.
  case retry(pause: Double)
  /// It will fail again.
  case final

  init(_ error: BusError) {
    let transient = [
      "le-connection-abort-by-local", "br-connection-canceled", "services were not resolved",
      "Operation already in progress", "Software caused connection abort",
    ]
    switch error.name.dropFirst(BlueZName.errorPrefix.count) {
    case "InProgress":
      self = .retry(pause: 0.5)
    case "Failed" where transient.contains(error.message) || error.message.hasPrefix("le-"):
      self = .retry(pause: 0.25)
    default:
      self = .final
    }
  }
}
