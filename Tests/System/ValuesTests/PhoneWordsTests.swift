import TestSupport
import Testing
import Values

@Suite(.computation) struct PhoneWordsTests {
  @Test(arguments: [
    (
      "continue with 'footbridge resume'", "press Resume on a phone that may control the gateway"
    ),
    ("list the reasons with 'footbridge uploads'", "tell the person who set up the gateway"),
    (
      "set damaged parts aside with: footbridge store repair --store /x",
      "tell the person who set up the gateway"
    ),
    ("free some space; 'footbridge store space' shows what can be deleted", "free some space"),
    ("'footbridge web pair' makes a PIN", "'footbridge web pair' makes a PIN"),
    ("find the reason with 'footbridge doctor'", "open Health and press “Check the gateway”"),
    (
      "start it with 'sudo systemctl start bluetooth'",
      "switch the gateway off and on; if that does not help, tell the person who set it up"
    ),
    (
      "plug it in\nsudo chmod 640 x\n'footbridge gps' shows the ports",
      "plug it in\ntell the person who set up the gateway"
    ),
    ("choose a path on a disk with --store", "tell the person who set up the gateway"),
    ("remove that option from /etc/fstab", "tell the person who set up the gateway"),
    ("", ""),
  ])
  func `a remedy shown on a phone contains no command to type in a terminal`(
    _ remedy: String, _ words: String
  ) {
    #expect(PhoneWords.remedy(remedy) == words)
  }

  @Test(arguments: [
    (
      "bluetoothd is not running (StartServiceByName: org.freedesktop.systemd1 said no)",
      "bluetoothd is not running"
    ),
    (
      "cannot connect to the system bus: no such file",
      "the Bluetooth service of the gateway cannot be reached"
    ),
    ("there is no position (2D fix)", "there is no position (2D fix)"),
    ("it is lost (see /run/dbus/socket), and (now) gone", "it is lost, and (now) gone"),
    ("waiting for 'footbridge start'", "waiting until someone presses Start"),
  ])
  func `text shown on a phone contains no file path from the computer`(
    _ text: String, _ words: String
  ) {
    #expect(PhoneWords.text(text) == words)
  }
}
