import Recording
import Simulation
import TestSupport
import Testing
import Values

@Suite(.computation) struct WalkingDetectorTests {
  static let rates = [25.0, 50, 100, 200]

  @Test(arguments: rates, Movement.Place.allCases)
  func `a walk between two rests includes its first and its last step`(
    rate: Double, place: Movement.Place
  ) throws {
    var movement = Movement(seed: 4, rate: rate)
    movement.rest(20)
    movement.walk(30, at: place)
    movement.rest(20)
    let walks = Self.walks(movement.samples, rate: rate)
    let walk = try #require(walks.first)
    #expect(walks.count == 1)
    let (first, last) = (Double(walk.first) / rate, Double(walk.last) / rate)
    #expect((18...20).contains(first), "\(first)")
    #expect((49...51.5).contains(last), "\(last)")
  }

  @Test(arguments: rates, [Gait.walking, .running])
  func `the simulated wearer is detected as walking from the start`(rate: Double, gait: Gait) throws
  {
    for board in 0...1 {
      let walk = Walk(seed: 8, seconds: 60, gait: gait)
      var detector = WalkingDetector(rate: rate)
      walk.take(acceleration: rate, board: board) {
        detector.add(magnitude: ($0 * $0).sum().squareRoot(), counter: $1)
      }
      let found = try #require(detector.walk)
      #expect(found.first == 0)
      #expect(Double(found.last) > 59 * rate)
      #expect(detector.formerWalk == nil)
    }
  }

  @Test(arguments: 1...5)
  func `a fall ends the walk, and a wearer lying on the ground is not detected as walking`(
    seed: UInt64
  ) throws {
    let wearer = FallingWearer(seed: seed, at: 30)
    var detector = WalkingDetector(rate: 100)
    for number in 0..<UInt32(6_000) {
      let value = wearer.acceleration(at: Double(number) / 100)
      detector.add(magnitude: (value * value).sum().squareRoot(), counter: number)
    }
    #expect(detector.walk == nil)
    let walk = try #require(detector.formerWalk)
    #expect((29...32).contains(Double(walk.last) / 100))
  }

  @Test func `a board at rest is not detected as walking, whatever its offset`() {
    for offset in [-0.1, 0, 0.1] {
      var movement = Movement(seed: 9, rate: 100)
      movement.rest(120)
      let walks = Self.walks(movement.samples.map { $0 + offset }, rate: 100)
      #expect(walks.isEmpty)
    }
  }

  @Test(arguments: 1...5)
  func `a board that is shaken at random is hardly ever detected as walking`(seed: UInt64) {
    var movement = Movement(seed: seed, rate: 100)
    movement.ride(600)
    let walked = Self.walks(movement.samples, rate: 100).reduce(0) { $0 + $1.last - $1.first }
    // Occasionally, random jolts are evenly spaced for a few seconds.
    #expect(walked < 15 * 600)
  }

  @Test(arguments: [60.0, 130]) func `slow and fast gaits are both detected`(cadence: Double)
    throws
  {
    for place in Movement.Place.allCases {
      var movement = Movement(seed: 2, rate: 50)
      movement.rest(10)
      movement.walk(30, at: place, cadence: cadence)
      let walks = Self.walks(movement.samples, rate: 50)
      let walk = try #require(walks.first, "\(place)")
      #expect((8...10).contains(Double(walk.first) / 50))
    }
  }

  @Test func `single lost samples have no effect, but half a second without samples ends the walk`()
    throws
  {
    var movement = Movement(seed: 5, rate: 100)
    movement.walk(60, at: .waist)
    var detector = WalkingDetector(rate: 100)
    var ended: [WalkingDetector.Walk] = []
    for (number, magnitude) in movement.samples.enumerated() {
      guard !(3_000..<3_060).contains(number), number % 97 != 5 else { continue }
      detector.add(magnitude: magnitude, counter: UInt32(number))
      if let former = detector.formerWalk, former != ended.last { ended.append(former) }
    }
    let before = try #require(ended.first)
    #expect(ended.count == 1)
    #expect(before.first == 0)
    #expect((2_900..<3_000).contains(before.last))
    #expect(detector.runStart == 3_060)
    #expect(try #require(detector.walk).first == 3_060)
  }

  @Test
  func `a walk continues when the sample counter overflows, and a new walk begins after a reboot`()
    throws
  {
    var movement = Movement(seed: 5, rate: 100)
    movement.walk(40, at: .ankle)
    var detector = WalkingDetector(rate: 100)
    for (number, magnitude) in movement.samples.enumerated() {
      let counter = number < 2_000 ? UInt32(number) &- 1_000 : UInt32(number - 2_000)
      detector.add(magnitude: magnitude, counter: counter)
    }
    // The restart is a gap of unknown length.
    #expect(detector.runStart == 2_000)
    #expect(detector.place == 3_999)
    #expect(try #require(detector.formerWalk).first == 0)
    // At that moment, the foot may be on the ground.
    #expect((2_000...2_050).contains(try #require(detector.walk).first))
  }

  @Test func `NaN values do not prevent the detection of a walk`() throws {
    var movement = Movement(seed: 5, rate: 100)
    movement.walk(20, at: .waist)
    var detector = WalkingDetector(rate: 100)
    for (number, magnitude) in movement.samples.enumerated() {
      detector.add(magnitude: number % 50 == 3 ? .nan : magnitude, counter: UInt32(number))
    }
    #expect(try #require(detector.walk).first == 0)
  }

  /// A gait with random cadence, strength and placement starts at a random time. It is detected
  /// from its first step, and no walk is detected before.
  @Test(arguments: [UInt64.random(in: 0..<1_000_000)] + [1, 2, 3])
  func `a detected walk includes its first step`(seed: UInt64) throws {
    print("a walk includes its first step: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      let rate = 25 + 175 * random.unit()
      let place = Movement.Place.allCases[Int(random.unit() * 2.99)]
      let rest = 5 + 20 * random.unit()
      var movement = Movement(seed: UInt64(random.unit() * 1e9), rate: rate)
      movement.rest(rest)
      movement.walk(
        15, at: place, cadence: 75 + 50 * random.unit(), strength: 0.7 + 0.8 * random.unit())
      movement.rest(10)
      let walks = Self.walks(movement.samples, rate: rate)
      let walk = try #require(walks.first, "seed \(seed), \(place), \(rate) Hz")
      #expect(walks.count == 1)
      let first = Double(walk.first) / rate
      #expect((rest - 2...rest).contains(first), "seed \(seed), \(place), \(rate) Hz: \(first)")
      let last = Double(walk.last) / rate
      #expect((rest + 14...rest + 16.5).contains(last), "seed \(seed), \(place), \(rate) Hz")
    }
  }

  /// Returns all walks in a stream without gaps. The last walk may end with the stream.
  static func walks(_ samples: [Double], rate: Double) -> [WalkingDetector.Walk] {
    var detector = WalkingDetector(rate: rate)
    var walks: [WalkingDetector.Walk] = []
    for (number, magnitude) in samples.enumerated() {
      detector.add(magnitude: magnitude, counter: UInt32(number))
      if let former = detector.formerWalk, former != walks.last { walks.append(former) }
    }
    if let walk = detector.walk { walks.append(walk) }
    return walks
  }
}
