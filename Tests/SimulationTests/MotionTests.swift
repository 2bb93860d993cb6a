import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

private func length(_ vector: SIMD3<Double>) -> Double {
  (vector * vector).sum().squareRoot()
}

@Suite(.computation) struct RunningTests {
  @Test(arguments: [1, 42, 99_999] as [UInt64])
  func `a runner takes 80 to 88 strides per minute, with heel strikes of 6 to 14 g`(
    _ seed: UInt64
  ) throws {
    let runner = GaitWearer(seed: seed, gait: .running)
    let forces = (0..<12_000).map { runner.acceleration(at: Double($0) / 200) }
    let strongest = try #require(forces.map(length).max())
    #expect((6...14).contains(strongest), "\(strongest) g")
    let mean = forces.reduce(SIMD3<Double>.zero, +) / Double(forces.count)
    #expect((0.7...1.05).contains(length(mean)), "\(length(mean)) g")
    var strikes = 0
    var last = -1_000
    for (index, force) in forces.enumerated() where length(force) > 5 {
      if index - last > 80 { strikes += 1 }
      last = index
    }
    #expect((80...88).contains(strikes), "\(strikes) strides in a minute")
    let rates = (0..<12_000).map { length(runner.angularVelocity(at: Double($0) / 200)) }
    let fastest = try #require(rates.max())
    #expect((450...800).contains(fastest), "\(fastest) deg/s")
  }

  @Test func `a runner leaves the ground between two steps, and a walker never does`() {
    let phases = (0..<1_000).map { (Double($0) + 0.5) / 1_000 }
    let flight = phases.filter { Gait.running.support(atPhase: $0) == 0 }
    #expect((270...290).contains(flight.count))
    #expect(flight.allSatisfy { $0.truncatingRemainder(dividingBy: 0.5) >= 0.36 })
    let mean = phases.reduce(0) { $0 + Gait.running.support(atPhase: $1) } / 1_000
    #expect(abs(mean - 1) < 1e-3)
    #expect(phases.allSatisfy { Gait.walking.support(atPhase: $0) == 1 })
  }

  @Test func `a runner moves faster along the route, and a wearer who lies down stays in place`() {
    #expect(WearerKind.running.route.position(at: 10).speed == 3.1)
    #expect(WearerKind.still.route.position(at: 0) == WearerKind.still.route.position(at: 99))
    let route = WearerKind.falling(at: 20).route
    #expect(route.position(at: 19).speed == 1.4)
    #expect(route.position(at: 20).speed == 0)
    #expect(route.position(at: 20) == route.position(at: 60))
    #expect(route.position(at: 10) == WalkRoute().position(at: 10))
  }
}

@Suite(.computation) struct FallingTests {
  @Test(arguments: [1, 42, 99_999] as [UInt64])
  func `a fall consists of a walk, free fall, an impact, and lying still`(
    _ seed: UInt64
  ) throws {
    let wearer = FallingWearer(seed: seed, at: 20)
    let walker = GaitWearer(seed: seed)
    for time in stride(from: 0.0, to: 20, by: 0.05) {
      #expect(wearer.acceleration(at: time) == walker.acceleration(at: time))
      #expect(wearer.angularVelocity(at: time) == walker.angularVelocity(at: time))
    }
    let landing = 20 + FallingWearer.fallSeconds
    for time in stride(from: 20.08, to: landing - 0.001, by: 0.005) {
      #expect(length(wearer.acceleration(at: time)) < 0.3, "\(time)")
    }
    let blow = stride(from: landing, to: landing + 0.2, by: 0.001)
      .map { length(wearer.acceleration(at: $0)) }
    let strongest = try #require(blow.max())
    #expect((3...16).contains(strongest), "\(strongest) g")
    let lying = wearer.acceleration(at: 23)
    for time in stride(from: 22.0, to: 60, by: 0.5) {
      #expect(length(wearer.acceleration(at: time) - lying) < 1e-6)
      #expect(wearer.angularVelocity(at: time) == .zero)
    }
    #expect(abs(length(lying) - 1) < 1e-6)
    // The upward direction is along the shank while the wearer is standing, and across it while the
    // wearer is lying.
    let standing = wearer.orientation(at: 19).inverse(SIMD3(0, 0, 1))
    #expect(standing.x > 0.7)
    #expect(abs(lying.x) < 0.7)
    #expect((standing * lying).sum() < 0.8)
  }

  @Test func `during a fall, the gyroscope measures the board's rotation`() {
    let wearer = FallingWearer(seed: 5, at: 20)
    for time in stride(from: 20.001, to: 20.449, by: 0.01) {
      let step = 1e-5
      let turn = wearer.orientation(at: time).inverse * wearer.orientation(at: time + step)
      let turned = 2 * turn.imaginary / step * 180 / Double.pi
      #expect(length(turned - wearer.angularVelocity(at: time)) < 1, "\(time)")
    }
    let before = wearer.orientation(at: 20 - 1e-9)
    #expect(length((before.inverse * wearer.orientation(at: 20)).imaginary) < 1e-6)
  }

  @Test func `acceleration has no jumps during a fall until the impact`() {
    let wearer = FallingWearer(seed: 5, at: 20)
    for time in stride(from: 19.5, to: 20.44, by: 0.000_5) {
      let step = wearer.acceleration(at: time + 0.000_5) - wearer.acceleration(at: time)
      #expect(length(step) < 0.3, "\(time)")
    }
  }
}

@Suite(.computation) struct RecordedWearerTests {
  static let walk = """
    time,ax,ay,az,gx,gy,gz
    10,0,0,1,0,0,10
    10.5,1,0,1,0,0,20
    12,-2,0.5,1e0,0,-3,20
    """

  @Test func `values between two rows of a recording are interpolated linearly`() throws {
    let wearer = try RecordedWearer(Self.walk)
    #expect(wearer.duration == 2)
    #expect(wearer.acceleration(at: 0) == SIMD3(0, 0, 1))
    #expect(wearer.acceleration(at: 0.25) == SIMD3(0.5, 0, 1))
    #expect(wearer.angularVelocity(at: 0.25) == SIMD3(0, 0, 15))
    #expect(wearer.acceleration(at: 1.25) == SIMD3(-0.5, 0.25, 1))
    #expect(wearer.acceleration(at: -3) == SIMD3(0, 0, 1))
    // The recording starts again after its end.
    #expect(wearer.acceleration(at: 4.5) == SIMD3(1, 0, 1))
  }

  @Test
  func `the columns of a motion recording may be in any order, with any line endings`()
    throws
  {
    let text = "\u{feff}gz,gy,gx,note,az,ay,ax,t\r\n1,2,3,a,4,5,6,0\r\n1,2,3,b,4,5,6,0.5\r\n"
    let wearer = try RecordedWearer(text)
    #expect(wearer.acceleration(at: 0.1) == SIMD3(6, 5, 4))
    #expect(wearer.angularVelocity(at: 0.1) == SIMD3(3, 2, 1))
  }

  @Test func `an export is accepted as a recording, and the first of several boards is used`()
    throws
  {
    let text = """
      time_utc,seconds,board,signal,x,y,z,w,lat,lon,alt_msl,fix_quality,fix_age
      ,0.100000,C8:4B:AA:97:50:05,acceleration,0.5,0,1,,,,,,
      ,0.150000,C8:4B:AA:97:50:05,angular_velocity,10,20,30,,,,,,
      ,0.150000,C8:4B:AA:98:51:08,acceleration,9,9,9,,,,,,
      ,0.300000,C8:4B:AA:97:50:05,acceleration,1.5,0,1,,,,,,
      ,0.300000,C8:4B:AA:97:50:05,temperature,20,,,,,,,,
      """
    let wearer = try RecordedWearer(text)
    #expect(abs(wearer.duration - 0.2) < 1e-12)
    #expect(abs(wearer.acceleration(at: 0.1).x - 1) < 1e-9)
    #expect(wearer.angularVelocity(at: 0) == SIMD3(10, 20, 30))
  }

  @Test func `a comma in the name of an exported board does not start a new column`() throws {
    let wearer = try RecordedWearer(
      #"""
      seconds,board,signal,x,y,z,name,unit,range
      0.1,C8:4B:AA:97:50:05,acceleration,0.5,0,1,"left, ""wrist""",g,16
      0.2,C8:4B:AA:97:50:05,acceleration,1.5,0,1,"left, ""wrist""",g,16
      """#)
    #expect(wearer.acceleration(at: 0) == SIMD3(0.5, 0, 1))
  }

  @Test(arguments: [
    ("", "line 1: the column time is missing; the columns are time, ax, ay, az, gx, gy and gz"),
    ("time,ax,ay,az,gx,gy", "line 1: the column gz is missing"),
    ("time,ax,ay,az,gx,gy,gz", "it contains no acceleration"),
    ("time,ax,ay,az,gx,gy,gz\n0,0,0,1,0,0,0", "fewer than two different times"),
    ("time,ax,ay,az,gx,gy,gz\n0,0,0,1,0,0,0\n1,0,0", "line 3: it has 3 fields, but the first line"),
    ("time,ax,ay,az,gx,gy,gz\n0,0,0,1,0,0,0\n1,0,0,x,0,0,0", "line 3: 'x' is not a number"),
    ("time,ax,ay,az,gx,gy,gz\n0,0,0,nan,0,0,0", "line 2: 'nan' is not a number"),
    ("time,ax,ay,az,gx,gy,gz\n1,0,0,1,0,0,0\n1,0,0,1,0,0,0", "line 3: its time is not later"),
    ("time,ax,ay,az,gx,gy,gz\n\n1,0,0,1,0,0,0", "line 2: it has 1 fields"),
  ])
  func `an unusable motion recording is rejected, and the error names the faulty line`(
    _ text: String, _ words: String
  ) {
    #expect { try RecordedWearer(text) } throws: { error in
      "\(error)".contains(words)
    }
  }

  @Test func `a board measures the motion in a recording`() throws {
    let wearer = try RecordedWearer(
      "time,ax,ay,az,gx,gy,gz\n0,0,0,2,0,0,100\n10,0,0,2,0,0,100\n")
    var client = SimulatedBoardClient(.metaMotionS, wearer: wearer)
    client.write([
      [0x03, 0x03, 0xa8, 0x02], [0x03, 0x04, 0x01], [0x03, 0x02, 0x01, 0x00], [0x03, 0x01, 0x01],
    ])
    let samples = client.wait(seconds: 1)
    #expect(samples.count > 90)
    for sample in samples {
      let z = sample.bytes.span.int16(at: 6)
      #expect(abs(Double(z) / 4_096 - 2) < 0.05)
    }
  }
}
