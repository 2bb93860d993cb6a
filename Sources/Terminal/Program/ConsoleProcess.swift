internal import LinuxSystem
internal import Values

extension Verb {
  /// Runs an executable with this verb alone as this process.
  public static func runProcess() -> Never {
    ConsoleProcess.run(definition.name) { environment, console in
      try await Command(self).run(
        ThisProcess.arguments, common: CommonConfiguration(), environment: environment,
        console: console)
    }
  }
}

/// A process with a console: from the command line to an exit status.
enum ConsoleProcess {
  /// Runs `body` as this process; `call` is the typed name of the program.
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
      // After a stop, the shell has written below the view.
      console.finishPainting()
    }) { number, isFromTerminal in
      guard let status = console.interrupt(by: number, fromTerminal: isFromTerminal) else {
        return
      }
      console.restoreCursor()
      ThisProcess.exitAtOnce(status.rawValue)
    }
    guard let watch else { ThisProcess.exit(1) }
    // Signals are watched until the end.
    withExtendedLifetime(watch) {
      ThisProcess.run {
        await end(console) {
          if let unreadable = ThisProcess.unreadableArgument {
            throw Complaint.usage(
              "argument \(unreadable) is not text in UTF-8",
              remedy: "type it again in a terminal that uses UTF-8", command: call)
          }
          return try await body(environment, console)
        }
      }
    }
  }

  /// Runs a program, and returns its exit status.
  ///
  /// Errors are printed on standard error here and nowhere else. A reader that closes our standard
  /// output needs no more, so that ends the program quietly and with success. When this returns,
  /// everything is written, or was given up because nobody reads.
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
      // Only a signal makes a wait end like this.
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
