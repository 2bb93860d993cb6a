internal import Fuzzing

#if FUZZING
  private let fuzzer = ReplayCommand.fuzzer(of: Array(CommandLine.arguments.dropFirst()))

  // Safety: libFuzzer passes its arguments for the duration of this call, before it reads them. If
  // a fuzzer is named, there are at least two arguments, and the remaining list still begins with
  // the program's name.
  /// Removes the fuzzer's name from libFuzzer's arguments, because libFuzzer would treat it as a
  /// corpus folder.
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

  // Safety: `count` bytes at `input` are valid during this call. They are copied first.
  /// Called by libFuzzer with each input.
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
