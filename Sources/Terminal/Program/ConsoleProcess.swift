internal import LinuxSystem
internal import Values

extension Verb {
  /// Runs this verb as the current process, in an executable that contains no other verb.
  public static func runProcess() -> Never {
    ConsoleProcess.run(definition.name) { environment, console in
      try await Command(self).run(
        ThisProcess.arguments, common: CommonConfiguration(), environment: environment,
        console: console)
    }
  }
}

/// Runs a process with a console, from the command line to the exit status.
enum ConsoleProcess {
  /// Runs `body` as the current process. `call` is the program's name, for errors.
  static func run(
    _ call: String,
    _ body: @escaping @Sendable ([String: String], Console) async throws -> ExitStatus
  ) -> Never {
    ThisProcess.occupyClosedStreams()
    SignalWatch.prepareProcess()
    ThisProcess.leaveNoCoreFile()
    let environment = Environment.variables
    let console = Console.standard(environment: environment)
    let watch = try? SignalWatch(leave: {
      console.restoreCursor()
      // While the process is stopped, the shell prints text below the view, so the view must not be
      // repainted in place.
      console.finishPainting()
    }) { number, isFromTerminal in
      guard let status = console.interrupt(by: number, fromTerminal: isFromTerminal) else {
        return
      }
      console.restoreCursor()
      ThisProcess.exitAtOnce(status.rawValue)
    }
    guard let watch else { ThisProcess.exit(1) }
    // Signals are handled until the process ends.
    withExtendedLifetime(watch) {
      ThisProcess.run {
        await end(console) {
          if let unreadable = ThisProcess.unreadableArgument {
            throw Complaint.usage(
              "argument \(unreadable) is not valid UTF-8",
              remedy: "type it again in a terminal that uses UTF-8", command: call)
          }
          return try await body(environment, console)
        }
      }
    }
  }

  /// Runs a program and returns its exit status.
  ///
  /// Prints the thrown error to standard error. If the reader closes standard output, no more
  /// output is needed, and the program ends silently with success. Before this returns, all output
  /// has been written, or abandoned because nobody reads it.
  static func end(
    _ console: Console, of body: () async throws -> ExitStatus
  ) async -> Int32 {
    var status: ExitStatus
    do {
      status = try await body()
      console.finishPainting()
      try console.flush()
    } catch OutputError.closed {
      status = .ok
    } catch OutputError.unread {
      // `OutputError.unread` is thrown only when a signal ends a wait.
      status = console.interruption ?? .failed
    } catch {
      console.finishPainting()
      let complaint = Complaint(explaining: error)
      console.complain(complaint)
      status = complaint.status
    }
    console.close()
    return status.rawValue
  }
}
