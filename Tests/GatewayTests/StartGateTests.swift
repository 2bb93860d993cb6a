import Testing
import TestSupport

@testable import Gateway

@Suite(.computation) struct StartGateTests {
  @Test func `boards start together once all of them are set up`() {
    var gate = StartGate(for: 0..<3)
    #expect(gate.setUp(1) == [])
    #expect(gate.setUp(0) == [])
    #expect(!gate.hasStarted)
    #expect(gate.setUp(2) == [0, 1, 2])
    #expect(gate.hasStarted)
  }

  @Test func `other boards do not wait for a missing board, which starts when it appears`() {
    var gate = StartGate(for: 0..<2)
    #expect(gate.setUp(0) == [])
    #expect(gate.missed(1) == [0])
    #expect(gate.setUp(1) == [1])
  }

  @Test func `a board that appears before the others are set up starts with them`() {
    var gate = StartGate(for: 0..<2)
    #expect(gate.missed(1) == [])
    #expect(gate.setUp(1) == [])
    #expect(gate.setUp(0) == [0, 1])
  }

  @Test
  func `if a board loses its link before the common start, the others wait until it is back`() {
    var gate = StartGate(for: 0..<2)
    #expect(gate.setUp(0) == [])
    gate.lost(0)
    #expect(gate.setUp(1) == [])
    #expect(gate.setUp(0) == [0, 1])
  }

  @Test func `no board starts twice`() {
    var gate = StartGate(for: [0])
    #expect(gate.setUp(0) == [0])
    gate.lost(0)
    #expect(gate.setUp(0) == [])
  }

  @Test
  func `a late board starts as soon as it is ready, without waiting for missing boards`() {
    var gate = StartGate(for: 0..<2)
    #expect(gate.missed(0) == [])
    gate.appeared(0)
    #expect(gate.missed(1) == [])
    #expect(!gate.isHopeless)
    #expect(gate.setUp(0) == [0])
    gate.appeared(1)
    #expect(gate.setUp(1) == [1])
  }

  @Test func `if every board is missing, no board starts and the gate is hopeless`() {
    var gate = StartGate(for: 0..<2)
    #expect(gate.missed(0) == [])
    #expect(!gate.isHopeless)
    #expect(gate.missed(1) == [])
    #expect(gate.isHopeless)
  }
}
