import TestSupport
import Testing
import Values
import Web

@Suite(.computation) struct PairingTests {
  private static func time(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  /// Returns the role or the refusal that results from an attempt with a PIN.
  private static func outcome(
    _ pairing: inout Pairing, _ text: String, from client: String = "192.168.4.20",
    at seconds: Double
  ) -> Result<AccessRole, AccessRefusal> {
    do throws(AccessRefusal) {
      return .success(try pairing.attempt(text, from: client, at: time(seconds)))
    } catch {
      return .failure(error)
    }
  }

  /// Returns six digits that differ from the PIN.
  private static func other(than pin: PIN) -> String {
    pin.revealed == "000000" ? "111111" : "000000"
  }

  @Test func `a PIN has six digits, and every digit is equally frequent in every position`() {
    var counts = [[Int]](repeating: Array(repeating: 0, count: 10), count: 6)
    for _ in 0..<20_000 {
      let digits = PIN().revealed.compactMap(\.wholeNumberValue)
      #expect(digits.count == 6)
      for (place, digit) in digits.enumerated() { counts[place][digit] += 1 }
    }
    // Each digit is expected 2,000 times, with a standard deviation of 42.
    #expect(counts.joined().allSatisfy { (1_750...2_250).contains($0) })
  }

  @Test func `a PIN is not shown when it is printed or dumped`() {
    let pin = PIN()
    #expect("\(pin)" == "(PIN)")
    var text = ""
    dump(pin, to: &text)
    #expect(!text.contains(pin.revealed))
  }

  @Test(arguments: ["", "12345", "1234567", "１２３４５６", "12345\u{0}", "e\u{301}23456", " 123456"])
  func `text that is not exactly six ASCII digits does not match a PIN`(_ text: String) {
    #expect(!PIN().matches(text))
  }

  @Test(arguments: AccessRole.allCases)
  func `the correct PIN pairs one device, with the PIN's role`(_ role: AccessRole) {
    let pin = PIN()
    var pairing = Pairing()
    pairing.offer(pin, role: role, at: Self.time(0))
    #expect(Self.outcome(&pairing, pin.revealed, at: 1) == .success(role))
    #expect(Self.outcome(&pairing, pin.revealed, at: 2) == .failure(.noPIN))
  }

  @Test func `a PIN is valid for ten minutes`() {
    let pin = PIN()
    var pairing = Pairing()
    pairing.offer(pin, role: .look, at: Self.time(100))
    #expect(pairing.offered(at: Self.time(699))?.seconds == 1)
    #expect(pairing.offered(at: Self.time(700)) == nil)
    #expect(Self.outcome(&pairing, pin.revealed, at: 700) == .failure(.noPIN))
  }

  @Test
  func `a new PIN invalidates the previous one, and a withdrawn PIN cannot pair a device`() {
    let (first, second) = (PIN(), PIN())
    var pairing = Pairing()
    pairing.offer(first, role: .operate, at: Self.time(0))
    pairing.offer(second, role: .look, at: Self.time(1))
    #expect(Self.outcome(&pairing, first.revealed, at: 2) == .failure(.wrongPIN(left: 14)))
    pairing.withdraw()
    #expect(Self.outcome(&pairing, second.revealed, at: 3) == .failure(.noPIN))
  }

  @Test func `a client's sixth attempt within a minute is refused`() {
    let pin = PIN()
    var pairing = Pairing()
    for second in 0..<5 {
      #expect(Self.outcome(&pairing, "000000", at: Double(second)) == .failure(.noPIN))
    }
    pairing.offer(pin, role: .look, at: Self.time(5))
    #expect(
      Self.outcome(&pairing, pin.revealed, at: 5) == .failure(.tooManyTries(seconds: 55)))
    #expect(
      Self.outcome(&pairing, pin.revealed, at: 59.5) == .failure(.tooManyTries(seconds: 1)))
    let other = Self.outcome(&pairing, pin.revealed, from: "192.168.4.21", at: 59.5)
    #expect(other == .success(.look))
    // The first of the five attempts was a minute ago.
    pairing.offer(pin, role: .look, at: Self.time(59.5))
    #expect(Self.outcome(&pairing, pin.revealed, at: 60) == .success(.look))
  }

  @Test func `a client that guesses PINs does not block a phone at another address`() {
    let pin = PIN()
    let wrong = Self.other(than: pin)
    var pairing = Pairing()
    pairing.offer(pin, role: .look, at: Self.time(0))
    for second in 0..<500 {
      let outcome = Self.outcome(&pairing, wrong, from: "10.0.0.9", at: Double(second))
      #expect(
        outcome
          == .failure(second < 5 ? .wrongPIN(left: 14 - second) : .triesUsedUp(byAll: false)))
    }
    #expect(Self.outcome(&pairing, pin.revealed, at: 500) == .success(.look))
  }

  @Test func `a PIN that was created automatically does not allow more attempts`() {
    let (first, second) = (PIN(), PIN())
    var pairing = Pairing()
    pairing.offer(first, role: .look, at: Self.time(0))
    for count in 0..<5 { _ = Self.outcome(&pairing, "", at: Double(20 * count)) }
    pairing.offer(second, role: .look, isAsked: false, at: Self.time(600))
    #expect(
      Self.outcome(&pairing, second.revealed, at: 600) == .failure(.triesUsedUp(byAll: false)))
    pairing.offer(second, role: .look, at: Self.time(700))
    #expect(Self.outcome(&pairing, second.revealed, at: 700) == .success(.look))
  }

  @Test func `a PIN becomes invalid after fifteen failed attempts`() {
    let pin = PIN()
    let wrong = Self.other(than: pin)
    var pairing = Pairing()
    pairing.offer(pin, role: .operate, at: Self.time(0))
    for count in 1...15 {
      #expect(
        Self.outcome(&pairing, wrong, from: "client \(count % 3)", at: Double(count) * 20)
          == .failure(.wrongPIN(left: 15 - count)))
    }
    #expect(Self.outcome(&pairing, pin.revealed, at: 320) == .failure(.noPIN))
  }

  @Test func `a page that is served for months permits thirty guesses per day`() {
    var pairing = Pairing()
    var wrong = 0
    let days = 60
    for minute in 0..<(days * 24 * 60) {
      let seconds = Double(60 * minute)
      // A new PIN is created automatically every ten minutes.
      if minute.isMultiple(of: 10) {
        let pin = PIN()
        pairing.offer(pin, role: .operate, isAsked: false, at: Self.time(seconds))
      }
      let client = "client \(minute)"
      guard case .failure(.wrongPIN) = Self.outcome(&pairing, "guess", from: client, at: seconds)
      else { continue }
      wrong += 1
    }
    #expect(wrong == days * 30)
  }

  @Test
  func `attempts by each client and by all clients stay within the limits, whatever the timing`() {
    for seed in UInt64(1)...200 {
      var generator = SeededGenerator(seed: seed)
      var pairing = Pairing()
      var (seconds, sincePIN, wrongInDay) = (0.0, 0, 0)
      var looked: [String: [Double]] = [:]
      var wrongs: [String: Int] = [:]
      var pin: PIN?
      var fault: String?
      for _ in 0..<400 where fault == nil {
        // All attempts are within one day.
        seconds += generator.unit() < 0.5 ? generator.unit() : 20 * generator.unit()
        if generator.unit() < 0.03 {
          let made = PIN()
          let isAsked = generator.unit() < 0.3
          pairing.offer(made, role: .look, isAsked: isAsked, at: Self.time(seconds))
          (pin, sincePIN) = (made, 0)
          if isAsked { (wrongInDay, wrongs) = (0, [:]) }
        }
        let client = "\(Int(4 * generator.unit()))"
        let isRight = generator.unit() < 0.05
        let text = isRight ? pin?.revealed ?? "1" : pin.map(Self.other) ?? "2"
        switch Self.outcome(&pairing, text, from: client, at: seconds) {
        case .failure(.tooManyTries(let wait)):
          let recent = looked[client, default: []].filter { seconds - $0 < 60 }
          if recent.count < 5 { fault = "refused after \(recent.count) tries" }
          if !(1...60).contains(wait) { fault = "a wait of \(wait) s" }
          continue
        case .failure(.triesUsedUp(let byAll)):
          if byAll ? wrongInDay != 30 : wrongs[client] != 5 { fault = "refused too early" }
          continue
        case .failure(.wrongPIN):
          sincePIN += 1
          wrongInDay += 1
          wrongs[client, default: 0] += 1
        case .success:
          if !isRight { fault = "paired by a wrong PIN" }
          pin = nil
          (wrongInDay, wrongs) = (0, [:])
        case .failure(let refusal):
          if refusal != .noPIN { fault = "\(refusal)" }
        }
        looked[client, default: []].append(seconds)
        if looked[client, default: []].count(where: { seconds - $0 < 60 }) > 5 {
          fault = "six tries in a minute"
        }
        if sincePIN > 15 { fault = "a PIN was tried \(sincePIN) times" }
        if wrongInDay > 30 { fault = "31 wrong tries in a day" }
      }
      #expect(fault == nil, "seed \(seed)")
    }
  }
}
