import Foundation
public import Testing

extension Trait where Self == ConditionTrait {
  /// For a suite of commands that run briefly or of long simulated recordings, and for a test that
  /// measures memory. Under a sanitizer, a program needs several times the processor time, and
  /// other suites already run every thread of the programs there.
  public static var withoutSanitizer: Self {
    .disabled(
      if: ProcessInfo.processInfo.environment["FOOTBRIDGE_TESTS"] != nil,
      "other suites run the same threads under the sanitizer, in less time")
  }
}
