@testable import BlueZ
import TestSupport
import Testing
import Values

/// The schedule of the radio's scans, and its handling of scan failures.
@Suite(.computation) struct RadioDiscoveryTests {
  private let board = RadioPlay.first
  private let other = RadioPlay.second
  private let hci0 = "/org/bluez/hci0"
  private let refusal = Refusal(.underWay, "Operation already in progress")

  @Test
  func `discovery wedged in InProgress: the scan is restarted, then the adapter is power-cycled`() {
    var play = RadioPlay()
    play.look()
    play.want()
    for attempt in 1...4 {
      play.end(.startDiscovery(adapter: hci0), refusal)
      play.end(.stopDiscovery(adapter: hci0))
      #expect(play.deeds() == ["start hci0", "stop hci0"], "attempt \(attempt)")
      play.pass(0.5)
    }
    play.end(.startDiscovery(adapter: hci0), refusal)
    #expect(
      play.done() == [
        "start hci0", "\"switching adapter off and on\"", "power hci0 off", "switched hci0",
      ])
    play.sight.adapters[0].isPowered = false
    play.look()
    play.end(.power(adapter: hci0, false))
    #expect(play.done() == ["power hci0 on"])
    play.end(.power(adapter: hci0, true))
    play.sight.adapters[0].isPowered = true
    play.look()
    #expect(play.done() == ["start hci0"])
    play.end(.startDiscovery(adapter: hci0))
    play.hear()
    #expect(play.deeds() == ["stop hci0"])
  }

  @Test
  func `if discovery stays wedged after the power cycle, it is reported and paused`() {
    var play = RadioPlay()
    play.look()
    play.want()
    for _ in 1...10 {
      play.end(.startDiscovery(adapter: hci0), refusal)
      play.end(.stopDiscovery(adapter: hci0))
      play.end(.power(adapter: hci0, false))
      play.end(.power(adapter: hci0, true))
      play.pass(0.5)
    }
    let done = play.done()
    #expect(done.filter { $0 == "power hci0 off" }.count == 1)
    #expect(done.last == "\"discovery is refused\"")
    play.pass(50)
    #expect(play.deeds() == [])
    play.pass(10)
    #expect(play.deeds() == ["start hci0"])
  }

  @Test func `an adapter with a linked board is not power-cycled when discovery is wedged`() {
    var play = RadioPlay()
    play.bringUp()
    play.want(other)
    for _ in 1...6 {
      play.end(.startDiscovery(adapter: hci0), refusal)
      play.end(.stopDiscovery(adapter: hci0))
      play.pass(0.5)
    }
    let done = play.done()
    #expect(!done.contains("power hci0 off"))
    #expect(done.last == "\"discovery is refused\"")
  }

  @Test
  func `scanning starves streams: the radio scans for five seconds a minute while boards stream`() {
    var play = RadioPlay()
    play.bringUp()
    play.handle(.streaming(board))
    #expect(play.deeds() == [], "no discovery while streaming")
    // While a board is missing, the radio scans for five seconds each minute.
    play.want(other)
    #expect(play.deeds() == ["start hci0"])
    play.end(.startDiscovery(adapter: hci0))
    play.pass(4.9)
    #expect(play.deeds() == [])
    play.pass(0.2)
    #expect(play.deeds() == ["stop hci0"])
    play.end(.stopDiscovery(adapter: hci0))
    play.pass(54.8)
    #expect(play.deeds() == [])
    play.pass(0.2)
    #expect(play.deeds() == ["start hci0"])
  }

  @Test func `before any board streams, the radio scans continuously for a missing board`() {
    var play = RadioPlay()
    play.bringUp()
    play.want(other)
    play.end(.startDiscovery(adapter: hci0))
    #expect(play.deeds() == ["start hci0"])
    play.pass(60)
    #expect(play.deeds() == [])
  }

  @Test func `after finding one board, the radio briefly continues to scan for the others`() {
    var play = RadioPlay()
    play.look()
    play.want(board)
    play.want(other)
    play.end(.startDiscovery(adapter: hci0))
    play.hear(board)
    #expect(play.deeds() == ["start hci0"])
    play.pass(1)
    play.hear(other)
    #expect(play.deeds() == ["stop hci0"], "all are there")

    play = RadioPlay()
    play.look()
    play.want(board)
    play.want(other)
    play.end(.startDiscovery(adapter: hci0))
    play.hear(board)
    _ = play.deeds()
    play.pass(2.1)
    #expect(play.deeds() == ["stop hci0"], "the other one takes too long")
  }

  @Test
  func `discovery that finds nothing is restarted after 90 s, then the adapter is power-cycled`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: hci0))
    _ = play.done()
    play.pass(89)
    #expect(play.done() == [])
    play.pass(2)
    #expect(play.done() == ["\"no device heard\"", "stop hci0"])
    play.end(.stopDiscovery(adapter: hci0))
    play.end(.startDiscovery(adapter: hci0))
    _ = play.done()
    play.pass(91)
    #expect(
      play.done() == ["\"switching adapter off and on\"", "power hci0 off", "switched hci0"])
    play.end(.power(adapter: hci0, false))
    play.end(.power(adapter: hci0, true))
    play.look()
    play.pass(2.5)
    play.end(.startDiscovery(adapter: hci0))
    _ = play.done()
    play.pass(91)
    #expect(play.done().contains("\"no device heard\""))
  }

  @Test func `any received advertisement proves that discovery works`() {
    var play = RadioPlay()
    play.look()
    play.want()
    play.end(.startDiscovery(adapter: hci0))
    _ = play.done()
    for _ in 1...10 {
      play.pass(60)
      play.hear(BoardAddress(value: 9))
    }
    #expect(play.done() == [])
  }

  @Test func `a scan pauses for a link, and otherwise continues as long as any caller needs it`() {
    var play = RadioPlay()
    play.look()
    play.handle(.scan(true))
    #expect(play.deeds() == ["start hci0"])
    play.end(.startDiscovery(adapter: hci0))
    play.hear()
    play.pass(20)
    #expect(play.deeds() == [])
    play.hear()
    play.want()
    play.end(.stopDiscovery(adapter: hci0))
    #expect(play.deeds() == ["stop hci0", "connect hci0/first"])
    play.link()
    #expect(play.deeds() == ["up first hci0/first", "start hci0"], "then it goes on")
    play.end(.startDiscovery(adapter: hci0))
    play.handle(.scan(false))
    #expect(play.deeds() == ["stop hci0"])
  }

  @Test
  func `a stop request that is refused because no scan is running does not count as a failure`() {
    for refusal in [
      Refusal(.nothingToStop, "No discovery started"), Refusal(.off, "Resource Not Ready"),
    ] {
      var play = RadioPlay()
      play.look()
      play.want()
      play.end(.startDiscovery(adapter: hci0))
      play.hear()
      play.end(.stopDiscovery(adapter: hci0), refusal)
      #expect(play.done() == ["start hci0", "stop hci0", "\"connecting\"", "connect hci0/first"])
    }
  }
}
