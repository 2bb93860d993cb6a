@testable import BlueZ
import Recording
import TestSupport
import Testing
import Values

/// The radio finds, links, loses and rediscovers a board. Each test is a list of events.
@Suite(.computation) struct RadioTests {
  private let board = RadioPlay.first
  private let device = RadioPlay.path(RadioPlay.first)
  private let adapter = "/org/bluez/hci0"

  @Test func `the radio scans for a board, stops the scan, and connects to the board`() {
    var play = RadioPlay()
    play.look()
    play.want()
    #expect(play.deeds() == ["start hci0"])
    play.end(.startDiscovery(adapter: adapter))
    play.pass(3)
    play.hear()
    #expect(play.deeds() == ["stop hci0"], "no link while the scan runs")
    play.end(.stopDiscovery(adapter: adapter))
    #expect(play.deeds() == ["connect hci0/first"])
    play.set(isConnected: true)
    play.end(.connect(device: device))
    #expect(play.deeds() == [], "its attributes are not known yet")
    play.set(isResolved: true, structure: .complete)
    #expect(play.deeds() == ["up first hci0/first"])
  }

  @Test func `the reply to Connect may arrive before or after the changes that Connect causes`() {
    for answersFirst in [true, false] {
      var play = RadioPlay()
      play.look()
      play.want()
      play.end(.startDiscovery(adapter: adapter))
      play.hear()
      play.end(.stopDiscovery(adapter: adapter))
      _ = play.deeds()
      if answersFirst { play.end(.connect(device: device)) }
      play.set(isConnected: true)
      play.set(isResolved: true, structure: .complete)
      if !answersFirst { play.end(.connect(device: device)) }
      #expect(play.deeds() == ["up first hci0/first"], "answers first: \(answersFirst)")
    }
  }

  @Test func `the radio searches again for a board that it has not heard recently`() {
    var play = RadioPlay()
    play.hear()
    play.pass(11)
    play.want()
    #expect(play.deeds() == ["start hci0"])
  }

  @Test
  func `connect fails often near Wi-Fi or at range: attempts are repeated with increasing delays`()
  {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    var pauses: [Double] = []
    for attempt in 1...10 {
      let isAsked = play.isOpen(.connect(device: device))
      #expect(isAsked, "attempt \(attempt)")
      _ = play.done()
      play.end(
        .connect(device: device), Refusal(.transient, "le-connection-abort-by-local"))
      let failed = play.now
      // The board advertises continuously, so only the radio's delay separates the attempts.
      while !play.isOpen(.connect(device: device)), play.now < failed + 100 {
        play.pass(0.05)
        play.hear()
        play.end(.startDiscovery(adapter: adapter))
        play.end(.stopDiscovery(adapter: adapter))
      }
      pauses.append(play.now - failed)
    }
    for (pause, expected) in zip(pauses, [0.25, 0.25, 0.25, 1, 2, 5, 10, 30, 60, 60]) {
      #expect(abs(pause - expected) <= 0.2 * expected + 0.15, "\(pauses)")
    }
  }

  @Test
  func `the log of a failed attempt contains its number, reason, signal strength and link count`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: adapter))
    play.hear(rssi: -91)
    play.end(.stopDiscovery(adapter: adapter))
    guard let operation = play.open.first(where: { $0.kind == .connect(device: device) }) else {
      Issue.record("no link was asked for")
      return
    }
    let actions = play.radio.handle(
      .ended(operation, Refusal(.transient, "le-connection-abort-by-local")), at: play.now)
    let remark = LogEvent(
      .warning, "connect failed",
      [
        "board": board.description, "attempt": "1", "reason": "le-connection-abort-by-local",
        "rssi": "-91", "links": "0",
      ])
    #expect(actions.first == .remark(remark))
  }

  @Test func `a stable link resets the delays between attempts`() {
    #expect(RetryPause.seconds(after: 9, spread: 0) == 60)
    for (seconds, expected) in [(10.0, 5), (61, 1)] {
      var play = RadioPlay()
      play.bringUp()
      play.radio.boards[board]?.failures = 4
      play.pass(seconds)
      play.set(isConnected: false, isResolved: false, structure: .unknown)
      #expect(play.deeds() == ["down first", "connect hci0/first"])
      play.end(.connect(device: device), Refusal(.transient, "le-connection-abort-by-local"))
      #expect(play.radio.boards[board]?.failures == expected)
    }
  }

  @Test func `an attempt that takes too long is cancelled, and a new attempt follows`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    _ = play.deeds()
    play.pass(24.9)
    #expect(play.deeds() == [])
    play.pass(0.2)
    #expect(play.deeds() == ["disconnect hci0/first"])
    play.hear()
    play.end(.connect(device: device), Refusal(.cancelled, "br-connection-canceled"))
    play.pass(0.3)
    #expect(play.deeds() == ["connect hci0/first"])
  }

  @Test func `the radio waits while another program establishes a link`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    play.end(.connect(device: device), Refusal(.underWay, "Operation already in progress"))
    _ = play.deeds()
    play.pass(5)
    #expect(play.deeds() == [])
    play.set(isConnected: true, isResolved: true, structure: .complete)
    #expect(play.deeds() == ["up first hci0/first"])
  }

  @Test func `a link is ended and established again if its services are never resolved`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    play.set(isConnected: true)
    play.end(.connect(device: device))
    _ = play.deeds()
    play.pass(14.9)
    #expect(play.deeds() == [])
    play.pass(0.2)
    #expect(play.deeds() == ["disconnect hci0/first"])
    play.set(isConnected: false)
    play.hear()
    play.end(.disconnect(device: device))
    play.pass(0.3)
    #expect(play.deeds() == ["connect hci0/first"])
  }

  @Test
  func `a link that is lost before its services are resolved counts as a failed attempt at once`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    play.set(isConnected: true)
    play.end(.connect(device: device))
    play.set(isConnected: false)
    #expect(play.done().contains("\"connect failed\""))
  }

  @Test func `a lost link is reported and established again, without a Disconnect call`() {
    var play = RadioPlay()
    play.bringUp()
    play.pass(5)
    play.set(isConnected: false, isResolved: false, structure: .unknown)
    #expect(play.deeds() == ["down first", "connect hci0/first"])
  }

  @Test func `device object expires: the radio searches for the board again without an error`() {
    var play = RadioPlay()
    play.bringUp()
    play.sight.devices = []
    play.look()
    #expect(
      play.deeds() == ["down first", "start hci0"], "the radio looks for it, without an error")
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    #expect(play.deeds() == ["stop hci0", "connect hci0/first"])
    // The device may also disappear between the check and the call.
    play.sight.devices = []
    play.end(.connect(device: device), Refusal(.gone, "Method \"Connect\" doesn't exist"))
    play.look()
    #expect(play.done() == [#""connect postponed""#, "start hci0"])
  }

  @Test func `a board is released once no caller wants it any longer`() {
    var play = RadioPlay()
    play.bringUp()
    play.handle(.release(board))
    #expect(play.deeds() == ["disconnect hci0/first"])
    play.set(isConnected: false)
    play.end(.disconnect(device: device))
    #expect(play.deeds() == ["left first"])
    play.pass(100)
    #expect(play.deeds() == [])
  }

  @Test func `a link attempt is cancelled once no caller wants the board any longer`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    _ = play.deeds()
    play.handle(.release(board))
    #expect(play.deeds() == ["disconnect hci0/first"])
    play.end(.connect(device: device), Refusal(.cancelled, "br-connection-canceled"))
    #expect(play.done() == ["left first"])
  }

  @Test
  func `StopNotify and Disconnect hang on a dead link: the radio gives up after four seconds`() {
    var play = RadioPlay()
    play.bringUp()
    play.handle(.release(board))
    _ = play.deeds()
    // No reply ever arrives.
    play.pass(3.9)
    #expect(play.deeds() == [])
    play.pass(0.2)
    #expect(play.deeds() == ["left first"])
  }

  @Test func `a caller with limited patience gets an error if the board is not heard`() {
    var play = RadioPlay()
    play.look()
    play.want(board, Radio.Patience(seekSeconds: 15, attempts: 4))
    play.end(.startDiscovery(adapter: adapter))
    play.pass(14.9)
    #expect(play.deeds() == ["start hci0"])
    play.pass(0.2)
    #expect(play.deeds() == ["failed first notFound", "stop hci0"])
  }

  @Test func `a caller with limited patience gets an error after the last attempt that it allows`()
  {
    var play = RadioPlay()
    play.look()
    play.want(board, Radio.Patience(seekSeconds: 15, attempts: 2))
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    let refusal = Refusal(.transient, "le-connection-abort-by-local")
    play.end(.connect(device: device), refusal)
    play.pass(0.3)
    _ = play.deeds()
    play.end(.connect(device: device), refusal)
    #expect(play.deeds().first == "failed first connectFailed")
  }

  @Test func `process crash leaves board connected: the radio takes over the existing link`() {
    var play = RadioPlay()
    play.hear()
    play.set(isConnected: true, isResolved: true, structure: .complete)
    play.want()
    #expect(play.done() == ["\"link found\"", "up first hci0/first"], "it is adopted")
  }

  @Test func `an existing link without resolved services is ended and established again`() {
    var play = RadioPlay()
    play.hear()
    play.set(isConnected: true)
    play.want()
    play.pass(15.1)
    #expect(play.deeds() == ["disconnect hci0/first"])
    play.set(isConnected: false)
    play.hear()
    play.end(.disconnect(device: device))
    play.pass(0.3)
    #expect(play.deeds() == ["connect hci0/first"])
  }

  @Test func `a link that the caller abandons, because another program owns it, is not ended`() {
    var play = RadioPlay()
    play.hear()
    play.set(isConnected: true, isResolved: true, structure: .complete)
    play.want()
    _ = play.deeds()
    play.handle(.abandon(board))
    play.pass(100)
    #expect(play.deeds() == [])
  }

  @Test func `a daemon that fails to reply three times is reported`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: adapter))
    play.hear()
    play.end(.stopDiscovery(adapter: adapter))
    for _ in 1...3 {
      #expect(!play.done().contains("\"bluetoothd does not respond\""))
      play.end(.connect(device: device), Refusal(.unanswered, "no reply in time"))
      play.end(.disconnect(device: device))
      if play.log.contains("\"bluetoothd does not respond\"") { break }
      play.hear()
      play.pass(0.3)
    }
    #expect(play.done().contains("\"bluetoothd does not respond\""))
  }
}
