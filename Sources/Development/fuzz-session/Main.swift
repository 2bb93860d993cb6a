internal import Fuzzing

#if FUZZING
  // Safety: libFuzzer lends `count` bytes at `input` for this call; they are copied first.
  /// The function that libFuzzer calls with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func play(_ input: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    unsafe Fuzzer.session.play(Array(UnsafeBufferPointer(start: input, count: count)))
    return 0
  }
#else
  @main
  struct Main {
    static func main() {
      ReplayCommand(.session).main()
    }
  }
#endif
