internal import LinuxSystem
internal import Recording
internal import Values

/// Reads positions from gpsd: maintains the connection, requests reports and parses them.
struct GPSDFeed: ~Copyable, PositionFeed {
  private let address: PositionSource.GPSDAddress
  private var watch: GPSDWatch
  private var session: GPSDSession
  private var connection: TCPConnection?
  private var isConnecting = false
  private var problem: ReceiverProblem?
  /// gpsd's receivers, by path.
  private var devices: [String: GPSDMessage.Device] = [:]
  /// Path of the receiver that gpsd reported last, or `nil` if gpsd has none.
  private var device: String?
  /// Number of usable and unusable lines received over earlier connections.
  private var earlier = (good: 0, bad: 0)
  private var buffer = [UInt8](repeating: 0, count: 8_192)

  /// Seconds without data after which the kernel probes the connection. gpsd itself sends nothing
  /// while its receiver is silent.
  private static let keepAliveSeconds: Int32 = 10

  init(
    _ address: PositionSource.GPSDAddress, timing: GPSDWatch.Timing = GPSDWatch.Timing(),
    at now: BootTime
  ) {
    self.address = address
    watch = GPSDWatch(timing: timing, at: now)
    session = GPSDSession(device: address.device)
  }

  var state: ReceiverState { watch.state }

  // A `switch` is used because optional chaining would consume the connection, which cannot be
  // copied.
  var descriptor: Int32 {
    switch connection {
    case .some(let connection): connection.number
    case nil: PollSet.nobody
    }
  }

  var waitsForWriting: Bool { isConnecting }

  func wait(at now: BootTime) -> Double { watch.wait(at: now) }

  mutating func work(at now: BootTime, into reports: inout [PositionReport]) {
    while let action = watch.next(at: now) {
      switch action {
      case .connect: connect(into: &reports)
      case .flush: finish(into: &reports)
      case .giveUp:
        close(
          ReceiverProblem(
            "\(name) does not respond",
            remedy: "check that gpsd, not another program, is listening there"), into: &reports)
      }
    }
  }

  mutating func take(at now: BootTime, into reports: inout [PositionReport]) {
    guard !isConnecting || finishConnecting(into: &reports) else { return }
    while let count = connection?.read(into: &buffer) {
      guard count > 0 else {
        if count == 0 {
          close(
            ReceiverProblem(
              "\(name) closed the connection",
              remedy: "check that gpsd is running: 'systemctl status gpsd'"), into: &reports)
        } else if !TCPConnection.isNothingYet(count) {
          let error = SystemError("read from \(name)", number: Int32(-count))
          close(.daemon(error), into: &reports)
        }
        return
      }
      let bytes = Array(buffer[..<count])
      var events: [GPSDSession.Event] = []
      session.receive(bytes.span, at: now) { events.append($0) }
      watch.heard(at: now)
      for event in events { take(event, at: now, into: &reports) }
      if count < buffer.count { return }
    }
  }

  mutating func finish(into reports: inout [PositionReport]) {
    var events: [GPSDSession.Event] = []
    session.flush { events.append($0) }
    for event in events { take(event, at: BootClock.now(), into: &reports) }
  }

  func describe(_ status: inout ReceiverStatus) {
    status.goodSentences = earlier.good + session.accepted + session.ignored
    status.badSentences = earlier.bad + session.refused
    status.sky = session.sky
    status.device = device
    status.speed = device.flatMap { devices[$0]?.speed }.flatMap(SerialSpeed.init)
    status.isSpeedFound = status.speed != nil
    status.problem = problem
  }

  // MARK: Connection

  private var name: String { "gpsd at \(address.host):\(address.port)" }

  private mutating func connect(into reports: inout [PositionReport]) {
    do throws(SystemError) {
      connection = try TCPConnection(host: address.host, port: address.port)
      isConnecting = true
      earlier.good += session.accepted + session.ignored
      earlier.bad += session.refused
      session = GPSDSession(device: address.device)
    } catch {
      close(.daemon(error), into: &reports)
    }
  }

  private mutating func finishConnecting(into reports: inout [PositionReport]) -> Bool {
    isConnecting = false
    do throws(SystemError) {
      try connection?.finishConnecting()
      connection?.keepAlive(seconds: Self.keepAliveSeconds)
      return true
    } catch {
      close(.daemon(error), into: &reports)
      return false
    }
  }

  private mutating func close(
    _ problem: ReceiverProblem, into reports: inout [PositionReport]
  ) {
    if connection != nil { finish(into: &reports) }
    connection = nil
    isConnecting = false
    device = nil
    devices = [:]
    watch.closed(at: BootClock.now())
    self.problem = problem
  }

  // MARK: Messages from gpsd

  private mutating func take(
    _ event: GPSDSession.Event, at now: BootTime, into reports: inout [PositionReport]
  ) {
    switch event {
    case .greeted:
      let line = Array(GPSDSession.watch(device: address.device).utf8)
      // The socket buffer is empty, so a line that does not fit means that the connection has
      // failed.
      guard connection?.send(line) == line.count else {
        close(.daemon(SystemError("write to \(name)", number: 0)), into: &reports)
        return
      }
      problem = nil
      watch.greeted()
    case .refused(let major):
      close(
        ReceiverProblem(
          "\(name) uses protocol version \(major) instead of 3",
          remedy: "install gpsd 3.20 or later"), into: &reports)
    case .devices(let found):
      devices = Dictionary(found.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
      device = found.first { address.device ?? $0.path == $0.path }?.path
      note(hasDevice: device != nil)
    case .deviceBack(let path):
      device = path
      note(hasDevice: true)
    case .deviceLost(let path):
      // gpsd may have lost a different receiver, while the receiver in use is still sending data.
      guard device == nil || device == path else { return }
      problem = ReceiverProblem(
        "gpsd has lost \(path)", reason: "gpsd has lost the receiver",
        remedy: "plug the receiver in; it will be used immediately")
      watch.lostDevice()
    case .position(let report):
      watch.reported(report, at: now)
      reports.append(report)
    case .error(let text):
      problem = ReceiverProblem(
        "gpsd: \(text)", reason: text, remedy: "see 'journalctl -u gpsd'")
    }
  }

  private mutating func note(hasDevice: Bool) {
    watch.hasDevice(hasDevice)
    problem =
      hasDevice
      ? nil
      : ReceiverProblem(
        address.device.map { "gpsd does not have \($0)" } ?? "gpsd has no receiver",
        remedy: "plug one in, or name its port in /etc/default/gpsd")
  }
}
