/// Why a vector did not pass.
enum Objection: Error {
  /// The codec said something else.
  case failed(String)
  /// The vector asks for what this runner does not do.
  case skipped(String)
}

/// How many vectors passed, and which failed.
public struct Verdict: Hashable, Sendable {
  /// How many said what they should.
  public var passed = 0
  /// One line for each that did not.
  public var failures: [String] = []
  /// One line for each that was not tried.
  public var skips: [String] = []

  /// A verdict on nothing.
  public init() {}

  /// The lines to print, the sum last.
  public var lines: [String] {
    failures.map { "FAILED \($0)" } + skips.map { "skipped \($0)" }
      + ["\(passed) passed, \(failures.count) failed, \(skips.count) skipped"]
  }

  /// Takes the result of one vector.
  mutating func record(_ id: String, _ check: () throws(Objection) -> Void) {
    do throws(Objection) {
      try check()
      passed += 1
    } catch {
      switch error {
      case .failed(let what): failures.append("\(id): \(what)")
      case .skipped(let why): skips.append("\(id): \(why)")
      }
    }
  }

  /// Adds the vectors of another file.
  mutating func add(_ other: Verdict) {
    passed += other.passed
    failures += other.failures
    skips += other.skips
  }
}
