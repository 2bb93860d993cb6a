internal import CLinux
internal import Glibc

/// Watches for kernel notifications about new links, addresses and routes. After such a
/// notification, an unreachable destination may have become reachable.
public final class NetworkWatch: Sendable {
  private let wake: WakeUp
  private let stopping: StopFlag
  private let thread: NamedThread

  /// Calls `handle` on a separate thread after each notification. Notifications that arrive
  /// together cause a single call.
  public init(_ handle: @escaping @Sendable () -> Void) throws(SystemError) {
    let number = clinux_network_news()
    guard number >= 0 else { throw SystemError("watch for network changes") }
    let news = DescriptorBox(OwnedDescriptor(owning: number))
    let wake = try WakeUp()
    let stopping = StopFlag()
    self.wake = wake
    self.stopping = stopping
    thread = try NamedThread("network") {
      guard let news = news.take() else { return }
      var polls = PollSet()
      polls.add(news.number)
      polls.add(wake.number)
      while !stopping.isRaised {
        polls.wait(seconds: nil)
        var hasCome = false
        while true {
          let came = clinux_network_came(news.number)
          if came < 0 { break }
          hasCome = hasCome || came > 0
        }
        if hasCome { handle() }
      }
    }
  }

  deinit {
    stopping.raise()
    wake.ring()
    thread.join()
  }
}
