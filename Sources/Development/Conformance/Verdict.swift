/// The reason a vector did not pass.
enum Objection: Error {
  /// The codec gave another result.
  case failed(String)
  /// The vector needs a feature that this runner lacks.
  case skipped(String)
}

/// The number of passed vectors, and the failed ones.
public struct Verdict: Hashable, Sendable {
  /// The number of vectors with the right result.
  public var passed = 0
  /// One line for each failed vector.
  public var failures: [String] = []
  /// One line for each skipped vector.
  public var skips: [String] = []

  public init() {}

  /// The lines to print, with the totals last.
  public var lines: [String] {
    failures.map { "FAILED \($0)" } + skips.map { "skipped \($0)" }
      + ["\(passed) passed, \(failures.count) failed, \(skips.count) skipped"]
  }

  /// Records the result of one vector.
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
