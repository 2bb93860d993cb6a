internal import HotPaths
internal import LinuxSystem

/// Runs one hot path for a profiler that counts instructions: `count packed-ring 10240`.
@main
struct Main {
  static func main() {
    let arguments = ThisProcess.arguments
    guard arguments.count == 2, let path = HotPath(named: arguments[0]),
      let units = Int(arguments[1]), units > 0
    else {
      fatalError("specify a hot path such as packed-ring or merged, and a number of units")
    }
    precondition(path.run(units) == units * path.samplesPerUnit, "samples are missing")
  }
}
