internal import Export
internal import Gateway
internal import Glibc
internal import LinuxSystem
internal import Recording
internal import Storage

/// A program that exports a session and reports the cost: `bench --export STORE FORMAT`.
public enum MeasuredExport {
  /// Exports the last session in a store to a file next to the store. Prints the number of samples,
  /// the nanoseconds of processor time since the process started, and the peak memory in bytes.
  public static func run(_ arguments: ArraySlice<String>) throws -> Int32 {
    guard arguments.count == 2, let store = arguments.first,
      let format = arguments.last.flatMap({ ExportFormat(rawValue: $0) })
    else { return 2 }
    let reader = try StoreReader(path: store)
    guard let session = try reader.sessions().last else { return 1 }
    var export = SessionExport(store: store, session: session.id)
    export.replaces = true
    let outcome = try export.writeFile(store + "." + format.rawValue, as: format)
    var usage = rusage()
    guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return 1 }
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let microseconds = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    let nanoseconds = (seconds * 1_000_000 + Int(microseconds)) * 1_000
    let line = "\(outcome.totals?.rows ?? 0) \(nanoseconds) \(usage.ru_maxrss * 1_024)\n"
    return OwnedDescriptor(owning: 1).write(Array(line.utf8)) > 0 ? 0 : 1
  }
}
