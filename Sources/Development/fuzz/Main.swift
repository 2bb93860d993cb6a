internal import Fuzzing

#if FUZZING
  /// The fuzzer named by the first argument.
  private let fuzzer = ReplayCommand.fuzzer(of: Array(CommandLine.arguments.dropFirst()))

  // Safety: libFuzzer lends its arguments for this call, before it reads them. With the name of a
  // fuzzer there are at least two, and the remaining list begins with the program as before.
  /// Removes the name of the fuzzer from the arguments of libFuzzer, which would look for a corpus
  /// of that name.
  @_cdecl("LLVMFuzzerInitialize")
  public func takeName(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
  ) -> CInt {
    guard fuzzer != nil else { fatalError(ReplayCommand.usage) }
    unsafe arguments.pointee[1] = arguments.pointee[0]
    unsafe arguments.pointee += 1
    unsafe count.pointee -= 1
    return 0
  }

  // Safety: libFuzzer lends `count` bytes at `input` for this call; they are copied first.
  /// The function that libFuzzer calls with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func play(_ input: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe fuzzer?.play(Array(UnsafeBufferPointer(start: input, count: count)))
    return 0
  }
#else
  @main
  struct Main {
    static func main() { ReplayCommand.main() }
  }
#endif
