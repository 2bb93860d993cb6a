import Foundation
import Recording
import TestSupport
import Testing

@testable import BlueZ

/// The radio disconnects a released board, whatever the state of the board and the daemon. The
/// program waits for the disconnection when it shuts down.
@Suite(.computation) struct RadioEndTests {
  private let board = RadioPlay.first
  private let device = RadioPlay.path(RadioPlay.first)

  @Test func `releasing a board just after it connects ends the new link exactly once`() {
    var play = RadioPlay()
    play.hear()
    play.want()
    play.set(isConnected: true)
    play.end(.connect(device: device))
    _ = play.done()
    play.handle(.release(board))
    #expect(play.done() == ["disconnect hci0/first"])
    play.set(isConnected: false)
    play.end(.disconnect(device: device))
    #expect(play.done() == ["left first"])
    #expect(play.radio.active == [])
  }

  @Test func `a link is ended even if the daemon has not announced it yet`() {
    var play = RadioPlay()
    play.hear()
    play.want()
    play.end(.connect(device: device))
    _ = play.done()
    play.handle(.release(board))
    #expect(play.done() == ["disconnect hci0/first"])
    play.end(.disconnect(device: device), Refusal(.linkLost, "Not Connected"))
    #expect(play.done() == ["left first"])
  }

  @Test(arguments: [true, false])
  func `a hanging daemon does not prevent a board's release`(isUp: Bool) {
    var play = RadioPlay()
    if isUp {
      play.bringUp()
    } else {
      play.hear()
      play.want()
    }
    _ = play.done()
    play.handle(.release(board))
    play.pass(3.9)
    #expect(play.done() == ["disconnect hci0/first"])
    play.pass(0.2)
    #expect(play.done() == ["left first"])
  }

  @Test func `after any sequence of events, the radio settles and every board is released`() {
    let environment = ProcessInfo.processInfo.environment
    let seed =
      environment["FOOTBRIDGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    let rounds = environment["FOOTBRIDGE_ROUNDS"].flatMap { Int($0) } ?? 1
    print("ends of links: FOOTBRIDGE_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    for story in 0..<500 * rounds {
      var wild = WildDaemon(adapters: 1 + story % 2)
      for _ in 0..<Int.random(in: 1...60, using: &random) { wild.step(&random) }
      let released = wild.play.radio.active
      for board in released { wild.handle(.release(board)) }
      // From this point, the daemon acts at random in two of three stories, and is silent in the
      // third.
      let left = wild.play.now + 4.1
      let goesOn = story % 3 != 0
      while wild.play.now < left {
        if goesOn { wild.stepOfDaemon(&random) }
        wild.pass(0.2)
      }
      if wild.hasGoneRound || wild.mostActions > 40 || !wild.play.radio.active.isEmpty {
        Issue.record(
          """
          story \(story): \(wild.play.radio.active) are not let go of, \(wild.mostActions) \
          actions at once; \(wild.told.suffix(12).joined(separator: ", "))
          """)
        return
      }
    }
  }
}

/// A daemon and boards that act at random.
private struct WildDaemon {
  var play: RadioPlay
  /// The events and resulting actions so far, as text.
  var told: [String] = []
  /// The largest number of actions caused by one event.
  var mostActions = 0
  /// Whether the radio failed to settle after an event.
  var hasGoneRound = false
  private let home: Sight

  init(adapters: Int) {
    play = RadioPlay(adapters: adapters)
    home = play.sight
    look()
  }

  mutating func handle(_ event: Radio.Event) {
    play.handle(event)
    note("\(event)")
  }

  mutating func pass(_ seconds: Double) {
    play.pass(seconds)
    note("\(seconds) s")
  }

  private mutating func look() {
    play.look()
    note("sight")
  }

  private mutating func note(_ event: String) {
    let done = play.done()
    mostActions = max(mostActions, done.count)
    if done.contains("\"\(Radio.unsettled)\"") { hasGoneRound = true }
    told.append("\(event.prefix(90)) -> \(done)")
  }

  /// Takes one random step: a caller's request, an action of the daemon, an advertisement, or the
  /// passage of time.
  mutating func step(_ random: inout SeededGenerator) {
    let board = Bool.random(using: &random) ? RadioPlay.first : RadioPlay.second
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: handle(.want(board, Bool.random(using: &random) ? nil : Radio.Patience()))
    case 2: handle(.release(board))
    case 3: handle(.renew(board))
    case 4: handle(.streaming(board))
    case 5: handle(.scan(Bool.random(using: &random)))
    case 6: pass(Double.random(in: 0...10, using: &random))
    default: stepOfDaemon(&random)
    }
  }

  mutating func stepOfDaemon(_ random: inout SeededGenerator) {
    let board = Bool.random(using: &random) ? RadioPlay.first : RadioPlay.second
    let adapter = Int.random(in: 0..<home.adapters.count, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      play.hear(board, on: adapter)
      note("heard")
    case 2...6:
      answer(&random)
    case 7, 8, 9:
      let structures: [Structure] = [
        .unknown, .complete, .complete, .bootloader, .incomplete, .foreign,
      ]
      play.set(
        board, on: adapter, isConnected: Int.random(in: 0..<3, using: &random) > 0,
        isResolved: Bool.random(using: &random), structure: structures.randomElement(using: &random)
      )
      note("shown")
    case 10:
      play.sight.adapters[safe: adapter]?.isPowered.toggle()
      look()
    default:
      // The adapter or the whole daemon disappears or returns.
      play.sight =
        play.sight.adapters.count < home.adapters.count
        ? home : Sight(isDaemonPresent: Bool.random(using: &random))
      look()
    }
  }

  private mutating func answer(_ random: inout SeededGenerator) {
    guard let operation = play.open.randomElement(using: &random) else { return }
    play.open.removeAll { $0 == operation }
    let refusals: [Refusal.Kind] = [
      .transient, .cancelled, .underWay, .noSlot, .linkLost, .off, .blocked, .alreadyDone, .gone,
      .unanswered, .daemonLost, .denied, .other,
    ]
    let isRefused = Int.random(in: 0..<2, using: &random) == 0
    handle(
      .ended(
        operation,
        isRefused ? refusals.randomElement(using: &random).map { Refusal($0, "no") } : nil))
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? {
    get { indices.contains(index) ? self[index] : nil }
    set { if indices.contains(index), let newValue { self[index] = newValue } }
  }
}
