internal import DBus
internal import LinuxSystem
internal import Values

/// Enables notifications from a linked board.
extension BlueZRadio {
  /// Maximum time, in seconds, between the removal of a link's objects and the daemon's report that
  /// the link has dropped.
  private static let hearsaySeconds = 0.5

  /// Returns `nil` if the caller must wait for another link.
  func subscribe(
    _ board: BoardAddress, _ path: String, mayPair: Bool
  ) async -> Result<DeviceLink?, BlueZError> {
    guard let (device, characteristics) = await client.device(at: path),
      let notify = characteristics.first(where: { $0.uuid == settings.shape.notify })
    else {
      // The daemon is reading the attributes again. Only a new link shows when the attributes are
      // complete.
      await release(board)
      return .success(nil)
    }
    let way = ways[board] ?? .descriptor
    do throws(BusError) {
      return try await .success(open(way, notify.path, device, characteristics))
    } catch {
      let refusal = await refusal(error, of: path)
      switch way.next(after: refusal, isNotifying: notify.isNotifying) {
      case .signals:
        tellOfSignals(board, error)
        return await subscribe(board, path, mayPair: mayPair)
      case .renewal:
        tellOfSignals(board, error)
        handle(.renew(board))
        return .success(nil)
      case .pairing where mayPair:
        do throws(BlueZError) { try await pair(path) } catch { return .failure(error) }
        return await subscribe(board, path, mayPair: false)
      case .linkLost:
        await release(board)
        return .success(nil)
      case .held:
        return .failure(
          BlueZError(
            .held, "another program on this computer uses \(board) (\(error.message))",
            remedy: BlueZError.endOther))
      case .pairing:
        return .failure(
          BlueZError(
            .notPaired, "\(board) must be paired first",
            remedy: "pair it with 'footbridge pair \(board)'"))
      case .failure:
        return .failure(BlueZError(error))
      }
    }
  }

  /// Returns the reason a subscription was refused. When a link drops, BlueZ removes the link's
  /// objects, so a call fails with "unknown method". If the daemon exits, the call fails with
  /// `NoReply`. Either error may arrive before the signal that the link has dropped, so the method
  /// waits briefly for that signal.
  private func refusal(_ error: BusError, of device: String) async -> Refusal {
    let refusal = Refusal(error)
    guard [.gone, .unanswered].contains(refusal.kind),
      await client.wait(
        seconds: Self.hearsaySeconds, until: { $0.device(at: device)?.isConnected != true })
    else { return refusal }
    return Refusal(.linkLost, refusal.text)
  }

  private func open(
    _ way: SubscriptionWay, _ notify: String, _ device: Device, _ characteristics: [Characteristic]
  ) async throws(BusError) -> DeviceLink? {
    var subscription: SignalSubscription?
    let box: DescriptorBox
    switch way {
    case .descriptor:
      let answer = try await client.call(
        "AcquireNotify", on: notify, of: BlueZName.characteristic, [.properties([:])],
        deadline: settings.notifySeconds)
      guard let given = answer.first?.descriptor else {
        throw BusError(
          name: BlueZName.errorPrefix + "NotSupported",
          message: "bluetoothd returned no descriptor",
          operation: "AcquireNotify on \(notify)")
      }
      box = given
    case .signals:
      let opened = try await SignalSubscription(
        address, to: notify, of: device.path, deadline: settings.notifySeconds)
      guard let descriptor = opened.descriptor else { return nil }
      subscription = opened
      box = descriptor
    }
    return try? DeviceLink(
      self, client, device, characteristics, settings.shape, box, subscription)
  }

  /// Logs that notifications now arrive as bus signals. The board's next link uses signals without
  /// requesting a private descriptor first.
  private func tellOfSignals(_ board: BoardAddress, _ error: BusError) {
    ways[board] = .signals
    listener.remark(
      LogEvent(
        .notice, "notifications by signals",
        ["board": board.description, "reason": error.message]))
  }
}
