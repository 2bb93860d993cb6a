import TestSupport
import Testing
import Values

@Suite(.computation) struct ConnectionParametersTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let parameters: ConnectionParameters
    let violation: ConnectionParameters.Violation?
    var testDescription: String { name }

    init(
      _ name: String, _ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16,
      _ violation: ConnectionParameters.Violation?
    ) {
      self.name = name
      parameters = ConnectionParameters(
        minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
      self.violation = violation
    }
  }

  static let cases = [
    Case("7.5 ms, 6 s", 6, 6, 0, 600, nil),
    Case("the kernel's own", 24, 40, 0, 42, nil),
    Case("the longest interval", 3_200, 3_200, 0, 3_200, nil),
    Case("shorter than 7.5 ms", 5, 6, 0, 600, .interval),
    Case("longer than 4 s", 6, 3_201, 0, 3_200, .interval),
    Case("shortest above longest", 12, 6, 0, 600, .order),
    Case("500 slept through", 6, 6, 500, 3_200, .latency),
    Case("499 slept through", 6, 6, 499, 3_200, nil),
    Case("a timeout below 100 ms", 6, 6, 0, 9, .timeout),
    Case("a timeout above 32 s", 6, 6, 0, 3_201, .timeout),
    Case("as long as eight timeouts", 80, 80, 0, 10, .timeoutTooShort),
    Case("one step below, but not met twice", 79, 79, 0, 10, .latencyTooLong),
    Case("met twice", 40, 40, 0, 10, nil),
    Case("99 slept through", 24, 24, 99, 600, nil),
    Case("one more than may be", 24, 24, 100, 600, .latencyTooLong),
  ]

  @Test(arguments: cases)
  func `the error for invalid parameters names the first violated rule`(_ test: Case) {
    #expect(test.parameters.violation == test.violation)
  }
}
