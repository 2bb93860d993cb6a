import MetaWearProtocol

/// A strand of lights connected to a simulated board.
public struct SimulatedNeoPixels: Hashable, Sendable {
  public let pin: UInt8
  /// The red, green and blue values that each light currently shows.
  public internal(set) var lights: [[UInt8]]
  /// The red, green and blue values that each light will show once the strand is no longer frozen.
  var next: [[UInt8]]
  var isHeld = false
  /// The current rotation, with its number of turns and its period.
  var rotation: NeoPixel?

  init(pin: UInt8, count: UInt8) {
    self.pin = pin
    lights = Array(repeating: [0, 0, 0], count: Int(count))
    next = lights
  }

  mutating func set(_ colour: [UInt8], from first: UInt8, through last: UInt8) {
    for index in Int(first)...Int(last) { next[index] = colour }
    if !isHeld { lights = next }
  }
}

extension SimulatedBoard {
  private static let strandCount: UInt8 = 3

  /// Returns a strand's lights; `nil` if the strand is not in use.
  public func strand(_ number: UInt8) -> SimulatedNeoPixels? {
    state.strands[number]
  }

  mutating func obey(_ command: NeoPixel) {
    if case .open(let strand, _, _, let pin, let count) = command {
      open(strand, pin: pin, count: count)
      return
    }
    guard let count = state.strands[command.strand]?.lights.count else {
      complain("the strand is not in use")
      return
    }
    switch command {
    case .open: break
    case .hold(let strand, let isOn):
      state.strands[strand]?.isHeld = isOn
      if !isOn, let next = state.strands[strand]?.next { state.strands[strand]?.lights = next }
    case .clear(let strand, let first, let last):
      guard first <= last, Int(last) < count else {
        complain("the strand has \(count) lights")
        return
      }
      state.strands[strand]?.set([0, 0, 0], from: first, through: last)
    case .colour(let strand, let index, let red, let green, let blue):
      guard Int(index) < count else {
        complain("the strand has \(count) lights")
        return
      }
      state.strands[strand]?.set([red, green, blue], from: index, through: index)
    case .rotate(let strand, _, let times, _):
      state.strands[strand]?.rotation = times == 0 ? nil : command
    case .close(let strand): state.strands[strand] = nil
    }
  }

  private mutating func open(_ strand: UInt8, pin: UInt8, count: UInt8) {
    if strand >= Self.strandCount {
      complain("there are \(Self.strandCount) strands")
    } else if state.strands[strand] != nil {
      complain("the strand is already in use")
    } else if !hasPin(pin) {
      complain("there is no such pin")
    } else if count == 0 {
      complain("a strand needs at least one light")
    } else {
      state.strands[strand] = SimulatedNeoPixels(pin: pin, count: count)
    }
  }
}

extension NeoPixel {
  fileprivate var strand: UInt8 {
    switch self {
    case .open(let strand, _, _, _, _), .hold(let strand, _), .clear(let strand, _, _),
      .colour(let strand, _, _, _, _), .rotate(let strand, _, _, _), .close(let strand):
      strand
    }
  }
}
