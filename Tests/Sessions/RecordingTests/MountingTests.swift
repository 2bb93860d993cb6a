import Foundation
import Recording
import Simulation
import TestSupport
import Testing
import Values

@Suite(.computation) struct MountingTests {
  private static let left = BoardAddress(value: 1)
  private static let right = BoardAddress(value: 2)

  /// A walk with a board on each leg, attached at any angle.
  private struct Pair {
    /// The 24 orientations in which a board's edges are parallel to the leg's axes.
    static let orientations: [[SIMD3<Double>]] = axes.flatMap { first in
      axes.filter { ($0 * first).sum() == 0 }.map { second in [first, second, cross(first, second)]
      }
    }
    private static let axes = [1.0, -1].flatMap { sign in
      [SIMD3(sign, 0, 0), SIMD3(0, sign, 0), SIMD3(0, 0, sign)]
    }
    private static let rate = 50.0

    var generator: SeededGenerator

    /// Returns the boards after twenty steps of a person, and the number of steps until both
    /// mountings were known. The boards are attached in these orientations, up to 10° off. `slip`
    /// is the angle in degrees by which the left board moves back and forth.
    mutating func walk(
      person: UInt64, _ orientations: [[SIMD3<Double>]], isSwapped: Bool = false,
      slip: Double = 0
    ) throws -> (boards: [PlacedBoard], steps: Double) {
      let start = 1_000 * generator.unit()
      var boards: [PlacedBoard] = []
      var steps = 0.0
      for leg in 0...1 {
        let (mounting, seconds) = try #require(
          attach(
            GaitWearer(seed: person, board: leg), orientations[leg], from: start,
            slip: leg == 0 ? slip : 0))
        let isLeft = (leg == 0) != isSwapped
        boards.append(
          PlacedBoard(
            leg == 0 ? left : right, at: isLeft ? "left ankle" : "right ankle", mounting))
        steps = max(steps, 2 * Gait.walking.strideRate * seconds)
      }
      return (boards, steps)
    }

    private mutating func attach(
      _ wearer: GaitWearer, _ axes: [SIMD3<Double>], from start: Double, slip: Double
    ) -> (Mounting, seconds: Double)? {
      let about = SIMD3(
        generator.gaussian(), generator.gaussian(), generator.gaussian())
      let error = Orientation(
        degrees: 10 * generator.unit(), about: about / (about * about).sum().squareRoot())
      var meter = MountingMeter(accelerationRate: Self.rate, rotationRate: Self.rate)
      for number in 0..<UInt32(20 * Self.rate) {
        let time = start + Double(number) / Self.rate
        let strap = Orientation(degrees: slip * sin(2 * time), about: SIMD3(1, 0, 0)) * error
        let (acceleration, rotation) = (
          measure(strap(wearer.acceleration(at: time)), axes, noise: 0.02),
          measure(strap(wearer.angularVelocity(at: time)), axes, noise: 2)
        )
        meter.add(acceleration: acceleration, counter: number)
        if let mounting = meter.add(rotation: rotation, counter: number) {
          return (mounting, time - start)
        }
      }
      return nil
    }

    private mutating func measure(
      _ vector: SIMD3<Double>, _ axes: [SIMD3<Double>], noise: Double
    ) -> SIMD3<Double> {
      SIMD3(
        (vector * axes[0]).sum() + noise * generator.gaussian(),
        (vector * axes[1]).sum() + noise * generator.gaussian(),
        (vector * axes[2]).sum() + noise * generator.gaussian())
    }

    private static func cross(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(
        one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z,
        one.x * other.y - one.y * other.x)
    }
  }

  @Test func `swapped boards are detected within twenty steps, however they are attached`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var pair = Pair(generator: SeededGenerator(seed: seed))
    var (found, alarms) = (0, 0)
    let persons = 8
    for person in 0..<UInt64(persons) {
      for orientation in Pair.orientations {
        let other = try #require(Pair.orientations.randomElement(using: &pair.generator))
        let attached = [orientation, other]
        let former = try pair.walk(person: person, attached)
        let same = try pair.walk(person: person, attached)
        let swapped = try pair.walk(person: person, attached, isSwapped: true)
        #expect(max(same.steps, swapped.steps) <= 20, "seed \(seed)")
        if !MountingCheck.faults(of: same.boards, after: former.boards).isEmpty { alarms += 1 }
        let fault = MountingFault(
          .swapped, [Self.right, Self.left], at: ["left ankle", "right ankle"])
        if MountingCheck.faults(of: swapped.boards, after: former.boards) == [fault] { found += 1 }
      }
    }
    let count = persons * Pair.orientations.count
    print("swapped: \(found) of \(count) found, \(alarms) false alarms, seed \(seed)")
    #expect(Double(found) >= 0.98 * Double(count), "seed \(seed)")
    #expect(Double(alarms) <= 0.01 * Double(count), "seed \(seed)")
  }

  @Test func `a turned or upside-down board is reported with its angle`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var pair = Pair(generator: SeededGenerator(seed: seed))
    for orientation in Pair.orientations {
      let former = try pair.walk(person: 3, [Pair.orientations[0], Pair.orientations[0]])
      let present = try pair.walk(person: 3, [orientation, Pair.orientations[0]])
      let faults = MountingCheck.faults(of: present.boards, after: former.boards)
      // The first axis of the leg points up. Its component along each axis of the board therefore
      // shows which way the board points.
      func up(_ axes: [SIMD3<Double>]) -> [Double] { axes.map(\.x) }
      let cosine = zip(up(orientation), up(Pair.orientations[0])).reduce(0) { $0 + $1.0 * $1.1 }
      if orientation == Pair.orientations[0] {
        #expect(faults.isEmpty, "seed \(seed)")
      } else if cosine < -0.5 {
        #expect(faults.map(\.kind) == [.upsideDown], "seed \(seed)")
      } else {
        #expect(faults.map(\.kind) == [.turned], "seed \(seed)")
        let trace = zip(orientation, Pair.orientations[0]).reduce(0) { $0 + ($1.0 * $1.1).sum() }
        let expected = acos(max(-1, min(1, (trace - 1) / 2))) * 180 / Double.pi
        let degrees = try #require(faults.first?.degrees)
        #expect(abs(Double(degrees) - expected) < 25, "seed \(seed)")
      }
      #expect(faults.allSatisfy { $0.boards == [Self.left] }, "seed \(seed)")
    }
  }

  @Test func `a board that moves on the leg is reported as loose`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var pair = Pair(generator: SeededGenerator(seed: seed))
    let attached = [Pair.orientations[0], Pair.orientations[5]]
    var found = 0
    for person in 0..<UInt64(40) {
      let loose = try pair.walk(person: person, attached, slip: 60).boards
      let fault = MountingFault(.loose, [Self.left], at: ["left ankle"])
      if MountingCheck.faults(of: loose) == [fault] { found += 1 }
      let firm = try pair.walk(person: person, attached).boards
      #expect(MountingCheck.faults(of: firm).isEmpty, "seed \(seed)")
    }
    // By chance, a board may be in the same position in each of the first five strides.
    #expect(found >= 34, "seed \(seed)")
  }

  @Test func `boards without a side or an earlier session are not reported as swapped`() throws {
    var pair = Pair(generator: SeededGenerator(seed: 5))
    let attached = [Pair.orientations[0], Pair.orientations[0]]
    let former = try pair.walk(person: 1, attached).boards
    var swapped = try pair.walk(person: 1, attached, isSwapped: true).boards
    // The shanks of different people may roll differently, so a first session on its own proves
    // nothing.
    #expect(MountingCheck.faults(of: swapped).isEmpty)
    #expect(MountingCheck.faults(of: swapped, after: former).map(\.kind) == [.swapped])
    for index in swapped.indices { swapped[index].place = "board \(index)" }
    #expect(MountingCheck.faults(of: swapped, after: former).isEmpty)
  }

  @Test func `sides are recognised in labels with different spellings`() throws {
    var pair = Pair(generator: SeededGenerator(seed: 6))
    let attached = [Pair.orientations[0], Pair.orientations[0]]
    let former = try pair.walk(person: 1, attached).boards
    let swapped = try pair.walk(person: 1, attached, isSwapped: true).boards
    for (left, right) in [("L", "R"), ("Ankle_Left", "ankle right"), ("left-shank", "Right Shank")]
    {
      func labelled(_ boards: [PlacedBoard]) -> [PlacedBoard] {
        boards.map {
          PlacedBoard($0.address, at: $0.place == "left ankle" ? left : right, $0.mounting)
        }
      }
      let faults = MountingCheck.faults(of: labelled(swapped), after: labelled(former))
      #expect(faults.map(\.kind) == [.swapped])
      #expect(faults.first?.places == [left, right])
    }
  }

  @Test func `no mounting is found if the person is standing or the counter keeps jumping`() {
    var meter = MountingMeter(accelerationRate: 50, rotationRate: 50)
    let wearer = GaitWearer(seed: 2)
    var counter = UInt32(0)
    for number in 0..<2_000 {
      meter.add(acceleration: SIMD3(1, 0, 0), counter: UInt32(number))
      #expect(meter.add(rotation: SIMD3(0.2, 0, 0), counter: UInt32(number)) == nil)
    }
    // Three strides between gaps are too few.
    for number in 0..<1_500 {
      counter += number % 150 == 0 ? 200 : 1
      let time = Double(number) / 50
      meter.add(acceleration: wearer.acceleration(at: time), counter: counter)
      #expect(meter.add(rotation: wearer.angularVelocity(at: time), counter: counter) == nil)
    }
  }

  @Test func `a mounting can be restored from its text, and other text is rejected`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var pair = Pair(generator: SeededGenerator(seed: seed))
    let board = try #require(
      try pair.walk(person: 4, [Pair.orientations[7], Pair.orientations[9]]).boards.first)
    let mounting = board.mounting
    let read = try #require(Mounting(text: mounting.text, looseness: mounting.looseness))
    #expect(read.text == mounting.text)
    #expect(read.angle(to: mounting) < 1)
    #expect(zip(read.roll, mounting.roll).allSatisfy { abs($0 - $1) < 0.01 })
    for text in [
      "", "up 0 0 0", "up 1 0", "swing 1 0 0", "up 1 0 0; roll 1 2 3", "up nan 0 0", "up 1 0 inf",
      "hello; up",
    ] {
      #expect(Mounting(text: text, looseness: 0) == nil, "\(text)")
    }
    #expect(Mounting(text: "up 1 0 0; heel 3", looseness: 1)?.swing == nil)
  }
}
