internal import CSwiftTasks
internal import LinuxSystem

/// The pieces of tasks that are ready to run, instead of the runtime's pool of threads.
// Safety: one thread of the kernel runs everything that uses this object, and a job belongs to the
// list until it runs, which it does once.
@safe final class SimulatedTasks: @unchecked Sendable {
  static let shared = SimulatedTasks()

  private var ready: [UnsafeMutableRawPointer] = unsafe []

  /// Takes over all tasks of this thread that no actor or executor keeps.
  func install() {
    unsafe ctasks_install { job in
      guard Computer.simulated != nil, let job = unsafe job else { return false }
      unsafe SimulatedTasks.shared.ready.append(job)
      return true
    }
  }

  /// Drops the pieces that have not run, and takes no more.
  func remove() {
    ctasks_remove()
    removeAll()
  }

  /// The number of pieces.
  var count: Int { unsafe ready.count }

  /// Runs one piece.
  func run(_ place: Int) {
    unsafe ctasks_run(ready.remove(at: place))
  }

  func removeAll() {
    unsafe ready.removeAll()
  }
}
