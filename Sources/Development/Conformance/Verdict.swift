/// The reason why a vector did not pass.
enum Objection: Error {
  /// The result differs from the expected result.
  case failed(String)
  /// The vector needs a feature that this runner does not support.
  case skipped(String)
}

/// The number of vectors that passed, and the vectors that failed or were skipped.
public struct Verdict: Hashable, Sendable {
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

  /// The exit status of a run: 0 if no vector failed. A run without vectors checks nothing, so its
  /// status is 1.
  var status: Int32 { failures.isEmpty && passed + skips.count > 0 ? 0 : 1 }

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

  mutating func skip(_ names: [String], because reason: String) {
    skips += names.map { "\($0): \(reason)" }
  }

  mutating func add(_ other: Verdict) {
    passed += other.passed
    failures += other.failures
    skips += other.skips
  }
}
