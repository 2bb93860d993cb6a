@testable import BlueZ
import TestSupport
import Testing

/// A caller with a time or attempt limit always gets a reply, whichever operation hangs. The radio
/// never repeats a refused request immediately.
@Suite(.computation) struct RadioPatienceTests {
  private let board = RadioPlay.first
  private let device = RadioPlay.path(RadioPlay.first)
  private let hci0 = "/org/bluez/hci0"

  /// Returns a radio that is connecting to a board it has heard.
  private func connecting(_ patience: Radio.Patience? = nil) -> RadioPlay {
    var play = RadioPlay()
    play.hear()
    play.want(board, patience)
    _ = play.done()
    return play
  }

  /// Lets the given number of seconds pass, with no events except the radio's own wake-ups.
  private func sleep(_ play: inout RadioPlay, _ seconds: Double) {
    let end = play.now + seconds
    while let wake = play.radio.nextWake, wake <= end {
      play.now = max(play.now, wake)
      play.handle(.time)
    }
    play.now = end
  }

  @Test func `an adapter lost during the pause after an attempt is reported when the pause ends`() {
    var play = connecting(Radio.Patience())
    play.end(.connect(device: device), Refusal(.transient, "le-connection-abort-by-local"))
    play.sight.adapters = []
    play.sight.devices = []
    play.look()
    _ = play.done()
    sleep(&play, 10)
    #expect(play.deeds() == ["failed first obstacle(BlueZ.Obstacle.noAdapter)"])
  }

  @Test
  func `if a board is not heard again after a failed attempt, the search for that board times out`()
  {
    let other = RadioPlay.second
    var play = connecting(Radio.Patience(seekSeconds: 15, attempts: 4))
    // The discovery for the other board is already running when the search for the first one
    // restarts.
    play.want(other)
    play.end(.connect(device: device), Refusal(.transient, "le-connection-abort-by-local"))
    play.end(.startDiscovery(adapter: hci0))
    // The board was last heard too long ago, so the radio searches for the board again.
    play.now += 11
    sleep(&play, 16)
    #expect(play.deeds().contains("failed first notFound"))
  }

  @Test
  func `an attempt in which the services are never resolved counts towards the caller's limit`() {
    var play = connecting(Radio.Patience(seekSeconds: 15, attempts: 2))
    for _ in 1...2 {
      play.set(isConnected: true)
      play.end(.connect(device: device))
      play.pass(15.1)
      play.set(isConnected: false)
      play.hear()
      play.end(.disconnect(device: device))
      play.pass(0.3)
    }
    let done = play.done()
    #expect(done.contains("failed first connectFailed"), "\(done)")
    #expect(done.last == "left first")
  }

  @Test func `each attempt on a controller that stays full counts towards the caller's limit`() {
    var play = connecting(Radio.Patience(seekSeconds: 15, attempts: 3))
    for _ in 1...3 {
      play.end(
        .connect(device: device), Refusal(.noSlot, "le-connection-concurrent-connection-limit"))
      play.hear()
      play.pass(4.1)
      play.hear()
    }
    #expect(play.deeds().contains("failed first connectFailed"))
  }

  @Test func `an adapter that claims to be on but refuses requests is not retried immediately`() {
    for refusal in [
      Refusal(.denied, "no"), Refusal(.blocked, "Blocked through rfkill"),
      Refusal(.off, "Resource Not Ready"),
    ] {
      var play = connecting()
      play.end(.connect(device: device), refusal)
      #expect(!play.isOpen(.connect(device: device)), "\(refusal.text)")
      play.pass(0.4)
      #expect(!play.isOpen(.connect(device: device)), "\(refusal.text)")
    }
  }

  @Test func `a scan forbidden by the bus is reported as an obstacle and retried a minute later`() {
    var play = RadioPlay()
    play.look()
    play.want()
    _ = play.done()
    play.end(.startDiscovery(adapter: hci0), Refusal(.denied, "no"))
    #expect(play.radio.obstacle == .denied("no"))
    play.pass(59)
    #expect(play.done() == ["\"no permission to use the adapter\""])
    play.pass(2)
    #expect(play.deeds() == ["start hci0"])
  }

  @Test func `a blocked adapter is used as soon as it is on again`() {
    var play = connecting()
    play.end(.connect(device: device), Refusal(.blocked, "Blocked through rfkill"))
    play.sight.adapters[0].isPowered = false
    play.look()
    play.pass(5)
    play.sight.adapters[0].isPowered = true
    play.hear()
    #expect(play.isOpen(.connect(device: device)))
  }

  @Test func `links that drop immediately are retried with increasing delays`() {
    var play = connecting()
    var links = 0
    while play.now < 1_300 {
      if play.isOpen(.connect(device: device)) {
        play.link()
        links += 1
        play.set(isConnected: false, isResolved: false, structure: .unknown)
        // The owner of the link releases it and requests another.
        play.handle(.release(board))
        play.want()
      }
      play.pass(0.1)
      play.hear()
      play.end(.startDiscovery(adapter: hci0))
      play.end(.stopDiscovery(adapter: hci0))
    }
    // Three immediate retries, then retries after 1, 2, 5, 10, 30 and 60 seconds, and every 60
    // seconds after that.
    #expect((12...14).contains(links), "\(links) links in 300 s")
  }

  @Test func `a daemon that hangs during Connect three times is reported`() {
    var play = connecting()
    for _ in 1...3 {
      play.pass(25.1)
      play.end(.disconnect(device: device), Refusal(.unanswered, "no reply in time"))
      play.end(.connect(device: device), Refusal(.unanswered, "no reply in time"))
      play.pass(0.3)
      play.end(.startDiscovery(adapter: hci0))
      play.hear()
      play.end(.stopDiscovery(adapter: hci0))
    }
    #expect(play.done().contains("\"bluetoothd does not respond\""))
  }

  @Test func `releasing a board while the daemon hangs in Connect takes about four seconds`() {
    var play = connecting()
    play.handle(.release(board))
    play.pass(3.9)
    #expect(play.deeds() == ["disconnect hci0/first"])
    play.pass(0.2)
    #expect(play.deeds() == ["left first"])
  }
}
